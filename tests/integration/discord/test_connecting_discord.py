"""Connecting a server: what the admin's browser brings back, what is registered there, and what is left on leaving."""

import base64
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import repository
from helpdesk.integrations import service as integrations
from helpdesk.integrations.adapter import Authorization, Callback
from helpdesk.integrations.discord import connector
from helpdesk.integrations.discord.worker import DiscordAdapter
from helpdesk.integrations.errors import ConnectFailed, OutcomeUnknown, Revoked, TryLater
from helpdesk.integrations.record import AppCredentials, Connection
from helpdesk.platform import clock
from scripts.services import chatcommunity as fake
from scripts.services.chatcommunity import ChatCommunity
from scripts.services.community import Server
from scripts.services.server import Said, Services
from tests.integration.discord.conftest import PATH
from tests.support.api import Client
from tests.support.integrations import set_app
from tests.support.workers import Workers

APP = AppCredentials(App.DISCORD, fake.credentials())
BACK = "https://support.example.com/v1/connect/chatcommunity/callback"


def came_back(code: str) -> Callback:
    """Return what the browser brings back."""
    return Callback({"code": code, "guild_id": "1"}, BACK, "verifier")


def test_the_page_asks_for_what_the_bot_may_do() -> None:
    leads_to = urlsplit(connector.authorize_url(APP, Authorization("a-state", BACK, "challenge")))

    assert f"{leads_to.scheme}://{leads_to.netloc}{leads_to.path}" == "https://discord.com/oauth2/authorize"
    assert parse_qs(leads_to.query) == {
        "client_id": [fake.CLIENT_ID],
        "response_type": ["code"],
        "scope": ["applications.commands bot identify"],
        "permissions": ["309237713920"],
        "integration_type": ["0"],
        "redirect_uri": [BACK],
        "state": ["a-state"],
    }


def test_a_code_becomes_the_server_that_discord_names_and_no_token_is_kept(
    discord: ChatCommunity, acme: Server, services: Services
) -> None:
    found = connector.connect(APP, came_back(discord.code_for(acme)))

    assert (found.account_id, found.account) == (acme.id, "Acme")
    assert dict(found.tokens.values) == {}
    pair = services.asked[0].headers["authorization"].removeprefix("Basic ")
    assert base64.b64decode(pair).decode() == f"{fake.CLIENT_ID}:{fake.CLIENT_SECRET}"


def test_a_code_is_used_once(discord: ChatCommunity, acme: Server) -> None:
    code = discord.code_for(acme)
    connector.connect(APP, came_back(code))

    with pytest.raises(ConnectFailed, match="invalid or has expired"):
        connector.connect(APP, came_back(code))


def test_an_authorization_without_a_server_is_not_connected(services: Services) -> None:
    services.fail(said=Said(200, {"token_type": "Bearer", "access_token": "t", "scope": "identify"}))

    with pytest.raises(ConnectFailed, match="choose a server"):
        connector.connect(APP, came_back("code"))


def test_wrong_credentials_are_the_operators(services: Services) -> None:
    services.fail(said=Said(401, {"error": "invalid_client"}))

    with pytest.raises(ConnectFailed, match="Ask the operator"):
        connector.connect(APP, came_back("code"))


def test_an_exchange_without_an_answer_can_be_begun_again(services: Services) -> None:
    services.fail(hangs_up=True)

    with pytest.raises(OutcomeUnknown):
        connector.connect(APP, came_back("code"))


def test_a_new_connection_registers_the_commands_of_its_server(connection: Connection, acme: Server) -> None:
    for _ in range(2):
        assert DiscordAdapter().on_connect(connection) == "listed"

    assert [(each["name"], each["contexts"]) for each in acme.commands] == [("ask", [0]), ("close", [0])]
    [option] = acme.commands[0]["options"]
    assert (option["name"], option["required"], option["max_length"]) == ("question", True, 4_000)


def test_a_request_of_the_bot_says_who_sends_it(connection: Connection, services: Services) -> None:
    DiscordAdapter().on_connect(connection)

    sent = {(each.headers["authorization"], each.headers["user-agent"]) for each in services.asked}
    assert sent == {(f"Bot {fake.BOT_TOKEN}", "DiscordBot (https://support.example.com, 1.0)")}


def status(api: Client) -> dict[str, Any]:
    """Return the integration as it is listed."""
    rows = api.get("/v1/integrations").body["integrations"]
    found: dict[str, Any] = next(each for each in rows if each["app"] == "chatcommunity")
    return found


def kinds(api: Client) -> list[str]:
    """Return the kinds of the log's entries about integrations, oldest first."""
    found = [each["kind"] for each in api.get("/v1/logs").body["logs"]]
    return [each for each in reversed(found) if each.startswith("integration_")]


def test_a_bot_that_was_removed_breaks_the_connection_and_one_that_is_back_mends_it(
    listed: Connection, acme: Server, admin: Client, workers: Workers
) -> None:
    acme.has_bot = False
    assert admin.patch(PATH, {"channel": "unknown"}).code == "channel_not_found"
    with pytest.raises(Revoked, match="removed from the server"):
        DiscordAdapter().on_connect(listed)
    integrations.mark_broken(listed, "The bot was removed.")

    assert admin.patch(PATH, {"channel": "staff"}).code == "chatcommunity_bot_offline"
    assert admin.get(PATH).body["problem"] == "The bot was removed."
    assert admin.patch(PATH, {"enabled": False}).status == 200

    acme.has_bot = True
    [broken] = integrations.connections(listed.organization, App.DISCORD)
    DiscordAdapter().on_connect(broken)
    assert status(admin)["status"] == "connected"
    assert kinds(admin) == ["integration_broken", "integration_changed", "integration_mended"]


def test_a_token_of_the_bot_that_discord_refuses_is_the_operators_to_renew(
    connection: Connection, discord: ChatCommunity, admin: Client, workers: Workers
) -> None:
    discord.bot_token = "another one"
    assert admin.patch(PATH, {"channel": "staff"}).code == "chatcommunity_bot_timeout"
    workers.run()

    assert status(admin)["status"] == "broken"
    assert "Ask the operator" in status(admin)["problem"]


def test_a_token_of_the_bot_that_the_operator_renewed_is_read_again(
    connection: Connection, discord: ChatCommunity
) -> None:
    DiscordAdapter().on_connect(connection)
    discord.bot_token = "another one"
    set_app(App.DISCORD, {**fake.credentials(), "bot_token": "another one"})
    at = clock.now_us() + 11_000_000
    with clock.frozen(lambda: at):
        assert DiscordAdapter().on_connect(connection) == "listed"


def test_a_refusal_that_says_nothing_of_the_bot_is_tried_again(
    connection: Connection, services: Services
) -> None:
    services.fail(said=fake.error(403, 40006, "This feature has been temporarily disabled"))

    with pytest.raises(TryLater, match="40006"):
        DiscordAdapter().on_connect(connection)


def test_a_server_that_is_disconnected_is_left_without_commands(
    listed: Connection, acme: Server, admin: Client, workers: Workers
) -> None:
    DiscordAdapter().on_connect(listed)
    assert admin.delete("/v1/integrations/chatcommunity").status == 200
    workers.run()

    assert (acme.has_bot, acme.commands) == (False, [])
    assert repository.connections.all(listed.organization) == []
    assert kinds(admin)[-1] == "integration_removed"
    for answer in (admin.get(PATH), admin.patch(PATH, {"enabled": False}), admin.delete(PATH)):
        assert (answer.status, answer.code) == (400, "chatcommunity_not_connected")


def test_a_server_of_two_organizations_keeps_the_bot_until_the_last_leaves(
    connection: Connection,
    connect: Any,
    acme: Server,
    admin: Client,
    workers: Workers,
    other_organization: Any,
) -> None:
    connect(acme, other_organization.organization_id)
    admin.delete("/v1/integrations/chatcommunity")
    workers.run()

    assert acme.has_bot


def test_a_bot_that_is_gone_already_is_no_obstacle(
    connection: Connection, acme: Server, admin: Client, workers: Workers
) -> None:
    acme.has_bot = False
    assert admin.delete("/v1/integrations/chatcommunity").status == 200
    workers.run()

    assert repository.connections.all(connection.organization) == []
