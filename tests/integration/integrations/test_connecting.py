"""Connecting an account in the browser: bound to the browser, the person and the organization, and used once."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.events.integration_jobs import App
from helpdesk.integrations import credentials, service
from helpdesk.integrations.github import account_lookup
from helpdesk.integrations.record import Connection
from helpdesk.platform.clock import frozen, now_us
from helpdesk.storage import table as items
from scripts.services import tracker
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation
from scripts.services.server import Said, Services
from tests.support import integrations, table
from tests.support.api import Answer, Client
from tests.support.people import make_person
from tests.support.rules import for_each
from tests.support.visitor import Visitor
from tests.support.workers import Workers

type Mails = list[tuple[str, str]]
type SignIn = Callable[[str], Visitor]
ADA = "ada@example.com"


@pytest.fixture
def sign_in(mails: Mails) -> SignIn:
    """Open the page in a new browser and sign in on it."""

    def run(email: str) -> Visitor:
        visitor = Visitor()
        visitor.open("/v1/connect/codehost")
        visitor.press(email=email)
        visitor.press(code=mails[-1][1])
        return visitor

    return run


@dataclass
class Admin:
    """An admin of the organization whose browser is signed in, and who owns the account at the service."""

    id: str
    visitor: Visitor
    organization: str
    github: CodeHost
    acme: Installation

    def begin(self) -> str:
        """Go to the service; return the state."""
        self.visitor.open("/v1/connect/codehost")
        answer = self.visitor.press(organization=self.organization)
        assert answer.status == 303, answer.body
        return parse_qs(urlsplit(answer.headers["location"]).query)["state"][0]

    def come_back(self, state: str, *, visitor: Visitor | None = None, code: str = "", to: int = 0) -> Answer:
        """Return from the service: in this browser, with a code for the account, unless others are named."""
        query = f"code={code or self.github.code_for(self.acme)}&installation_id={to or self.acme.id}"
        url = f"/v1/connect/codehost/callback?{query}&setup_action=install&state={state}"
        return (visitor or self.visitor).open(url)


@pytest.fixture
def ada(sign_in: SignIn, organization: NewOrganization, github: CodeHost, acme: Installation) -> Admin:
    """An admin of the organization."""
    home = organization.organization_id
    person = make_person(home, role="admin", name="Ada Admin", email=ADA)
    return Admin(person, sign_in(ADA), home, github, acme)


def test_an_admin_connects_an_account(ada: Admin, services: Services, api: Client) -> None:
    leads_to = ada.visitor.press(organization=ada.organization).headers["location"]
    page = ada.come_back(parse_qs(urlsplit(leads_to).query)["state"][0])

    assert leads_to.startswith(f"{services.url}/github.com/apps/helpdesk-test/installations/new?state=")
    assert page.status == 200
    assert "acme" in page.body
    [row] = [each for each in api.get("/v1/integrations").body["integrations"] if each["app"] == "codehost"]
    assert row == {
        "app": "codehost",
        "status": "connected",
        "account": "acme",
        "connectedAt": row["connectedAt"],
        "connectedBy": ada.id,
        "connectedByName": "Ada Admin",
        "problem": None,
    }
    assert [each["kind"] for each in api.get("/v1/logs").body["logs"]][:1] == ["integration_connected"]


def test_the_page_may_send_its_form_to_the_service(ada: Admin, services: Services) -> None:
    page = ada.visitor.page

    assert "Connect GitHub?" in page.body
    assert f"form-action 'self' {services.url};" in page.headers["content-security-policy"]


def test_a_state_is_used_once(ada: Admin) -> None:
    state = ada.begin()
    ada.come_back(state)

    assert ada.come_back(state).status == 400
    assert len([item for item in table.everything() if item["PK"].endswith("#TOKENS")]) == 1


def test_a_state_of_another_browser_connects_nothing(ada: Admin, sign_in: SignIn) -> None:
    state = ada.begin()

    assert ada.come_back(state, visitor=sign_in(ADA)).status == 400
    assert ada.come_back(state, visitor=Visitor()).status == 400
    assert connections() == []


def test_a_state_that_is_old_or_another_apps_connects_nothing(ada: Admin) -> None:
    integrations.set_app(App.LINEAR, tracker.credentials())
    state = ada.begin()
    assert ada.visitor.open(f"/v1/connect/tracker/callback?state={state}&code=x").status == 400
    state = ada.begin()
    at = now_us() + 601_000_000
    with frozen(lambda: at):
        page = ada.come_back(state)

    assert page.status == 400
    assert "Start again at /v1/connect/codehost" in page.body
    assert connections() == []


def test_another_admin_in_the_same_browser_connects_nothing(ada: Admin, mails: Mails) -> None:
    bob = make_person(ada.organization, role="admin", name="Bob", email="bob@example.com")
    state = ada.begin()
    ada.visitor.open("/v1/connect/codehost")
    ada.visitor.press(action="sign-out")
    ada.visitor.press(email="bob@example.com")
    ada.visitor.press(code=mails[-1][1])
    page = ada.come_back(state)

    assert (bob != ada.id, page.status) == (True, 400)
    assert "signed in as somebody else now" in page.body
    assert connections() == []


def test_an_installation_of_somebody_else_is_not_connected(ada: Admin) -> None:
    other = ada.github.install("other", "secrets")
    state = ada.begin()
    page = ada.come_back(state, to=other.id)

    assert page.status == 400
    assert "have access to this installation" in page.body
    assert connections() == []


@pytest.mark.parametrize("role", [None, "member", "billing_manager"])
def test_who_reads_one_repository_does_not_connect_the_account(ada: Admin, role: str | None) -> None:
    state = ada.begin()
    page = ada.come_back(state, code=ada.github.code_for(ada.acme, role=role))

    assert page.status == 400
    assert "Only an owner of acme can connect it" in page.body
    assert connections() == []


@pytest.mark.parametrize(("role", "status"), [("admin", 200), (None, 400)])
def test_a_persons_account_is_connected_by_that_person_alone(
    ada: Admin, role: str | None, status: int
) -> None:
    ada.acme.kind = "User"
    state = ada.begin()

    assert ada.come_back(state, code=ada.github.code_for(ada.acme, role=role)).status == status
    assert len(connections()) == (status == 200)


def test_somebody_who_is_an_admin_no_more_connects_nothing(ada: Admin) -> None:
    state = ada.begin()
    items.update(
        PersonRecord.key_for(ada.id),
        "SET organizations.#o.#role = :member",
        names={"#o": ada.organization, "#role": "role"},
        values={":member": "member"},
    )

    assert ada.come_back(state).status == 403
    assert connections() == []


def test_a_member_cannot_begin(sign_in: SignIn, organization: NewOrganization) -> None:
    make_person(organization.organization_id, role="member", name="Max", email="max@example.com")

    assert "Only an admin can connect services" in sign_in("max@example.com").page.body


def test_another_organization_cannot_be_chosen(ada: Admin, other_organization: NewOrganization) -> None:
    assert ada.visitor.press(organization=other_organization.organization_id).status == 200
    assert table.of_kind("CONNECT") == []


def test_a_form_of_another_page_begins_nothing(ada: Admin) -> None:
    fields = {"csrf": "0" * 64, "organization": ada.organization}

    assert ada.visitor.send("/v1/connect/codehost", fields).status == 403


def test_what_the_service_refuses_connects_nothing(ada: Admin, services: Services) -> None:
    for problem in ("code=never-given", "error=access_denied", "code=x&setup_action=request"):
        state = ada.begin()
        page = ada.visitor.open(
            f"/v1/connect/codehost/callback?state={state}&installation_id={ada.acme.id}&{problem}"
        )
        assert page.status == 400, problem
    services.fail(path="access_token", said=Said(503))
    state = ada.begin()

    assert ada.come_back(state, code="code").status == 400
    assert connections() == []


def test_an_app_that_nobody_set_up_says_so() -> None:
    for app in ("tracker", "chatmirror"):
        page = Visitor().open(f"/v1/connect/{app}")
        assert page.status == 400
        assert "not set up" in page.body
    assert Visitor().open("/v1/connect/other").status == 404


def test_connecting_again_replaces_the_tokens_and_keeps_one_connection(ada: Admin, workers: Workers) -> None:
    for _ in range(2):
        state = ada.begin()
        assert ada.come_back(state).status == 200
    workers.run()

    assert len(connections()) == 1
    assert len([item for item in table.everything() if item["PK"].endswith("#TOKENS")]) == 1


def test_no_role_but_an_admins_removes_a_connection(
    connect_codehost: Callable[..., object],
    acme: Installation,
    admin: Client,
    member: Client,
    stranger: Client,
    workers: Workers,
) -> None:
    connect_codehost(acme)

    assert member.delete("/v1/integrations/codehost").code == "forbidden"
    assert stranger.delete("/v1/integrations/codehost").code == "codehost_not_connected"
    refused = admin.delete("/v1/integrations/codehost?account=other")
    assert refused.code == "codehost_not_connected"
    assert refused.body["error"]["message"] == (
        "No connected account of GitHub has this name. Connected: acme."
    )
    assert admin.delete("/v1/integrations/other").code == "integration_not_found"
    assert admin.delete("/v1/integrations/codehost?account=ACME").status == 200
    workers.run()
    assert connections() == []
    assert [item for item in table.everything() if item["PK"].endswith("#TOKENS")] == []
    for app in ("chatmirror", "chatcommunity", "tracker", "codehost"):
        assert admin.delete(f"/v1/integrations/{app}").code == f"{app}_not_connected"


@for_each(
    ("app", "service", "method", "path", "body"),
    [
        ("chatmirror", "Slack", "PATCH", "chatmirror", {"enabled": True}),
        ("chatcommunity", "Discord", "GET", "chatcommunity", None),
        ("tracker", "Linear", "PATCH", "tracker", {"team": "ENG"}),
        ("codehost", "The GitHub account that owns the repository", "POST", "repos", {"repo": "acme/docs"}),
    ],
)
def test_what_needs_a_connection_says_where_an_admin_makes_one(
    admin: Client, app: str, service: str, method: str, path: str, body: object
) -> None:
    assert admin.request(method, f"/v1/integrations/{path}", body).message == (
        f"{service} isn't connected. Ask an admin to open {integrations.BASE_URL}/v1/connect/{app} in a browser, "
        f"or to run `helpdesk integrations connect {app}`."
    )


def test_no_response_shows_a_token_or_a_secret(
    ada: Admin,
    api: Client,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    workers: Workers,
) -> None:
    state = ada.begin()
    page = ada.come_back(state)
    workers.run()

    known = credentials.of(App.GITHUB)
    assert known is not None
    secrets = [known["client_secret"], known["hook_secret"], known["private_key"], "ghu_", "ghs_"]
    shown = [page.body, str(api.get("/v1/integrations").body), str(api.get("/v1/logs").body)]
    shown += [caplog.text, capsys.readouterr().out]
    assert [secret for secret in secrets for text in shown if secret in text] == []


def connections() -> list[dict[str, object]]:
    """Return the items of all connections."""
    return [item for item in table.everything() if item["SK"].startswith("CONNECTION#codehost")]


def test_of_several_connections_to_an_account_one_that_works_and_then_the_newest_has_its_repositories(
    organization: NewOrganization, github: CodeHost, connect_codehost: Callable[..., Connection]
) -> None:
    first, second, third = (github.install("acme") for _ in range(3))
    at, made = now_us(), []
    with frozen(lambda: at):
        for installation in (second, third, first):
            made.append(connect_codehost(installation))
            at += 1_000_000

    def owner() -> str | None:
        found = account_lookup.owner_of(organization.organization_id, "acme/docs")
        return None if found is None else found.account_id

    assert owner() == str(first.id)
    for each in (made[2], made[0]):
        service.mark_broken(each, "The GitHub App was uninstalled on this account.")
    assert owner() == str(third.id)
    service.mark_broken(made[1], "The GitHub App was uninstalled on this account.")
    assert owner() == str(first.id)
    service.mark_working(made[0])
    assert owner() == str(second.id)
