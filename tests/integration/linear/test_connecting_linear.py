"""Connecting a workspace of Linear, its tokens, and their end."""

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.integration_jobs import App
from helpdesk.integrations import credentials, repository
from helpdesk.integrations import service as integrations
from helpdesk.integrations.adapter import Authorization, Callback
from helpdesk.integrations.errors import ConnectFailed, Revoked, TryLater
from helpdesk.integrations.linear import connector, service
from helpdesk.integrations.linear.api import LINEAR
from helpdesk.integrations.linear.worker import LinearAdapter
from helpdesk.integrations.record import AppCredentials, Connection, Tokens
from helpdesk.mail import service as mail
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from scripts.services import tracker as fake
from scripts.services.server import Said, Services
from scripts.services.tracker import Tracker, Workspace
from tests.support.api import Client
from tests.support.integrations import set_app
from tests.support.people import make_person
from tests.support.visitor import Visitor
from tests.support.workers import Workers

APP = AppCredentials(App.LINEAR, fake.credentials())
CALLBACK = "/v1/connect/tracker/callback"
BACK = f"https://support.example.com{CALLBACK}"
VERIFIER, CHALLENGE = (  # RFC 7636, appendix B
    "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
)
DAY_US = 86_400_000_000


def came_back(code: str, verifier: str = VERIFIER) -> Callback:
    """Return what the browser brings back."""
    return Callback({"code": code}, BACK, verifier)


def test_the_page_asks_for_the_app_to_act_as_itself() -> None:
    leads_to = urlsplit(connector.authorize_url(APP, Authorization("a-state", BACK, CHALLENGE)))

    assert f"{leads_to.scheme}://{leads_to.netloc}{leads_to.path}" == "https://linear.app/oauth/authorize"
    assert parse_qs(leads_to.query) == {
        "client_id": [APP["client_id"]],
        "redirect_uri": [BACK],
        "response_type": ["code"],
        "scope": ["read,write"],
        "state": ["a-state"],
        "code_challenge": [CHALLENGE],
        "code_challenge_method": ["S256"],
        "actor": ["app"],
        "prompt": ["consent"],
    }


def test_a_code_becomes_the_workspace_and_tokens_that_last_a_day(linear: Tracker, acme: Workspace) -> None:
    before = clock.now_ms()
    found = connector.connect(APP, came_back(linear.code_for(acme, CHALLENGE)))

    assert (found.account_id, found.account) == (acme.id, "Acme")
    assert found.details == {"bot": acme.bot}
    assert found.tokens.values == {"access": next(iter(linear.tokens)), "refresh": next(iter(linear.refresh))}
    assert found.tokens.ends_at is not None
    assert before + 86_399_000 <= found.tokens.ends_at <= clock.now_ms() + 86_399_000


def test_a_code_is_used_once_and_with_the_verifier_of_its_challenge(linear: Tracker, acme: Workspace) -> None:
    code = linear.code_for(acme, CHALLENGE)
    connector.connect(APP, came_back(code))

    with pytest.raises(ConnectFailed, match="invalid or has expired"):
        connector.connect(APP, came_back(code))
    with pytest.raises(ConnectFailed, match="invalid or has expired"):
        connector.connect(APP, came_back(linear.code_for(acme, CHALLENGE), "another verifier"))


@pytest.mark.parametrize(
    ("app", "scopes", "said"),
    [
        ({"client_secret": "another"}, "read write", "Ask the operator"),
        ({}, "read", "didn't grant the permissions write"),
    ],
)
def test_what_stands_in_the_way_is_said(
    linear: Tracker, acme: Workspace, app: dict[str, str], scopes: str, said: str
) -> None:
    linear.scopes = scopes

    with pytest.raises(ConnectFailed, match=said):
        connector.connect(
            AppCredentials(App.LINEAR, fake.credentials() | app), came_back(linear.code_for(acme))
        )


@pytest.mark.parametrize(
    "said", [Said(500), Said(200, {"token": "of another form"}), Said(400, {"error": "x"})]
)
def test_an_answer_of_another_form_connects_nothing(
    linear: Tracker, acme: Workspace, services: Services, said: Said
) -> None:
    services.fail("POST", "/oauth/token", said=said)

    with pytest.raises(TryLater):
        connector.connect(APP, came_back(linear.code_for(acme)))


@pytest.fixture
def visitor(organization: NewOrganization, monkeypatch: pytest.MonkeyPatch) -> Visitor:
    """An admin's browser, on the page that begins."""
    make_person(organization.organization_id, role="admin", name="Ada Admin", email="ada@example.com")
    codes: list[str] = []
    monkeypatch.setattr(mail, "send_code", lambda _email, code, _minutes: codes.append(code))
    browser = Visitor()
    browser.open("/v1/connect/tracker")
    browser.press(email="ada@example.com")
    browser.press(code=codes[-1])
    return browser


def begin(visitor: Visitor, organization: NewOrganization) -> tuple[str, str]:
    """Go to Linear; return the state and the challenge."""
    visitor.open("/v1/connect/tracker")
    leads_to = visitor.press(organization=organization.organization_id).headers["location"]
    query = parse_qs(urlsplit(leads_to).query)
    return query["state"][0], query["code_challenge"][0]


def test_what_people_and_linear_call_things_is_shown_without_effect(
    visitor: Visitor, organization: NewOrganization, linear: Tracker, acme: Workspace, api: Client
) -> None:
    acme.name = "<script>alert(1)</script>\x1b[31m\u202e" + "x" * 500
    state, _ = begin(visitor, organization)
    refused = visitor.open(f"{CALLBACK}?state={state}&error=x&error_description=%3Cscript%3E")
    state, challenge = begin(visitor, organization)
    page = visitor.open(f"{CALLBACK}?state={state}&code={linear.code_for(acme, challenge)}")

    assert (refused.status, page.status) == (400, 200)
    for shown in (refused, page):
        assert "<script>" not in shown.body
        policy = shown.headers["content-security-policy"]
        assert policy.startswith("default-src 'none';")
        assert "frame-ancestors 'none'" in policy
        assert (shown.headers["cache-control"], shown.headers["referrer-policy"]) == (
            "no-store",
            "no-referrer",
        )
    [row] = [each for each in api.get("/v1/integrations").body["integrations"] if each["app"] == "tracker"]
    assert row["account"] == ("<script>alert(1)</script>[31m" + "x" * 500)[:100]
    assert "\x1b" not in str(api.get("/v1/logs").body)


def test_a_workspace_of_another_form_is_said_on_a_page(
    visitor: Visitor, organization: NewOrganization, linear: Tracker, acme: Workspace, services: Services
) -> None:
    state, challenge = begin(visitor, organization)
    services.fail("POST", "/graphql", said=Said(200, {"data": {"viewer": None, "organization": None}}))
    page = visitor.open(f"{CALLBACK}?state={state}&code={linear.code_for(acme, challenge)}")

    assert page.status == 400
    assert "Linear did not respond in time. Nothing was connected." in page.body


def test_scopes_may_come_as_a_list(linear: Tracker, acme: Workspace) -> None:
    linear.scopes = ["read", "write"]  # type: ignore[assignment] # both forms are in use

    assert connector.connect(APP, came_back(linear.code_for(acme))).account == "Acme"


def test_tokens_are_renewed_before_they_end_and_the_new_refresh_token_is_kept(
    linear: Tracker, connection: Connection, services: Services
) -> None:
    first = LINEAR.open(connection).tokens
    began_at = clock.now_us()
    for days in (1, 2):
        with clock.frozen(partial(int, began_at + days * DAY_US)):
            renewed = LINEAR.open(connection).tokens
            assert renewed != first
            assert LINEAR.open(connection).tokens == renewed
            first = renewed

    stored = credentials.connection_tokens.find(connection.organization, connection.id)
    assert stored is not None
    assert stored.tokens == first
    assert len(services.said_to("POST", "/oauth/token")) == 2


def test_a_refresh_token_that_linear_no_longer_takes_breaks_the_connection(
    linear: Tracker, acme: Workspace, connection: Connection, api: Client
) -> None:
    linear.revoke(acme)
    at = clock.now_us() + DAY_US
    with clock.frozen(lambda: at), pytest.raises(Revoked, match="/v1/connect/tracker"):
        LINEAR.open(connection)


def test_a_renewal_without_an_answer_is_tried_again_with_the_same_token(
    linear: Tracker, connection: Connection, services: Services
) -> None:
    services.fail("POST", "/oauth/token", said=Said(503))
    at = clock.now_us() + DAY_US
    with clock.frozen(lambda: at):
        with pytest.raises(TryLater):
            LINEAR.open(connection)
        assert LINEAR.open(connection).tokens.ends_at is not None


def test_a_token_that_ended_as_another_worker_renewed_it_breaks_nothing(
    linear: Tracker, acme: Workspace, connection: Connection, api: Client
) -> None:
    account = LINEAR.open(connection)
    renewed = Tokens(linear.tokens_for(acme), clock.now_ms() + DAY_MS)
    stored = credentials.connection_tokens.get(connection.organization, connection.id)
    credentials.replace_tokens(stored, renewed)
    del linear.tokens[account.tokens.values["access"]]

    assert service.refresh_directory(account) == "listed"
    assert [team["key"] for team in api.get("/v1/integrations/tracker").body["teams"]] == ["ENG"]


def test_a_client_secret_that_linear_does_not_accept_is_the_operators_to_enter(
    linear: Tracker, connection: Connection
) -> None:
    set_app(App.LINEAR, {**fake.credentials(), "client_secret": "an old one"})
    credentials.forget()
    at = clock.now_us() + DAY_US
    with clock.frozen(lambda: at):
        with pytest.raises(Revoked, match="operator"):
            LINEAR.open(connection)
        set_app(App.LINEAR, fake.credentials())
        at += 11_000_000
        assert LINEAR.open(connection).tokens.ends_at is not None


def test_a_removed_connection_ends_at_linear_too_unless_another_organization_uses_the_workspace(
    linear: Tracker,
    acme: Workspace,
    connection: Connection,
    connect: Callable[..., Connection],
    other_organization: Any,
    admin: Client,
    workers: Workers,
) -> None:
    other = connect(acme, other_organization.organization_id)
    assert admin.delete("/v1/integrations/tracker").status == 200
    workers.run()
    assert linear.tokens != {}
    assert credentials.connection_tokens.find(connection.organization, connection.id) is None
    assert credentials.connection_tokens.find(other.organization, other.id) is not None

    again = connect(acme)
    integrations.remove(other.organization, App.LINEAR, None, "Olga Other")
    admin.delete("/v1/integrations/tracker")
    workers.run()
    assert linear.tokens == {}
    assert repository.connections.find(again.organization, App.LINEAR, again.slot) is None


def test_a_connection_whose_token_has_ended_is_forgotten_at_linear_too(
    linear: Tracker, connection: Connection, admin: Client, workers: Workers
) -> None:
    linear.tokens.clear()  # they last a day, and nothing was asked for since
    assert admin.delete("/v1/integrations/tracker").status == 200
    at = clock.now_us() + DAY_US
    with clock.frozen(lambda: at):
        workers.run()

    assert (linear.tokens, linear.refresh) == ({}, {})


def test_connecting_breaking_and_mending_are_in_the_log(
    linear: Tracker, acme: Workspace, connection: Connection, connect: Callable[..., Connection], api: Client
) -> None:
    integrations.mark_broken(connection, "It was removed.")
    [broken] = integrations.connections(connection.organization, App.LINEAR)
    LinearAdapter().on_connect(broken)

    kinds = [each["kind"] for each in api.get("/v1/logs").body["logs"]]
    assert kinds[:2] == ["integration_mended", "integration_broken"]
