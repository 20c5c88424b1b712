"""Connecting an account in the browser: bound to the browser, the person and the organization, and used once."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.integration_jobs import App
from helpdesk.integrations import credentials, service
from helpdesk.integrations.github import account_lookup
from helpdesk.integrations.record import Connection
from helpdesk.platform.clock import frozen, now_us
from helpdesk.storage import keys
from helpdesk.storage import table as items
from scripts.services import tracker
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation
from scripts.services.server import Said, Services
from tests.support import integrations, table
from tests.support.api import Answer, Client
from tests.support.people import make_person
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


@pytest.fixture
def ada(organization: NewOrganization) -> str:
    """An admin of the organization."""
    return make_person(organization.organization_id, role="admin", name="Ada Admin", email=ADA)


@pytest.fixture
def acme(github: CodeHost) -> Installation:
    """An account with a repository."""
    return github.install("acme", "docs")


def begin(visitor: Visitor, organization: NewOrganization) -> tuple[str, str]:
    """Go to the service; return its address and the state."""
    answer = visitor.press(organization=organization.organization_id)
    assert answer.status == 303, answer.body
    leads_to = answer.headers["location"]
    return leads_to, parse_qs(urlsplit(leads_to).query)["state"][0]


def come_back(visitor: Visitor, state: str, code: str, installation: int) -> Answer:
    """Return from the service."""
    query = f"code={code}&installation_id={installation}&setup_action=install&state={state}"
    return visitor.open(f"/v1/connect/codehost/callback?{query}")


def test_an_admin_connects_an_account(
    sign_in: SignIn,
    ada: str,
    organization: NewOrganization,
    github: CodeHost,
    acme: Installation,
    services: Services,
    api: Client,
) -> None:
    visitor = sign_in(ADA)
    leads_to, state = begin(visitor, organization)
    page = come_back(visitor, state, github.code_for(acme), acme.id)

    assert leads_to.startswith(f"{services.url}/github.com/apps/helpdesk-test/installations/new?state=")
    assert page.status == 200
    assert "acme" in page.body
    [row] = [each for each in api.get("/v1/integrations").body["integrations"] if each["app"] == "codehost"]
    assert row == {
        "app": "codehost",
        "status": "connected",
        "account": "acme",
        "connectedAt": row["connectedAt"],
        "connectedBy": ada,
        "connectedByName": "Ada Admin",
        "problem": None,
    }
    assert [each["kind"] for each in api.get("/v1/logs").body["logs"]][:1] == ["integration_connected"]


def test_the_page_may_send_its_form_to_the_service(sign_in: SignIn, ada: str, services: Services) -> None:
    page = sign_in(ADA).page

    assert "Connect GitHub?" in page.body
    assert f"form-action 'self' {services.url};" in page.headers["content-security-policy"]


def test_a_state_is_used_once(
    sign_in: SignIn, ada: str, organization: NewOrganization, github: CodeHost, acme: Installation
) -> None:
    visitor = sign_in(ADA)
    _, state = begin(visitor, organization)
    come_back(visitor, state, github.code_for(acme), acme.id)

    assert come_back(visitor, state, github.code_for(acme), acme.id).status == 400
    assert (
        len(table.of_kind("TOKENS")) == 0 or len([i for i in table.everything() if "#TOKENS" in i["PK"]]) == 1
    )


def test_a_state_of_another_browser_connects_nothing(
    sign_in: SignIn, ada: str, organization: NewOrganization, github: CodeHost, acme: Installation
) -> None:
    _, state = begin(sign_in(ADA), organization)

    assert come_back(sign_in(ADA), state, github.code_for(acme), acme.id).status == 400
    assert come_back(Visitor(), state, github.code_for(acme), acme.id).status == 400
    assert connections() == []


def test_a_state_that_is_old_or_another_apps_connects_nothing(
    sign_in: SignIn, ada: str, organization: NewOrganization, github: CodeHost, acme: Installation
) -> None:
    integrations.set_app(App.TRACKER, tracker.credentials())
    visitor = sign_in(ADA)
    _, state = begin(visitor, organization)
    assert visitor.open(f"/v1/connect/tracker/callback?state={state}&code=x").status == 400
    visitor.open("/v1/connect/codehost")
    _, state = begin(visitor, organization)
    at = now_us() + 601_000_000
    with frozen(lambda: at):
        page = come_back(visitor, state, github.code_for(acme), acme.id)

    assert page.status == 400
    assert "Start again at /v1/connect/codehost" in page.body
    assert connections() == []


def test_another_admin_in_the_same_browser_connects_nothing(
    sign_in: SignIn,
    ada: str,
    organization: NewOrganization,
    github: CodeHost,
    acme: Installation,
    mails: Mails,
) -> None:
    bob = make_person(organization.organization_id, role="admin", name="Bob", email="bob@example.com")
    visitor = sign_in(ADA)
    _, state = begin(visitor, organization)
    visitor.open("/v1/connect/codehost")
    visitor.press(action="sign-out")
    visitor.press(email="bob@example.com")
    visitor.press(code=mails[-1][1])
    page = come_back(visitor, state, github.code_for(acme), acme.id)

    assert (bob != ada, page.status) == (True, 400)
    assert "signed in as somebody else now" in page.body
    assert connections() == []


def test_an_installation_of_somebody_else_is_not_connected(
    sign_in: SignIn, ada: str, organization: NewOrganization, github: CodeHost, acme: Installation
) -> None:
    other = github.install("other", "secrets")
    visitor = sign_in(ADA)
    _, state = begin(visitor, organization)
    page = come_back(visitor, state, github.code_for(acme), other.id)

    assert page.status == 400
    assert "have access to this installation" in page.body
    assert connections() == []


@pytest.mark.parametrize("role", [None, "member", "billing_manager"])
def test_who_reads_one_repository_does_not_connect_the_account(
    sign_in: SignIn,
    ada: str,
    organization: NewOrganization,
    github: CodeHost,
    acme: Installation,
    role: str | None,
) -> None:
    visitor = sign_in(ADA)
    _, state = begin(visitor, organization)
    page = come_back(visitor, state, github.code_for(acme, role=role), acme.id)

    assert page.status == 400
    assert "Only an owner of acme can connect it" in page.body
    assert connections() == []


@pytest.mark.parametrize(("role", "status"), [("admin", 200), (None, 400)])
def test_a_persons_account_is_connected_by_that_person_alone(
    sign_in: SignIn,
    ada: str,
    organization: NewOrganization,
    github: CodeHost,
    acme: Installation,
    role: str | None,
    status: int,
) -> None:
    acme.kind = "User"
    visitor = sign_in(ADA)
    _, state = begin(visitor, organization)

    assert come_back(visitor, state, github.code_for(acme, role=role), acme.id).status == status
    assert len(connections()) == (status == 200)


def test_somebody_who_is_an_admin_no_more_connects_nothing(
    sign_in: SignIn, ada: str, organization: NewOrganization, github: CodeHost, acme: Installation
) -> None:
    visitor = sign_in(ADA)
    _, state = begin(visitor, organization)
    items.update(
        keys.Person(ada),
        "SET organizations.#o.#role = :member",
        names={"#o": organization.organization_id, "#role": "role"},
        values={":member": "member"},
    )

    assert come_back(visitor, state, github.code_for(acme), acme.id).status == 403
    assert connections() == []


def test_a_member_cannot_begin(sign_in: SignIn, organization: NewOrganization) -> None:
    make_person(organization.organization_id, role="member", name="Max", email="max@example.com")

    assert "Only an admin can connect services" in sign_in("max@example.com").page.body


def test_another_organization_cannot_be_chosen(
    sign_in: SignIn, ada: str, other_organization: NewOrganization
) -> None:
    visitor = sign_in(ADA)

    assert visitor.press(organization=other_organization.organization_id).status == 200
    assert table.of_kind("CONNECT") == []


def test_a_form_of_another_page_begins_nothing(
    sign_in: SignIn, ada: str, organization: NewOrganization
) -> None:
    visitor = sign_in(ADA)
    fields = {"csrf": "0" * 64, "organization": organization.organization_id}

    assert visitor.send("/v1/connect/codehost", fields).status == 403


def test_what_the_service_refuses_connects_nothing(
    sign_in: SignIn, ada: str, organization: NewOrganization, acme: Installation, services: Services
) -> None:
    visitor = sign_in(ADA)
    for problem in ("code=never-given", "error=access_denied", "code=x&setup_action=request"):
        visitor.open("/v1/connect/codehost")
        _, state = begin(visitor, organization)
        page = visitor.open(
            f"/v1/connect/codehost/callback?state={state}&installation_id={acme.id}&{problem}"
        )
        assert page.status == 400, problem
    services.fail(path="access_token", said=Said(503))
    visitor.open("/v1/connect/codehost")
    _, state = begin(visitor, organization)

    assert come_back(visitor, state, "code", acme.id).status == 400
    assert connections() == []


def test_an_app_that_nobody_set_up_says_so() -> None:
    for app in ("tracker", "chatmirror"):
        page = Visitor().open(f"/v1/connect/{app}")
        assert page.status == 400
        assert "not set up" in page.body
    assert Visitor().open("/v1/connect/other").status == 404


def test_connecting_again_replaces_the_tokens_and_keeps_one_connection(
    sign_in: SignIn,
    ada: str,
    organization: NewOrganization,
    github: CodeHost,
    acme: Installation,
    workers: Workers,
) -> None:
    visitor = sign_in(ADA)
    for _ in range(2):
        visitor.open("/v1/connect/codehost")
        _, state = begin(visitor, organization)
        assert come_back(visitor, state, github.code_for(acme), acme.id).status == 200
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


@pytest.mark.parametrize(
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
    sign_in: SignIn,
    ada: str,
    organization: NewOrganization,
    github: CodeHost,
    acme: Installation,
    api: Client,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    workers: Workers,
) -> None:
    visitor = sign_in(ADA)
    _, state = begin(visitor, organization)
    page = come_back(visitor, state, github.code_for(acme), acme.id)
    workers.run()

    known = credentials.of(App.CODEHOST)
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
