"""What nothing could be posted about is posted once that works again: each answer and alert once, without an event."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.integrations import service as integrations
from helpdesk.integrations.discord.worker import DiscordAdapter
from helpdesk.integrations.record import Connection
from scripts.services.chatcommunity import ChatCommunity
from scripts.services.community import EVERYTHING, VIEW, Channel, Response, Server
from scripts.services.server import Said, Services
from tests.integration.discord.conftest import PATH
from tests.support import table
from tests.support.api import Client
from tests.support.workers import Workers

pytestmark = pytest.mark.usefixtures("quick")

type TypeIn = Callable[..., Response]


@pytest.fixture
def workers() -> Workers:
    """The service behind the API. Its agent has no knowledge, and hands every question to the team."""
    return Workers("search", "suggestion", "timer")


@pytest.fixture
def staff(listed: Connection, admin: Client, acme: Server, workers: Workers) -> Channel:
    """The channel of alerts."""
    assert admin.patch(PATH, {"channel": "staff"}).status == 200
    workers.run()
    channel = acme.named("staff")
    channel.messages.clear()
    return channel


@pytest.fixture
def asked(acme: Server, type_in: TypeIn, connection: Connection, api: Client) -> str:
    """The id of a conversation that somebody began in the server."""
    type_in(acme.named("general"), "ask", "Where is my order?")
    [found] = api.get("/v1/conversations").body["conversations"]
    return str(found["id"])


def noted() -> list[str]:
    """Return what is noted as missed."""
    return [each["SK"] for each in table.everything() if "#MISSED#" in each["PK"]]


def reply(admin: Client, conversation: str, body: str) -> None:
    """Let a teammate answer."""
    answer = admin.post(f"/v1/conversations/{conversation}/reply", {"body": body, "takeOver": True})
    assert answer.status == 200


def answers(acme: Server) -> list[str]:
    """Return what the team said in the one thread."""
    [thread] = acme.threads()
    texts = [each.partition("\n")[2] for each in thread.texts() if "**Ada Admin**" in each]
    return [each for each in texts if each]


def test_replies_while_the_bot_was_out_of_the_server_come_when_it_is_back(
    acme: Server,
    asked: str,
    admin: Client,
    workers: Workers,
    connect: Callable[..., Connection],
    connection: Connection,
) -> None:
    acme.has_bot = False
    reply(admin, asked, "1")
    workers.run()
    reply(admin, asked, "2")
    workers.run()
    assert answers(acme) == []
    assert admin.get("/v1/integrations").body["integrations"][2]["status"] == "broken"
    assert len(noted()) == 1

    acme.has_bot = True
    DiscordAdapter().on_connect(connect(acme))
    workers.run()

    assert answers(acme) == ["1", "2"]
    assert noted() == []
    system = [
        each["body"]
        for each in api_thread(admin, asked)
        if each["kind"] == "system" and "Discord did not take" in each["body"]
    ]
    assert system == []  # nothing was left out


def test_replies_while_the_server_was_disconnected_come_when_it_is_connected_again(
    acme: Server, asked: str, admin: Client, workers: Workers, connect: Callable[..., Connection]
) -> None:
    assert admin.delete("/v1/integrations/chatcommunity").status == 200
    workers.run()
    reply(admin, asked, "Here it is.")
    workers.run()
    assert not acme.has_bot
    assert answers(acme) == []

    acme.has_bot = True
    DiscordAdapter().on_connect(connect(acme))
    workers.run()

    assert answers(acme) == ["Here it is."]
    assert noted() == []


def test_a_token_that_discord_refuses_for_a_while_loses_no_reply(
    acme: Server,
    asked: str,
    admin: Client,
    workers: Workers,
    connection: Connection,
    discord: ChatCommunity,
) -> None:
    token, discord.bot_token = discord.bot_token, "another token"
    reply(admin, asked, "Here it is.")
    workers.run()
    discord.bot_token = token
    DiscordAdapter().on_connect(
        integrations.connection(connection.organization, connection.app)
    )  # as each night
    workers.run()

    assert answers(acme) == ["Here it is."]


def test_an_alert_that_the_channel_refused_comes_once_it_takes_messages(
    staff: Channel, api: Client, admin: Client, workers: Workers
) -> None:
    staff.granted = VIEW
    api.post("/v1/messages", {"session": "a session of Vera", "body": "I want a human"})
    workers.run()
    assert "50013" in admin.get(PATH).body["problem"]
    assert len(noted()) == 1

    staff.granted = EVERYTHING
    assert (
        admin.patch(PATH, {"channel": "staff"}).code == "chatcommunity_act_failed"
    )  # which tries the channel
    workers.run()

    assert [each.partition("\n")[0] for each in staff.texts()] == [
        "A person is wanted (the visitor asked for a person)."
    ]
    assert admin.get(PATH).body["problem"] is None
    assert noted() == []


def test_an_alert_that_was_missed_does_not_come_when_nobody_is_wanted_any_more(
    staff: Channel, api: Client, admin: Client, workers: Workers
) -> None:
    staff.granted = VIEW
    sent = api.post("/v1/messages", {"session": "a session of Vera", "body": "I want a human"})
    workers.run()
    assert admin.post(f"/v1/conversations/{sent.body['conversationId']}/resolve").status == 200
    workers.run()

    staff.granted = EVERYTHING
    admin.patch(PATH, {"channel": "staff"})
    workers.run()

    assert staff.texts() == []
    assert noted() == []


def test_an_alert_that_gets_through_ends_the_problem(
    staff: Channel, api: Client, admin: Client, workers: Workers, services: Services
) -> None:
    refusal = Said(403, {"message": "Missing Permissions", "code": 50013})
    services.fail("POST", f"/channels/{staff.id}/messages", said=refusal, left=9)
    api.post("/v1/messages", {"session": "a session of Vera", "body": "I want a human"})
    workers.run()
    assert admin.get(PATH).body["problem"] is not None
    services.faults.clear()
    api.post("/v1/messages", {"session": "a session of Otto", "body": "I want a human"})
    workers.run()

    assert admin.get(PATH).body["problem"] is None
    assert len(staff.messages) == 2  # with the one that was refused


def api_thread(admin: Client, conversation: str) -> list[dict[str, Any]]:
    """Return the messages of a conversation, as the team reads them."""
    found: list[dict[str, Any]] = admin.get(f"/v1/conversations/{conversation}").body["messages"]
    return found
