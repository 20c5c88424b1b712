"""Connecting an account that has the GitHub App already: by what GitHub lists for the person, not by an address."""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.integration_jobs import App
from helpdesk.integrations import service
from helpdesk.integrations.record import Connection
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation
from scripts.services.server import Said, Services
from tests.support import table
from tests.support.api import Answer, Client
from tests.support.integrations import BASE_URL
from tests.support.people import make_person
from tests.support.visitor import Visitor

ADA = "ada@example.com"
EXISTING = ("way", "existing")

type Arrive = Callable[..., Answer]
"""Goes to GitHub as a person who reaches installations, and comes back."""


@pytest.fixture
def visitor(organization: NewOrganization, mails: list[tuple[str, str]]) -> Visitor:
    """An admin of the organization, signed in on the page."""
    make_person(organization.organization_id, role="admin", name="Ada Admin", email=ADA)
    found = Visitor()
    found.open("/v1/connect/codehost")
    found.press(email=ADA)
    found.press(code=mails[-1][1])
    return found


@pytest.fixture
def arrive(visitor: Visitor, organization: NewOrganization, github: CodeHost) -> Arrive:
    """Choose an account that has the App, and authorize it at GitHub."""

    def run(
        *reached: Installation, role: str | None = "admin", guest_in: tuple[Installation, ...] = ()
    ) -> Answer:
        visitor.open("/v1/connect/codehost")
        leads_to = visitor.press(EXISTING, organization=organization.organization_id).headers["location"]
        return come_back(visitor, leads_to, github, *reached, role=role, guest_in=guest_in)

    return run


def come_back(
    visitor: Visitor, leads_to: str, github: CodeHost, *reached: Installation, **how: object
) -> Answer:
    """Authorize the App at GitHub and return."""
    query = {name: values[0] for name, values in parse_qs(urlsplit(leads_to).query).items()}
    return visitor.open(github.authorize(query, *reached, **how).removeprefix(BASE_URL))


def connected(organization: NewOrganization) -> list[str]:
    """Return the accounts that are connected."""
    return sorted(each.account for each in service.connections(organization.organization_id, App.GITHUB))


def test_the_one_account_that_has_the_app_is_connected(
    arrive: Arrive, organization: NewOrganization, acme: Installation, api: Client
) -> None:
    page = arrive(acme)

    assert page.status == 200
    assert "<strong>acme</strong> at GitHub is connected" in page.body
    [found] = service.connections(organization.organization_id, App.GITHUB)
    assert (found.account_id, found.account, found.connected_by_name) == (str(acme.id), "acme", "Ada Admin")
    assert [each["kind"] for each in api.get("/v1/logs").body["logs"]][:1] == ["integration_connected"]


def test_the_person_authorizes_with_a_challenge_to_our_address_alone(
    visitor: Visitor, organization: NewOrganization, services: Services
) -> None:
    leads_to = visitor.press(EXISTING, organization=organization.organization_id).headers["location"]
    query = parse_qs(urlsplit(leads_to).query)
    [state] = table.of_kind("CONNECT")

    assert leads_to.startswith(f"{services.url}/github.com/login/oauth/authorize?")
    digest = hashlib.sha256(state["verifier"].encode()).digest()
    assert query["code_challenge"] == [urlsafe_b64encode(digest).decode().rstrip("=")]
    assert query["code_challenge_method"] == ["S256"]
    assert query["redirect_uri"] == [f"{BASE_URL}/v1/connect/codehost/callback"]


def test_of_several_accounts_the_person_chooses_one(
    visitor: Visitor, arrive: Arrive, organization: NewOrganization, github: CodeHost, acme: Installation
) -> None:
    others = github.install("beta"), github.install("gamma")
    page = arrive(acme, *others)

    assert "Which account" in page.body
    assert connected(organization) == []
    leads_to = visitor.press(("account", "beta")).headers["location"]
    page = come_back(visitor, leads_to, github, acme, *others)
    assert page.status == 200
    assert connected(organization) == ["beta"]


def test_only_accounts_that_the_person_owns_can_be_chosen(
    arrive: Arrive, organization: NewOrganization, github: CodeHost, acme: Installation
) -> None:
    mine, theirs = github.install("beta"), github.install("gamma")
    page = arrive(acme, mine, theirs, guest_in=(theirs,))

    assert 'value="acme"' in page.body
    assert 'value="beta"' in page.body
    assert "gamma" not in page.body


def test_the_one_account_that_the_person_owns_is_connected(
    arrive: Arrive, organization: NewOrganization, github: CodeHost, acme: Installation
) -> None:
    theirs = github.install("gamma")
    somebody = github.install("somebody")
    somebody.kind = "User"

    assert arrive(acme, theirs, somebody, guest_in=(theirs, somebody)).status == 200
    assert connected(organization) == ["acme"]


def test_a_persons_own_account_is_connected(
    arrive: Arrive, organization: NewOrganization, github: CodeHost
) -> None:
    mine = github.install("mona")
    mine.kind = "User"

    assert arrive(mine).status == 200
    assert connected(organization) == ["mona"]


def test_an_account_that_is_connected_already_is_not_offered(
    arrive: Arrive,
    organization: NewOrganization,
    github: CodeHost,
    acme: Installation,
    connect_codehost: Callable[..., Connection],
) -> None:
    connect_codehost(acme)
    page = arrive(acme)
    assert page.status == 400
    assert "are already connected" in page.body

    assert arrive(acme, github.install("beta")).status == 200
    assert connected(organization) == ["acme", "beta"]


def test_a_broken_connection_is_mended_without_installing_again(
    arrive: Arrive,
    organization: NewOrganization,
    acme: Installation,
    connect_codehost: Callable[..., Connection],
    api: Client,
) -> None:
    service.mark_broken(connect_codehost(acme), "The GitHub App was suspended on this account.")

    assert arrive(acme).status == 200
    assert [each["status"] for each in api.get("/v1/integrations").body["integrations"]][:1] == ["connected"]


@pytest.mark.parametrize("role", [None, "member"])
def test_an_account_of_others_is_not_connected_though_it_is_the_only_one(
    arrive: Arrive, organization: NewOrganization, acme: Installation, role: str | None
) -> None:
    page = arrive(acme, role=role)

    assert page.status == 400
    assert "Only an owner of acme can connect it" in page.body
    assert connected(organization) == []


def test_somebody_who_owns_none_of_several_reads_who_connects_them(
    arrive: Arrive, organization: NewOrganization, github: CodeHost, acme: Installation
) -> None:
    page = arrive(acme, github.install("beta"), role="member")

    assert page.status == 400
    assert "own any of the accounts that have the App: acme, beta." in page.body
    assert connected(organization) == []


def test_somebody_who_reaches_no_installation_reads_that_it_is_to_be_installed(arrive: Arrive) -> None:
    page = arrive()

    assert page.status == 400
    assert "install the App" in page.body


def test_a_suspended_installation_is_not_connected(
    arrive: Arrive, organization: NewOrganization, acme: Installation
) -> None:
    acme.suspended = True
    page = arrive(acme)

    assert page.status == 400
    assert "suspended on acme" in page.body
    assert connected(organization) == []


def test_a_name_that_was_written_into_the_form_is_checked_again(
    visitor: Visitor, arrive: Arrive, organization: NewOrganization, github: CodeHost, acme: Installation
) -> None:
    beta, other = github.install("beta"), github.install("other")
    for name, reached, guest_in, problem in (
        ("other", (acme, beta), (), "installed on other, or you have no access to it."),
        ("other", (acme, beta, other), (other,), "Only an owner of other can connect it"),
        ("<script>", (acme,), (), "installed on &lt;script&gt;, or you have no access to it."),
    ):
        arrive(acme, beta)
        leads_to = visitor.press(("account", name)).headers["location"]
        page = come_back(visitor, leads_to, github, *reached, guest_in=guest_in)
        assert page.status == 400
        assert problem in page.body
    assert connected(organization) == []


def test_an_installation_in_the_address_is_not_looked_at(
    visitor: Visitor, organization: NewOrganization, github: CodeHost, acme: Installation
) -> None:
    other = github.install("other")
    leads_to = visitor.press(EXISTING, organization=organization.organization_id).headers["location"]
    query = {name: values[0] for name, values in parse_qs(urlsplit(leads_to).query).items()}
    back = github.authorize(query, acme).removeprefix(BASE_URL)

    assert visitor.open(f"{back}&installation_id={other.id}&setup_action=install").status == 200
    assert connected(organization) == ["acme"]


def test_a_code_that_another_browser_began_is_worth_nothing(
    visitor: Visitor, organization: NewOrganization, github: CodeHost, acme: Installation
) -> None:
    codes, query = [], {}
    for _ in range(2):
        visitor.open("/v1/connect/codehost")
        leads_to = visitor.press(EXISTING, organization=organization.organization_id).headers["location"]
        query = {name: values[0] for name, values in parse_qs(urlsplit(leads_to).query).items()}
        codes.append(parse_qs(urlsplit(github.authorize(query, acme)).query)["code"][0])
    page = visitor.open(f"/v1/connect/codehost/callback?code={codes[0]}&state={query['state']}")

    assert page.status == 400
    assert "GitHub did not connect" in page.body
    assert connected(organization) == []


def test_more_accounts_than_are_looked_at_can_all_be_chosen(
    visitor: Visitor, arrive: Arrive, organization: NewOrganization, github: CodeHost, services: Services
) -> None:
    many = [github.install(f"team-{number:02}") for number in range(25)]
    before = len(services.asked)
    page = arrive(*many)

    assert page.body.count('name="account"') == 25
    assert len([each for each in services.asked[before:] if "memberships" in each.path]) == 10
    leads_to = visitor.press(("account", "team-24")).headers["location"]
    assert come_back(visitor, leads_to, github, *many).status == 200
    assert connected(organization) == ["team-24"]


def test_an_owner_of_whom_github_does_not_say_so_reads_what_is_missing(
    arrive: Arrive, organization: NewOrganization, acme: Installation, services: Services
) -> None:
    services.fail(path="memberships", said=Said(403, {"message": "Resource not accessible by integration"}))
    page = arrive(acme)

    assert page.status == 400
    assert "Ask an owner to allow the App to read its members" in page.body
    assert connected(organization) == []


def test_the_token_of_the_person_is_stored_nowhere(
    arrive: Arrive, github: CodeHost, acme: Installation
) -> None:
    page = arrive(acme, github.install("beta"))

    assert len(github.person_tokens) == 1
    [token] = github.person_tokens
    assert token not in page.body
    assert token not in str(table.everything())


@pytest.mark.parametrize("action", ["update", "install"])
def test_what_somebody_saved_at_github_alone_connects_nothing_and_says_how(
    visitor: Visitor, organization: NewOrganization, github: CodeHost, acme: Installation, action: str
) -> None:
    query = f"code={github.code_for(acme)}&installation_id={acme.id}&setup_action={action}"
    page = visitor.open(f"/v1/connect/codehost/callback?{query}")

    assert page.status == 400
    assert "GitHub saved your choices" in page.body
    assert "/v1/connect/codehost" in page.body
    assert connected(organization) == []
