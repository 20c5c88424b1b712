"""POST /v1/organizations, POST and DELETE /v1/me/organization: creating, switching, leaving."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.oauth.record import Grant
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.record import AccessToken, Allowance
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from tests.integration.people.conftest import GRANT
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.people import issue_token, make_person, token_of

type WithGrant = Callable[[str, str | None], Client]


def bound_to(client: Client) -> Any:
    assert client.credential is not None
    item = table.get(AccessToken.key_for(sha256_hex(client.credential)))
    assert item is not None
    return item.get("organization")


def granted_for() -> Any:
    item = table.get(Grant.key_for(GRANT))
    assert item is not None
    return item.get("organization")


def test_the_creator_owns_the_organization_and_their_token_acts_in_it(newcomer: Client, paula: str) -> None:
    answer = newcomer.post("/v1/organizations", {"name": " Acme \n Inc ", "slug": "acme"})

    assert answer.status == 200
    assert set(answer.body) == {"id", "slug"}
    assert answer.body["slug"] == "acme"
    assert newcomer.get("/v1/me").body["organization"] == {
        "id": answer.body["id"],
        "name": "Acme Inc",
        "slug": "acme",
        "role": "owner",
    }
    (member,) = newcomer.get("/v1/members").body["members"]
    assert (member["userId"], member["role"], member["email"]) == (paula, "owner", "paula@example.com")


def test_a_new_organization_is_on_explore_with_its_mark_shown_and_without_a_key(newcomer: Client) -> None:
    newcomer.post("/v1/organizations", {"name": "Acme", "slug": "acme"})

    settings = newcomer.get("/v1/organization").body
    assert (settings["plan"], settings["tier"], settings["showBranding"]) == ("explore", "explore", True)
    assert newcomer.get("/v1/billing/limits").body["limits"]["read"] == {"perMinute": 120, "burst": 20}
    assert newcomer.get("/v1/keys").body["keys"] == []
    (entry,) = newcomer.get("/v1/logs").body["logs"]
    assert (entry["kind"], entry["actor"]) == ("organization_created", "Paula Person")


def test_the_tokens_grant_switches_too(with_grant: WithGrant, paula: str) -> None:
    client = with_grant(paula, None)

    made = client.post("/v1/organizations", {"name": "Acme", "slug": "acme"}).body["id"]

    assert bound_to(client) == made
    assert granted_for() == made


def test_other_tokens_of_the_person_stay_where_they_are(newcomer: Client, paula: str) -> None:
    other = Client(token_of(paula, None))

    newcomer.post("/v1/organizations", {"name": "Acme", "slug": "acme"})

    assert bound_to(other) is None


@pytest.mark.parametrize("slug", ["Not A Slug", "a--b", "support"])
def test_a_refused_organization_leaves_no_items(newcomer: Client, slug: str) -> None:
    answer = newcomer.post("/v1/organizations", {"name": "Acme", "slug": slug})

    assert (answer.status, answer.code) == (400, "invalid_slug")
    assert whole_table.of_kind("ORG") == []
    assert whole_table.of_kind("SLUG") == []
    assert bound_to(newcomer) is None


def test_a_slug_that_another_organization_has_is_refused(
    newcomer: Client, organization: NewOrganization
) -> None:
    held = Client(organization.secret_key).get("/v1/organization").body["slug"]

    answer = newcomer.post("/v1/organizations", {"name": "Acme", "slug": held})

    assert (answer.status, answer.code) == (400, "slug_taken")
    assert newcomer.get("/v1/me").body["organizations"] == []


def test_a_fifty_first_organization_is_refused_and_leaving_one_makes_room(
    newcomer: Client, paula: str
) -> None:
    others = {f"org_{number}": {"role": "member", "joinedAt": 1} for number in range(49)}
    table.update(PersonRecord.key_for(paula), "SET organizations = :o", values={":o": others})
    assert newcomer.post("/v1/organizations", {"name": "Fiftieth", "slug": "fiftieth"}).status == 200

    answer = newcomer.post("/v1/organizations", {"name": "Too much", "slug": "too-much"})

    assert (answer.status, answer.code) == (400, "too_many_organizations")
    assert len(whole_table.of_kind("SLUG")) == 1
    table.update(PersonRecord.key_for(paula), "REMOVE organizations.#o", names={"#o": "org_0"})
    assert newcomer.post("/v1/organizations", {"name": "Room", "slug": "room"}).status == 200


def test_a_token_whose_grant_was_revoked_creates_no_organization(with_grant: WithGrant, paula: str) -> None:
    client = with_grant(paula, None)
    table.delete(Grant.key_for(GRANT))

    answer = client.post("/v1/organizations", {"name": "Acme", "slug": "acme"})

    assert (answer.status, answer.code) == (401, "invalid_token")
    assert whole_table.of_kind("SLUG") == []


def test_a_person_removed_from_the_active_organization_can_create_another(
    member: Client, organization: NewOrganization
) -> None:
    user_id = member.get("/v1/me").body["user"]["id"]
    owner = Client(token_of(organization.owner_id, organization.organization_id))
    owner.delete(f"/v1/members/{user_id}")
    assert member.get("/v1/members").code == "invalid_token"

    assert member.post("/v1/organizations", {"name": "My own", "slug": "my-own"}).status == 200

    assert member.get("/v1/members").status == 200


def test_a_token_switches_to_another_organization_of_the_person(newcomer: Client) -> None:
    client = newcomer
    first = client.post("/v1/organizations", {"name": "First", "slug": "first-one"}).body["id"]
    client.post("/v1/organizations", {"name": "Second", "slug": "second-one"})

    answer = client.post("/v1/me/organization", {"organizationId": first})

    assert (answer.status, answer.body) == (200, {"ok": True})
    assert client.get("/v1/organization").body["name"] == "First"


def test_a_token_may_switch_to_the_organization_it_already_acts_in(newcomer: Client) -> None:
    made = newcomer.post("/v1/organizations", {"name": "Acme", "slug": "acme"}).body["id"]

    assert newcomer.post("/v1/me/organization", {"organizationId": made}).status == 200
    assert bound_to(newcomer) == made


@pytest.mark.parametrize("of_another", [True, False])
def test_an_organization_of_other_people_is_not_found(
    newcomer: Client, organization: NewOrganization, of_another: bool
) -> None:
    wanted = organization.organization_id if of_another else "org_unknown"

    answer = newcomer.post("/v1/me/organization", {"organizationId": wanted})

    assert (answer.status, answer.code) == (404, "org_not_found")
    assert bound_to(newcomer) is None


@pytest.mark.parametrize("wanted", ["", "a#b", "x" * 500, "org_1.role", "日本", "organizations.org_1", "a b"])
def test_an_id_of_any_form_is_not_found(newcomer: Client, wanted: str) -> None:
    assert newcomer.post("/v1/me/organization", {"organizationId": wanted}).code == "org_not_found"


@pytest.mark.parametrize("wanted", ["", "x" * 129, "x" * 100_000, "a#b"])
def test_text_that_cannot_be_an_id_never_reaches_the_table(
    newcomer: Client, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    # DynamoDB refuses an empty name of an attribute, and one beyond 64 KB, which its stand-in here lets pass.
    monkeypatch.setattr("helpdesk.storage.transactions.Transaction.commit", pytest.fail)

    answer = newcomer.post("/v1/me/organization", {"organizationId": wanted})

    assert (answer.status, answer.code) == (404, "org_not_found")


def test_a_revoked_token_cannot_switch(newcomer: Client, paula: str) -> None:
    made = newcomer.post("/v1/organizations", {"name": "Acme", "slug": "acme"}).body["id"]
    assert newcomer.credential is not None
    table.delete(AccessToken.key_for(sha256_hex(newcomer.credential)))

    assert newcomer.post("/v1/me/organization", {"organizationId": made}).code == "invalid_token"


def test_a_person_leaves_and_their_token_acts_in_no_organization(
    api: Client, organization: NewOrganization
) -> None:
    user_id = make_person(organization.organization_id, role="admin", name="Ada Admin")
    client = Client(token_of(user_id, organization.organization_id))

    answer = client.delete("/v1/me/organization")

    assert (answer.status, answer.body) == (200, {"ok": True})
    assert client.get("/v1/me").body["organizations"] == []
    assert client.get("/v1/members").code == "no_organization"
    assert bound_to(client) is None
    assert [member["name"] for member in api.get("/v1/members").body["members"]] == ["Olga Owner"]
    entry = api.get("/v1/logs").body["logs"][0]
    assert (entry["kind"], entry["actor"], entry["summary"]) == (
        "member_removed",
        "Ada Admin",
        "A member left.",
    )
    assert entry["detail"] == {"userId": user_id, "userName": "Ada Admin"}


def test_another_token_of_a_person_who_left_is_refused_with_the_next_request(
    organization: NewOrganization,
) -> None:
    user_id = make_person(organization.organization_id, role="member", name="Max Member")
    one, other = (Client(token_of(user_id, organization.organization_id)) for _ in range(2))
    assert other.get("/v1/members").status == 200

    one.delete("/v1/me/organization")

    assert (other.get("/v1/members").status, other.get("/v1/members").code) == (401, "invalid_token")


def test_the_last_owner_cannot_leave(admin: Client, organization: NewOrganization) -> None:
    owner = Client(token_of(organization.owner_id, organization.organization_id))
    refused = owner.delete("/v1/me/organization")
    assert (refused.status, refused.code) == (400, "last_owner")
    heir = admin.get("/v1/me").body["user"]["id"]
    assert owner.patch(f"/v1/members/{heir}", {"role": "owner"}).status == 200

    assert owner.delete("/v1/me/organization").status == 200

    assert admin.delete("/v1/me/organization").code == "last_owner"


def test_a_token_without_an_organization_cannot_leave_one(newcomer: Client) -> None:
    answer = newcomer.delete("/v1/me/organization")

    assert (answer.status, answer.code) == (403, "no_organization")


def test_creating_an_organization_uses_the_persons_allowance_and_not_the_organizations(
    organization: NewOrganization,
) -> None:
    before = table.get(Allowance.key_for(organization.organization_id, "write"))

    with clock.frozen(lambda: 1_800_000_000_000_000):  # in which nothing is earned back
        client = Client(issue_token(organization.organization_id, role="member", name="Max Member"))
        answers = [client.post("/v1/organizations", {"name": "x", "slug": "no"}) for _ in range(31)]

    assert [answer.code for answer in answers[:30]] == ["invalid_slug"] * 30
    assert (answers[30].status, answers[30].code) == (429, "rate_limited")
    assert answers[30].headers["retry-after"] == "1"
    assert table.get(Allowance.key_for(organization.organization_id, "write")) == before


def test_leaving_with_a_token_that_has_ended_is_refused(organization: NewOrganization) -> None:
    user_id = make_person(organization.organization_id, role="member", name="Max Member")
    one, other = (Client(token_of(user_id, organization.organization_id)) for _ in range(2))
    one.delete("/v1/me/organization")

    answer = other.delete("/v1/me/organization")

    assert (answer.status, answer.code) == (401, "invalid_token")


@pytest.fixture
def returned(organization: NewOrganization) -> Client:
    """The token of a person who was removed and then invited and accepted with another token."""
    home = organization.organization_id
    user_id = make_person(home, role="admin", name="Rita Returned", email="rita@example.com")
    client = Client(token_of(user_id, home))
    owner = Client(token_of(organization.owner_id, home))
    assert client.get("/v1/members").status == 200
    assert owner.delete(f"/v1/members/{user_id}").status == 200
    invited = owner.post("/v1/invites", {"email": "rita@example.com", "role": "admin"}).body
    token = invited["path"].removeprefix("/v1/invite/")
    later = Client(token_of(user_id, None))
    assert later.post("/v1/invites/accept", {"token": token}).status == 200
    assert later.get("/v1/webhooks").status == 200
    return client


def test_a_token_from_before_its_person_left_stays_ended_when_they_return(returned: Client) -> None:
    answer = returned.get("/v1/webhooks")

    assert (answer.status, answer.code) == (401, "invalid_token")
    assert returned.delete("/v1/me/organization").code == "invalid_token"
    profile = returned.get("/v1/me").body
    assert profile["organization"] is None
    assert [each["role"] for each in profile["organizations"]] == ["admin"]


def test_a_token_that_ended_cannot_switch_back_to_the_organization(
    returned: Client, organization: NewOrganization
) -> None:
    home = {"organizationId": organization.organization_id}
    assert returned.post("/v1/me/organization", home).code == "invalid_token"

    assert returned.post("/v1/organizations", {"name": "My own", "slug": "my-own"}).status == 200

    assert returned.get("/v1/webhooks").status == 200
    answer = returned.post("/v1/me/organization", home)
    assert (answer.status, answer.code) == (401, "invalid_token")


def test_a_token_that_ended_cannot_accept_an_invitation_back(organization: NewOrganization) -> None:
    home = organization.organization_id
    user_id = make_person(home, role="admin", name="Rita Returned", email="rita@example.com")
    client, owner = Client(token_of(user_id, home)), Client(token_of(organization.owner_id, home))
    owner.delete(f"/v1/members/{user_id}")
    invited = owner.post("/v1/invites", {"email": "rita@example.com", "role": "member"}).body

    answer = client.post("/v1/invites/accept", {"token": invited["path"].removeprefix("/v1/invite/")})

    assert (answer.status, answer.code) == (401, "invalid_token")
    assert len(owner.get("/v1/invites").body["invites"]) == 1


@pytest.fixture
def _closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Close sign-up, as it is unless a deployment opens it."""
    monkeypatch.delenv("SIGN_UP")
    settings.cache_clear()


@pytest.mark.usefixtures("_closed")
def test_a_member_of_none_creates_no_organization_where_sign_up_is_closed(newcomer: Client) -> None:
    answer = newcomer.post("/v1/organizations", {"name": "Acme", "slug": "acme"})

    assert (answer.status, answer.code) == (403, "forbidden")
    assert "Ask an organization for an invitation" in answer.message
    assert whole_table.of_kind("SLUG") == []


@pytest.mark.usefixtures("_closed")
def test_a_member_of_one_creates_another_where_sign_up_is_closed(member: Client) -> None:
    assert member.post("/v1/organizations", {"name": "Acme", "slug": "acme"}).status == 200
