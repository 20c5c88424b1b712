"""Grants: for one organization and within scopes; who sees them, and that ending one ends its tokens at once."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.oauth import grants, tokens
from helpdesk.accounts.oauth.errors import InvalidGrant
from helpdesk.accounts.oauth.schemas import TokenForm
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller, Person
from tests.integration.oauth.conftest import BASE_URL, Program
from tests.support import effort
from tests.support.api import Answer, Client
from tests.support.interleaving import interleaved
from tests.support.people import issue_token, make_person, token_of
from tests.support.table import of_kind
from tests.support.visitor import Visitor

type CodeOf = Callable[..., str]


@pytest.fixture
def ada(organization: NewOrganization) -> str:
    """The id of an owner, who logs in."""
    return make_person(organization.organization_id, role="owner", name="Ada", email="ada@example.com")


@pytest.fixture
def login(ada: str, program: Program, code_of: CodeOf, organization: NewOrganization) -> Callable[..., Any]:
    """Log in to a program as Ada; return the token response."""

    def logging_in(**asked: Any) -> Any:
        code = code_of(program, **{"organization": organization.organization_id, **asked})
        return program.exchange(code).body

    return logging_in


def organization_of(client: Client) -> str | None:
    found = client.get("/v1/me").body["organization"]
    return found["id"] if found else None


# One organization


def test_a_login_stays_in_the_organization_that_was_chosen_when_its_person_creates_another(
    login: Callable[..., Any], program: Program, organization: NewOrganization
) -> None:
    issued = login(scope="api manage")

    made = Client(issued["access_token"]).post("/v1/organizations", {"name": "Own", "slug": "ada-own"})

    assert made.status == 200
    assert organization_of(Client(issued["access_token"])) == organization.organization_id
    refreshed = program.refresh(issued["refresh_token"]).body
    assert organization_of(Client(refreshed["access_token"])) == organization.organization_id


def test_a_login_moves_to_no_other_organization_of_its_person(
    login: Callable[..., Any], program: Program, organization: NewOrganization
) -> None:
    issued = login(scope="api manage")
    client = Client(issued["access_token"])
    own = client.post("/v1/organizations", {"name": "Own", "slug": "ada-own"}).body["id"]

    answer = client.post("/v1/me/organization", {"organizationId": own})

    assert (answer.status, answer.code) == (403, "consent_required")
    assert organization_of(client) == organization.organization_id
    refreshed = program.refresh(issued["refresh_token"]).body
    assert organization_of(Client(refreshed["access_token"])) == organization.organization_id


def test_a_login_stays_where_it_is_when_its_person_accepts_an_invitation(
    login: Callable[..., Any], organization: NewOrganization, other_organization: NewOrganization
) -> None:
    client = Client(login(scope="api manage")["access_token"])
    elsewhere = Client(issue_token(other_organization.organization_id, role="owner", name="Olga"))
    invited = elsewhere.post("/v1/invites", {"email": "ada@example.com", "role": "member"}).body

    token = invited["path"].removeprefix("/v1/invite/")
    assert client.post("/v1/invites/accept", {"token": token}).status == 200

    assert organization_of(client) == organization.organization_id
    assert len(client.get("/v1/me").body["organizations"]) == 2


def test_a_login_may_choose_the_organization_that_it_has(
    login: Callable[..., Any], organization: NewOrganization
) -> None:
    client = Client(login()["access_token"])

    answer = client.post("/v1/me/organization", {"organizationId": organization.organization_id})

    assert (answer.status, answer.body) == (200, {"ok": True})


def test_a_login_cannot_tell_which_organizations_of_others_there_are(
    login: Callable[..., Any], other_organization: NewOrganization
) -> None:
    client = Client(login()["access_token"])

    answer = client.post("/v1/me/organization", {"organizationId": other_organization.organization_id})

    assert (answer.status, answer.code) == (404, "org_not_found")


def test_a_login_without_an_organization_takes_one_once(
    login: Callable[..., Any], organization: NewOrganization
) -> None:
    client = Client(login(organization="")["access_token"])

    first = client.post("/v1/organizations", {"name": "Own", "slug": "ada-own"}).body["id"]
    again = client.post("/v1/me/organization", {"organizationId": organization.organization_id})

    assert organization_of(client) == first
    assert again.code == "consent_required"


def test_two_tokens_of_a_login_do_not_take_two_organizations(
    login: Callable[..., Any], program: Program, organization: NewOrganization
) -> None:
    issued = login(organization="")
    refreshed = program.refresh(issued["refresh_token"]).body
    one, other = Client(issued["access_token"]), Client(refreshed["access_token"])
    own = one.post("/v1/organizations", {"name": "Own", "slug": "ada-own"}).body["id"]

    answer = other.post("/v1/me/organization", {"organizationId": organization.organization_id})

    assert answer.code == "consent_required"
    assert organization_of(other) is None
    last = program.refresh(refreshed["refresh_token"]).body
    assert organization_of(Client(last["access_token"])) == own


def test_a_login_ends_when_its_person_leaves_with_it(login: Callable[..., Any], program: Program) -> None:
    issued = login(scope="api manage")
    client = Client(issued["access_token"])
    Client(issued["access_token"]).post("/v1/organizations", {"name": "Own", "slug": "ada-own"})

    assert client.delete("/v1/me/organization").status == 200

    assert client.get("/v1/members").code == "invalid_token"
    assert client.post("/v1/organizations", {"name": "More", "slug": "ada-more"}).code == "invalid_token"
    assert program.refresh(issued["refresh_token"]).body["error"] == "invalid_grant"


# Scopes


@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        (None, "api"),
        ("", "api"),
        ("manage", "api manage"),
        ("manage openid api", "api manage"),
        ("MANAGE manage2", "api"),
    ],
)
def test_a_program_gets_the_scopes_that_it_asked_for_and_the_response_says_so(
    login: Callable[..., Any], asked: str | None, granted: str
) -> None:
    assert login(scope=asked)["scope"] == granted


def test_a_refresh_gives_what_was_allowed_whatever_it_asks_for(
    login: Callable[..., Any], program: Program
) -> None:
    issued = login()

    refreshed = program.token(
        grant_type="refresh_token", refresh_token=issued["refresh_token"], scope="api manage"
    ).body

    assert refreshed["scope"] == "api"
    assert Client(refreshed["access_token"]).post("/v1/keys", {"name": "K"}).code == "insufficient_scope"


def test_a_refusal_for_its_scope_says_what_to_request(login: Callable[..., Any]) -> None:
    answer = Client(login()["access_token"]).post("/v1/keys", {"name": "K"})

    assert (answer.status, answer.code) == (403, "insufficient_scope")
    assert "api manage" in answer.message
    assert answer.headers["www-authenticate"] == 'Bearer error="insufficient_scope", scope="api manage"'
    assert "ratelimit" in answer.headers


def test_a_device_login_has_the_scopes_that_its_program_asked_for(
    program: Program, sign_in: Callable[..., Answer], ada: str, organization: NewOrganization
) -> None:
    begun = program.begin_device(scope="api manage")
    visitor = Visitor()
    visitor.open("/v1/oauth/device")
    visitor.press(user_code=begun["user_code"])
    page = sign_in(visitor)
    assert "create and revoke secret keys" in page.body
    visitor.press(("decision", "allow"), action="/consent", organization=organization.organization_id)

    issued = program.poll(begun["device_code"]).body

    assert issued["scope"] == "api manage"
    assert Client(issued["access_token"]).post("/v1/keys", {"name": "K"}).status == 200


def test_the_page_says_what_a_program_may_do_and_not_more(
    program: Program, sign_in: Callable[..., Answer], visitor: Visitor, ada: str
) -> None:
    visitor.open(program.authorize_url(scope="api"))

    page = sign_in(visitor)

    assert "Read and change customers, conversations, documents, tasks and settings." in page.body
    assert "secret keys" not in page.body


# Who sees and ends them


def test_a_person_sees_their_logins_and_which_one_they_use(
    login: Callable[..., Any], organization: NewOrganization
) -> None:
    login(organization="")
    client = Client(login(scope="api manage")["access_token"])

    answer = client.get("/v1/me/grants")

    [newest, oldest] = answer.body["grants"]
    assert newest == {
        "id": newest["id"],
        "clientId": newest["clientId"],
        "clientName": "Trier",
        "organizationId": organization.organization_id,
        "organizationName": client.get("/v1/organization").body["name"],
        "scopes": ["api", "manage"],
        "createdAt": newest["createdAt"],
        "refreshedAt": newest["createdAt"],
        "validUntil": newest["createdAt"] + 30 * 86_400_000,
        "current": True,
    }
    assert (oldest["organizationId"], oldest["scopes"], oldest["current"]) == (None, ["api"], False)


def test_a_person_ends_a_login_and_its_tokens_are_refused_at_once(
    login: Callable[..., Any], program: Program, api: Client
) -> None:
    ended, kept = login(), Client(login(scope="api manage")["access_token"])
    grant = next(each for each in kept.get("/v1/me/grants").body["grants"] if not each["current"])

    answer = kept.delete(f"/v1/me/grants/{grant['id']}")

    assert (answer.status, answer.body) == (200, {"ok": True})
    assert Client(ended["access_token"]).get("/v1/me").code == "invalid_token"
    assert program.refresh(ended["refresh_token"]).body["error"] == "invalid_grant"
    assert [each["current"] for each in kept.get("/v1/me/grants").body["grants"]] == [True]
    assert kept.delete(f"/v1/me/grants/{grant['id']}").code == "grant_not_found"


def test_a_login_without_manage_ends_its_own_access_alone_and_creates_no_organization(
    login: Callable[..., Any],
) -> None:
    other, limited = Client(login(scope="api manage")["access_token"]), Client(login()["access_token"])
    grants = {each["current"]: each["id"] for each in limited.get("/v1/me/grants").body["grants"]}

    assert limited.delete(f"/v1/me/grants/{grants[False]}").code == "insufficient_scope"
    created = limited.post("/v1/organizations", {"name": "Own", "slug": "ada-own"})
    assert created.code == "insufficient_scope"

    assert other.get("/v1/me").status == 200
    assert limited.delete(f"/v1/me/grants/{grants[True]}").status == 200
    assert limited.get("/v1/me").code == "invalid_token"


def test_an_admin_sees_and_ends_the_logins_for_their_organization(
    login: Callable[..., Any], ada: str, organization: NewOrganization, other_organization: NewOrganization
) -> None:
    issued = login()
    admin = Client(issue_token(organization.organization_id, role="admin", name="Max"))
    stranger = Client(issue_token(other_organization.organization_id, role="owner", name="Olga"))

    [grant] = admin.get("/v1/grants").body["grants"]
    assert (grant["userId"], grant["userName"], grant["clientName"]) == (ada, "Ada", "Trier")
    assert stranger.get("/v1/grants").body == {"grants": [], "nextCursor": None}
    assert stranger.delete(f"/v1/grants/{grant['id']}").code == "grant_not_found"
    assert stranger.delete(f"/v1/me/grants/{grant['id']}").code == "grant_not_found"
    assert Client(issued["access_token"]).get("/v1/members").status == 200

    assert admin.delete(f"/v1/grants/{grant['id']}").status == 200

    assert Client(issued["access_token"]).get("/v1/members").code == "invalid_token"


def test_an_admin_does_not_see_the_logins_of_a_member_for_another_organization(
    login: Callable[..., Any], organization: NewOrganization
) -> None:
    login(organization="")
    admin = Client(issue_token(organization.organization_id, role="admin", name="Max"))

    assert admin.get("/v1/grants").body["grants"] == []


def test_the_login_of_a_removed_member_is_no_longer_listed(
    login: Callable[..., Any], ada: str, organization: NewOrganization
) -> None:
    login()
    owner = Client(token_of(organization.owner_id, organization.organization_id))
    assert len(owner.get("/v1/grants").body["grants"]) == 1

    owner.delete(f"/v1/members/{ada}")

    assert owner.get("/v1/grants").body["grants"] == []


def test_the_log_says_who_was_given_access_and_who_ended_it(
    login: Callable[..., Any], ada: str, organization: NewOrganization
) -> None:
    login(scope="api manage")
    owner = Client(token_of(organization.owner_id, organization.organization_id))
    [grant] = owner.get("/v1/grants").body["grants"]
    owner.delete(f"/v1/grants/{grant['id']}")

    [ended, created] = owner.get("/v1/logs").body["logs"][:2]

    assert (created["kind"], created["actor"], created["summary"]) == (
        "grant_created",
        "Ada",
        "Trier was given access.",
    )
    assert (ended["kind"], ended["actor"]) == ("grant_ended", "Olga Owner")
    for entry in (created, ended):
        assert (
            entry["detail"].items()
            >= {"grantId": grant["id"], "userId": ada, "scopes": ["api", "manage"]}.items()
        )


@pytest.mark.parametrize("seed", range(effort.of(4, 40)))
def test_a_refresh_at_the_moment_of_ending_leaves_no_token_that_works(
    login: Callable[..., Any], ada: str, program: Program, seed: int
) -> None:
    issued = login()
    [grant] = of_kind("GRANT")
    form = TokenForm(grant_type="refresh_token", client_id=program.id, refresh_token=issued["refresh_token"])
    caller = Caller("", person=Person(ada, "Ada", None))

    outcomes = interleaved(
        [lambda: tokens.issue(form, "", BASE_URL), lambda: grants.end_mine(caller, grant["id"])], seed
    )

    assert outcomes.errors[1] is None
    assert outcomes.errors[0] is None or isinstance(outcomes.errors[0], InvalidGrant)
    assert of_kind("GRANT") == []
    assert of_kind("TOKEN") == []
