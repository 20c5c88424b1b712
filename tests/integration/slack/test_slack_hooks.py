"""What Slack sends: v0 signatures of the last five minutes, the challenge, and repetitions."""

import json
from urllib.parse import parse_qs, urlencode

import pytest

from helpdesk.integrations.adapter import Hook
from helpdesk.integrations.record import Connection
from helpdesk.integrations.slack import receiver
from helpdesk.platform import clock
from scripts.services import chatmirror_hooks as hooks
from scripts.services.chatmirror import ChatMirror, Workspace
from tests.support import table
from tests.support.integrations import Send
from tests.support.rules import for_each

CHANGED = {"type": "channel_archive", "channel": "C1", "user": "U1", "event_ts": "1.1"}
_MESSAGE = {
    "type": "message",
    "user": "U1",
    "text": "Hello",
    "ts": "1.2",
    "event_ts": "1.2",
    "channel": "C1",
    "channel_type": "channel",
}
_HIDDEN = {
    "type": "message",
    "hidden": True,
    "ts": "1.2",
    "event_ts": "1.2",
    "channel": "C1",
    "channel_type": "channel",
    "previous_message": {"thread_ts": "1.1"},
}


def test_slacks_challenge_is_answered(slack: ChatMirror, send: Send) -> None:
    body = json.dumps({"token": "t", "challenge": "3eZbrw1aB1", "type": "url_verification"})
    answer = send(slack.signed(body, "application/json", slack.clock()))

    assert (answer.status, answer.body) == (200, {"challenge": "3eZbrw1aB1"})


@for_each("seconds", [-301, 302])
def test_a_signature_older_or_newer_than_five_minutes_is_refused(
    slack: ChatMirror, acme: Workspace, send: Send, seconds: int
) -> None:
    at = clock.now_ms() / 1_000 + seconds

    assert send(slack.event(acme, CHANGED, at=at)).code == "invalid_signature"


def test_a_signature_of_five_minutes_ago_is_taken(slack: ChatMirror, acme: Workspace, send: Send) -> None:
    assert send(slack.event(acme, CHANGED, at=clock.now_ms() / 1_000 - 299)).status == 200


def test_a_signature_of_another_version_or_time_is_refused(
    slack: ChatMirror, acme: Workspace, send: Send
) -> None:
    headers, body = slack.event(acme, CHANGED)
    signature = headers["x-slack-signature"]
    attempts = [
        ({**headers, "x-slack-signature": signature.removeprefix("v0=")}, body),
        ({**headers, "x-slack-signature": signature.replace("v0=", "v1=")}, body),
        ({**headers, "x-slack-request-timestamp": str(int(slack.clock()) + 1)}, body),
        ({**headers, "x-slack-request-timestamp": "1e9"}, body),
        ({**headers, "x-slack-request-timestamp": "\u0661"}, body),
    ]

    assert {send(each).code for each in attempts} == {"invalid_signature"}
    assert table.of_kind("HOOK") == []


def test_an_event_that_slack_sends_again_is_queued_once(
    slack: ChatMirror, acme: Workspace, send: Send
) -> None:
    for _ in range(3):
        assert send(slack.event(acme, CHANGED, event_id="Ev1")).status == 200

    assert len(table.of_kind("HOOK")) == 1


@for_each(
    "event",
    [
        _MESSAGE,
        {**_MESSAGE, "thread_ts": "1.2"},
        {**_MESSAGE, "thread_ts": "1.1", "bot_id": "B1"},
        {**_HIDDEN, "subtype": "message_changed", "message": {"thread_ts": "1.1"}},
        {**_HIDDEN, "subtype": "message_deleted", "deleted_ts": "1.1"},
    ],
)
def test_what_does_not_travel_queues_nothing(
    slack: ChatMirror, acme: Workspace, send: Send, event: dict[str, object]
) -> None:
    assert send(slack.event(acme, event)).status == 200
    assert table.of_kind("HOOK") == []


def test_a_person_who_enters_a_channel_queues_nothing(slack: ChatMirror, acme: Workspace, send: Send) -> None:
    assert send(hooks.joined(slack, acme, acme.named("support"), "U1")).status == 200
    assert table.of_kind("HOOK") == []


def test_an_event_that_is_not_subscribed_to_queues_nothing(
    slack: ChatMirror, acme: Workspace, send: Send
) -> None:
    _, body = slack.event(acme, CHANGED)
    other = body.replace("channel_archive", "channel_history_changed")

    assert send(slack.signed(other, "application/json", slack.clock())).status == 200
    assert table.of_kind("HOOK") == []


def test_a_message_without_text_is_read_as_an_empty_one(slack: ChatMirror, acme: Workspace) -> None:
    without = {name: value for name, value in _MESSAGE.items() if name != "text"}
    headers, body = slack.event(acme, {**without, "thread_ts": "1.1"})
    received = receiver.read(Hook(headers, body.encode()))

    assert (received.event, received.data["message"], received.data["text"]) == (receiver.MESSAGE, "1.2", "")


@for_each(
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


@for_each(
    ("authorizations", "account"),
    [
        ([{"team_id": "T1", "user_id": "UBOT"}], "T1"),
        ([{"team_id": None, "user_id": "UBOT"}], "T9"),
        ([], "T9"),
        (None, "T9"),
    ],
)
def test_an_event_of_a_shared_channel_is_of_the_workspace_that_the_app_is_installed_in(
    slack: ChatMirror, acme: Workspace, authorizations: object, account: str
) -> None:
    headers, body = slack.event(acme, CHANGED)
    sent = {**json.loads(body), "team_id": "T9", "authorizations": authorizations}

    assert receiver.read(Hook(headers, json.dumps(sent).encode())).account_id == account


@pytest.fixture
def click(slack: ChatMirror, acme: Workspace) -> tuple[dict[str, str], str]:
    """A click of a button in a thread."""
    label = {"type": "plain_text", "text": "Take over"}
    button = {"type": "button", "action_id": "take_over", "value": "conv_1", "text": label}
    message = {"ts": "1.5", "thread_ts": "1.1", "blocks": [{"type": "actions", "elements": [button]}]}
    now = int(slack.clock())
    slack.clock = lambda: now + 0.000_007
    return slack.click(acme, acme.named("support"), message, "U7", "take_over")


def changed(click: tuple[dict[str, str], str], **what: object) -> Hook:
    """Return a click of another form."""
    headers, body = click
    payload = {**json.loads(parse_qs(body)["payload"][0]), **what}
    return Hook(headers, urlencode({"payload": json.dumps(payload)}).encode())


def test_a_click_is_read_from_its_form(
    slack: ChatMirror, acme: Workspace, click: tuple[dict[str, str], str]
) -> None:
    headers, body = click
    received = receiver.read(Hook(headers, body.encode()))

    assert (received.event, received.account_id) == (receiver.CLICK, acme.id)
    assert received.data == {
        "click": received.delivery_id,
        "action": "take_over",
        "value": "conv_1",
        "user": "U7",
        "at": f"{int(slack.clock())}.000007",
        "channel": acme.named("support").id,
        "message": "1.5",
        "thread": "1.1",
    }


def test_a_click_is_in_the_thread_of_its_message_where_its_container_names_none(
    click: tuple[dict[str, str], str],
) -> None:
    container = {"type": "message", "message_ts": "1.5", "channel_id": "C1", "is_ephemeral": False}

    assert receiver.read(changed(click, container=container)).data["thread"] == "1.1"
    alone = changed(click, container=container, message={"type": "message", "ts": "1.5"})
    assert receiver.read(alone).data["thread"] == "1.5"
    assert receiver.read(changed(click, container=container, message=None)).data["thread"] == "1.5"


def test_a_click_that_names_no_workspace_is_nobodys(click: tuple[dict[str, str], str]) -> None:
    assert receiver.read(changed(click, team=None)).account_id is None


def test_a_workspace_that_nobody_connected_does_nothing(
    connection: Connection, slack: ChatMirror, send: Send
) -> None:
    assert send(slack.event(slack.workspace("Other"), CHANGED)).status == 200
