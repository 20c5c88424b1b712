"""What Discord sends: Ed25519 signatures of the last five minutes, pings, and commands that are answered at once."""

import json
from typing import Any

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import credentials
from helpdesk.integrations.adapter import Hook
from helpdesk.integrations.discord import receiver
from helpdesk.platform import clock
from scripts.services import chatcommunity as fake
from scripts.services.chatcommunity import ChatCommunity
from scripts.services.community import EVERYTHING, Server
from tests.support import integrations, table
from tests.support.integrations import Send
from tests.support.rules import for_each


def test_a_ping_is_answered_with_a_pong(discord: ChatCommunity, send: Send) -> None:
    answer = send(discord.ping())

    assert (answer.status, answer.body) == (200, {"type": 1})
    assert table.of_kind("HOOK") == []


def test_a_question_is_answered_in_public_and_a_closing_to_one_person(
    discord: ChatCommunity, acme: Server, send: Send
) -> None:
    general = acme.named("general")

    assert send(discord.command(acme, general, "ask", "Where is it?")).body == {"type": 5}
    assert send(discord.command(acme, general, "close")).body == {"type": 5, "data": {"flags": 64}}
    assert len(table.of_kind("HOOK")) == 2


@for_each("seconds", [-301, 302])
def test_a_signature_older_or_newer_than_five_minutes_is_refused(
    discord: ChatCommunity, acme: Server, send: Send, seconds: int
) -> None:
    at = clock.now_ms() / 1_000 + seconds

    assert send(discord.command(acme, acme.named("general"), "close", at=at)).code == "invalid_signature"


def test_a_signature_of_five_minutes_ago_is_taken(discord: ChatCommunity, acme: Server, send: Send) -> None:
    at = clock.now_ms() / 1_000 - 299

    assert send(discord.command(acme, acme.named("general"), "close", at=at)).status == 200


def test_a_signature_of_another_time_is_refused(discord: ChatCommunity, acme: Server, send: Send) -> None:
    headers, body = discord.command(acme, acme.named("general"), "ask", "Where is it?")
    sent_at = headers["x-signature-timestamp"]
    attempts = [({**headers, "x-signature-ed25519": "g" * 128}, body)]
    attempts += [
        ({**headers, "x-signature-timestamp": each}, body)
        for each in ("", str(int(sent_at) + 1), "1e9", "\u0661", f"{sent_at} ", f"-{sent_at}")
    ]

    assert {send(each).code for each in attempts} == {"invalid_signature"}
    assert table.of_kind("HOOK") == []


def test_a_public_key_that_was_entered_wrongly_lets_nobody_in(discord: ChatCommunity, send: Send) -> None:
    integrations.set_app(App.DISCORD, {**fake.credentials(), "public_key": "no key"})
    credentials.forget()

    assert send(discord.ping()).code == "invalid_signature"


def test_a_command_that_is_sent_again_is_queued_once(
    discord: ChatCommunity, acme: Server, send: Send
) -> None:
    command = discord.command(acme, acme.named("general"), "ask", "Where is it?")
    for _ in range(3):
        assert send(command).body == {"type": 5}

    assert len(table.of_kind("HOOK")) == 1


@for_each(
    ("change", "said"),
    [
        ({"guild_id": None}, "in a server"),
        ({"data": {"name": "other"}}, "not known"),
        ({"type": 3}, "not known"),
        ({"type": "2"}, "not known"),
    ],
)
def test_what_is_no_command_of_a_server_is_answered_to_one_person(
    discord: ChatCommunity, acme: Server, send: Send, change: dict[str, Any], said: str
) -> None:
    _, body = discord.command(acme, acme.named("general"), "close")
    answer = send(discord.signed(json.dumps({**json.loads(body), **change})))

    assert answer.status == 200
    assert answer.body["type"] == 4
    assert answer.body["data"]["flags"] == 64
    assert said in answer.body["data"]["content"]
    assert table.of_kind("HOOK") == []


@for_each(
    ("body", "code"),
    [
        ("{", "invalid_json"),
        ("[]", "invalid_request"),
        ('{"type": 2}', "invalid_request"),
        ('{"type": 2, "data": 3}', "invalid_request"),
        ('{"type": 2, "data": {"name": "ask"}, "guild_id": "1", "member": {}}', "invalid_request"),
    ],
)
def test_a_signed_request_of_another_form_is_refused(
    discord: ChatCommunity, send: Send, body: str, code: str
) -> None:
    answer = send(discord.signed(body))

    assert (answer.status, answer.code) == (400, code)


def test_a_command_is_read_without_more_of_the_person_than_is_needed(
    discord: ChatCommunity, acme: Server
) -> None:
    headers, body = discord.command(acme, acme.named("general"), "ask", "Where is it?", may=1 << 34)
    received = receiver.read(Hook(headers, body.encode()))

    assert (received.event, received.account_id, received.delivery_id) == (
        "ask",
        acme.id,
        received.data["interaction"],
    )
    assert received.data == {
        "interaction": received.delivery_id,
        "token": json.loads(body)["token"],
        "channel": {"id": acme.named("general").id, "type": 0, "name": "general"},
        "may": EVERYTHING,
        "locale": "en-US",
        "user": {
            "id": "200000000000000001",
            "username": "vera",
            "name": "Vera",
            "avatar": "a1b2c3",
            "may": 1 << 34,
        },
        "question": "Where is it?",
    }
