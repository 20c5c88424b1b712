"""What Slack sends: v0 signatures of the last five minutes, the challenge, and repetitions."""

import json

import pytest

from helpdesk.chatmirror import receiver
from helpdesk.integrations.adapter import Hook
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from scripts.services.chatmirror import ChatMirror, Workspace
from tests.support import table
from tests.support.integrations import Send

CHANGED = {"type": "channel_created", "channel": {"id": "C1", "name": "new", "created": 1}}


def test_slacks_challenge_is_answered(slack: ChatMirror, send: Send) -> None:
    body = json.dumps({"token": "t", "challenge": "3eZbrw1aB1", "type": "url_verification"})
    answer = send(slack.signed(body, "application/json", slack.clock()))

    assert (answer.status, answer.body) == (200, {"challenge": "3eZbrw1aB1"})


@pytest.mark.parametrize("seconds", [-301, 302])
def test_a_signature_older_or_newer_than_five_minutes_is_refused(
    slack: ChatMirror, acme: Workspace, send: Send, seconds: int
) -> None:
    at = clock.now_ms() / 1_000 + seconds

    assert send(slack.event(acme, CHANGED, at=at)).code == "invalid_signature"


def test_a_signature_of_five_minutes_ago_is_taken(slack: ChatMirror, acme: Workspace, send: Send) -> None:
    assert send(slack.event(acme, CHANGED, at=clock.now_ms() / 1_000 - 299)).status == 200


def test_forged_requests_are_refused(slack: ChatMirror, acme: Workspace, send: Send) -> None:
    headers, body = slack.event(acme, CHANGED)
    signature = headers["x-slack-signature"]
    attempts = [
        ({**headers, "x-slack-signature": signature.removeprefix("v0=")}, body),
        ({**headers, "x-slack-signature": signature.replace("v0=", "v1=")}, body),
        ({**headers, "x-slack-signature": "v0=" + "0" * 64}, body),
        ({**headers, "x-slack-signature": ""}, body),
        (headers, f"{body} "),
        ({**headers, "x-slack-request-timestamp": str(int(slack.clock()) + 1)}, body),
        ({**headers, "x-slack-request-timestamp": "1e9"}, body),
        ({**headers, "x-slack-request-timestamp": "\u0661"}, body),
        slack.signed(body, "application/json", slack.clock(), "another secret"),
    ]

    assert {send(each).code for each in attempts} == {"invalid_signature"}
    assert table.of_kind("HOOK") == []


def test_an_event_that_slack_sends_again_is_queued_once(
    slack: ChatMirror, acme: Workspace, send: Send
) -> None:
    for _ in range(3):
        assert send(slack.event(acme, CHANGED, event_id="Ev1")).status == 200

    assert len(table.of_kind("HOOK")) == 1


@pytest.mark.parametrize(
    "event",
    [
        {"type": "reaction_added", "user": "U1"},
        {"type": "member_joined_channel", "user": "U1", "channel": "C1"},
        {"type": "message", "user": "U1", "text": "in the channel", "ts": "1.1", "channel": "C1"},
        {"type": "message", "user": "U1", "text": "first", "ts": "1.1", "thread_ts": "1.1", "channel": "C1"},
        {
            "type": "message",
            "bot_id": "B1",
            "user": "U1",
            "text": "x",
            "ts": "1.2",
            "thread_ts": "1.1",
            "channel": "C1",
        },
        {"type": "message", "subtype": "message_changed", "channel": "C1", "ts": "1.2", "message": {}},
        {"type": "message", "subtype": "message_deleted", "channel": "C1", "ts": "1.2", "deleted_ts": "1.1"},
    ],
)
def test_what_does_not_travel_queues_nothing(
    slack: ChatMirror, acme: Workspace, send: Send, event: dict[str, object]
) -> None:
    assert send(slack.event(acme, event)).status == 200
    assert table.of_kind("HOOK") == []


@pytest.mark.parametrize(
    ("body", "content_type", "code"),
    [
        ("{", "application/json", "invalid_json"),
        ("[]", "application/json", "invalid_request"),
        ('{"type": "event_callback"}', "application/json", "invalid_request"),
        (
            '{"type": "event_callback", "event": 3, "event_id": "E", "event_time": 1}',
            "application/json",
            "invalid_request",
        ),
        ("payload=%7B", "application/x-www-form-urlencoded", "invalid_json"),
        (
            "payload=%7B%22type%22%3A%22block_actions%22%7D",
            "application/x-www-form-urlencoded",
            "invalid_request",
        ),
    ],
)
def test_a_signed_request_of_another_form_is_refused(
    slack: ChatMirror, send: Send, body: str, content_type: str, code: str
) -> None:
    answer = send(slack.signed(body, content_type, slack.clock()))

    assert (answer.status, answer.code) == (400, code)


def test_a_click_is_read_from_its_form(slack: ChatMirror, acme: Workspace) -> None:
    button = {"type": "button", "action_id": "take_over", "value": "conv_1", "text": {}}
    message = {"ts": "1.5", "thread_ts": "1.1", "blocks": [{"type": "actions", "elements": [button]}]}
    headers, body = slack.click(acme, acme.named("support"), message, "U7", "take_over")
    received = receiver.read(Hook(headers, body.encode()))

    assert (received.event, received.account_id) == (receiver.CLICK, acme.id)
    assert received.data == {
        "click": received.delivery_id,
        "action": "take_over",
        "value": "conv_1",
        "user": "U7",
        "channel": acme.named("support").id,
        "message": "1.5",
        "thread": "1.1",
    }


def test_a_workspace_that_nobody_connected_does_nothing(
    connection: Connection, slack: ChatMirror, send: Send
) -> None:
    assert send(slack.event(slack.workspace("Other"), CHANGED)).status == 200
