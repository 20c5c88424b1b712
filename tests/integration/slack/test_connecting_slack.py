"""Connecting a workspace: what the admin's browser brings back, and what Slack says when the app is removed."""

from collections.abc import Callable
from copy import replace
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import credentials, repository
from helpdesk.integrations import service as integrations
from helpdesk.integrations.adapter import Authorization, Callback
from helpdesk.integrations.errors import ConnectFailed, OutcomeUnknown
from helpdesk.integrations.record import AppCredentials, Connection, Tokens
from helpdesk.integrations.slack import connector
from helpdesk.storage.transactions import Transaction
from scripts.services import chatmirror as fake
from scripts.services import chatmirror_hooks as hooks
from scripts.services.chatmirror import ChatMirror, Workspace
from scripts.services.chatmirror_hooks import Sent
from scripts.services.server import Said, Services
from tests.support.api import Client
from tests.support.integrations import Send
from tests.support.workers import Workers

APP = AppCredentials(App.SLACK, fake.credentials())
BACK = "https://support.example.com/v1/connect/chatmirror/callback"


def came_back(code: str) -> Callback:
    """Return what the browser brings back."""
    return Callback({"code": code}, BACK, "verifier")


def test_the_page_asks_for_what_the_bot_may_do() -> None:
    leads_to = urlsplit(connector.authorize_url(APP, Authorization("a-state", BACK, "challenge")))

    assert f"{leads_to.scheme}://{leads_to.netloc}{leads_to.path}" == "https://slack.com/oauth/v2/authorize"
    assert parse_qs(leads_to.query) == {
        "client_id": ["1.2"],
        "scope": [fake.SCOPES],
        "redirect_uri": [BACK],
        "state": ["a-state"],
    }


def test_a_code_becomes_the_workspace_and_the_bots_token(slack: ChatMirror, acme: Workspace) -> None:
    found = connector.connect(APP, came_back(slack.code_for(acme)))

    assert (found.account_id, found.account) == (acme.id, "Acme")
    assert found.details == {"bot": acme.bot, "appId": fake.APP_ID}
    assert list(found.tokens.values.values()) == list(slack.tokens)
    assert found.tokens.ends_at is None


@pytest.mark.parametrize(
    "may", [{"is_admin": True}, {"is_owner": True}, {}, {"is_admin": True, "team_id": "T9"}]
)
def test_only_an_admin_or_owner_of_the_workspace_connects_it(
    slack: ChatMirror, acme: Workspace, may: dict[str, Any]
) -> None:
    person = slack.person(acme, "Eve", "eve@example.com")
    acme.people[person] |= may
    callback = came_back(slack.code_for(acme, person))

    if len(may) == 1:
        assert connector.connect(APP, callback).account_id == acme.id
    else:
        with pytest.raises(ConnectFailed, match="admin or owner of the workspace"):
            connector.connect(APP, callback)


def test_a_person_whom_slack_does_not_show_connects_nothing(slack: ChatMirror, acme: Workspace) -> None:
    with pytest.raises(ConnectFailed, match="admin or owner of the workspace"):
        connector.connect(APP, came_back(slack.code_for(acme, "U404")))


def test_an_organization_reads_in_its_log_that_another_one_connected_its_workspace(
    connection: Connection,
    other_organization: Any,
    workers: Workers,
    api: Client,
    stranger: Client,
    acme: Workspace,
) -> None:
    other = replace(connection, organization=other_organization.organization_id, id="conn_other")
    transaction = Transaction()
    repository.put(transaction, other, None)
    credentials.put_tokens(transaction, other, Tokens({"token": "xoxb"}))
    integrations.add_connected(transaction, other)
    transaction.commit()
    workers.run()

    said = "Slack (Acme): another organization connected it, too."
    assert [each["summary"] for each in api.get("/v1/logs?kind=integration_changed").body["logs"]] == [said]
    assert stranger.get("/v1/logs?kind=integration_changed").body["logs"] == []


def test_a_code_is_used_once(slack: ChatMirror, acme: Workspace) -> None:
    code = slack.code_for(acme)
    connector.connect(APP, came_back(code))

    with pytest.raises(ConnectFailed, match="invalid or has expired"):
        connector.connect(APP, came_back(code))


def test_an_app_without_a_permission_is_not_connected(slack: ChatMirror, acme: Workspace) -> None:
    slack.scopes = fake.SCOPES.replace("chat:write,", "")

    with pytest.raises(ConnectFailed, match="chat:write"):
        connector.connect(APP, came_back(slack.code_for(acme)))


def test_an_installation_in_a_whole_organization_is_not_connected(services: Services) -> None:
    services.fail(said=Said(200, {"ok": True, "team": None, "is_enterprise_install": True}))

    with pytest.raises(ConnectFailed, match="one workspace"):
        connector.connect(APP, came_back("code"))


def test_an_exchange_without_an_answer_can_be_begun_again(services: Services) -> None:
    services.fail(hangs_up=True)

    with pytest.raises(OutcomeUnknown):
        connector.connect(APP, came_back("code"))


def status(api: Client) -> dict[str, Any]:
    """Return the integration as it is listed."""
    rows = api.get("/v1/integrations").body["integrations"]
    found: dict[str, Any] = next(each for each in rows if each["app"] == "chatmirror")
    return found


@pytest.mark.parametrize("removal", [hooks.uninstalled, partial(hooks.tokens_revoked, bot=("U1",))])
def test_an_app_that_is_removed_breaks_the_connection(
    connection: Connection,
    slack: ChatMirror,
    acme: Workspace,
    api: Client,
    workers: Workers,
    send: Send,
    removal: Callable[..., Sent],
) -> None:
    assert send(removal(slack, acme, at=connection.connected_at / 1_000 + 1)).status == 200
    workers.run()

    assert status(api)["status"] == "broken"
    assert "connect it again" in status(api)["problem"]


def test_a_removal_before_the_connection_was_made_breaks_nothing(
    connection: Connection, slack: ChatMirror, acme: Workspace, api: Client, workers: Workers, send: Send
) -> None:
    send(hooks.uninstalled(slack, acme, at=connection.connected_at / 1_000 - 60))
    workers.run()

    assert status(api)["status"] == "connected"


def test_the_revoked_token_of_a_person_breaks_nothing(
    connection: Connection, slack: ChatMirror, acme: Workspace, api: Client, workers: Workers, send: Send
) -> None:
    send(hooks.tokens_revoked(slack, acme, people=("U1",)))
    workers.run()

    assert status(api)["status"] == "connected"


def test_a_disconnected_workspace_gets_its_token_back(
    connection: Connection, slack: ChatMirror, api: Client, workers: Workers
) -> None:
    assert api.delete("/v1/integrations/chatmirror").status == 200
    workers.run()

    assert set(slack.tokens) == slack.revoked
    assert repository.connections.all(connection.organization) == []


def test_a_workspace_of_two_organizations_keeps_its_token_until_the_last_leaves(
    connection: Connection,
    connect: Any,
    slack: ChatMirror,
    acme: Workspace,
    api: Client,
    workers: Workers,
    other_organization: Any,
) -> None:
    connect(acme, other_organization.organization_id)
    api.delete("/v1/integrations/chatmirror")
    workers.run()

    assert slack.revoked == set()


def test_a_workspace_that_another_one_replaces_gets_its_token_back(
    connection: Connection, connect: Any, slack: ChatMirror, workers: Workers
) -> None:
    former = set(slack.tokens)
    connect(slack.workspace("Other", "support"))
    workers.run()

    assert slack.revoked == former


def test_a_workspace_that_is_connected_again_keeps_its_token(
    connection: Connection, connect: Any, slack: ChatMirror, acme: Workspace, workers: Workers
) -> None:
    connect(acme)
    workers.run()

    assert slack.revoked == set()
