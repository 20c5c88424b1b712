"""The part of Slack's description refuses what Slack's types do, so that comparing with it can fail."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from helpdesk.integrations.slack import receiver
from scripts import app_manifests
from scripts.services import chatmirror_hooks as hooks
from scripts.services.chatmirror import ChatMirror, Workspace
from scripts.services.server import Asked, Said
from tests.support.slack_description import EVENTS, description

REFUSED = Said(200, {"ok": False, "error": "channel_not_found"})
LABEL = {"type": "plain_text", "text": "Approve"}
BUTTON = {"type": "button", "text": LABEL, "action_id": "approve", "value": "apr_1", "style": "primary"}
SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "*Ada*", "verbatim": True}}
POSTED: dict[str, Any] = {
    "channel": "C1",
    "thread_ts": "1.1",
    "text": "Ada",
    "blocks": [SECTION, {"type": "actions", "elements": [BUTTON]}],
    "metadata": {"event_type": "helpdesk_entry", "event_payload": {"id": "msg_1"}},
    "parse": "none",
    "unfurl_links": False,
}
MESSAGE = {"type": "message", "user": "U1", "text": "Hello", "ts": "1.2", "thread_ts": "1.1"}


def post(said: Said = REFUSED, **change: Any) -> list[str]:
    """Return what is wrong about posting a message, and about the answer."""
    body = json.dumps({**POSTED, **change}).encode()
    return description().mismatches(Asked("POST", "slack.com", "/api/chat.postMessage", {}, {}, body), said)


def read(method: str, said: Said = REFUSED, **query: str) -> list[str]:
    """Return what is wrong about a call of a method that reads, and about the answer."""
    return description().mismatches(Asked("GET", "slack.com", f"/api/{method}", query, {}, b""), said)


def answered(**said: Any) -> Said:
    """Return an answer."""
    return Said(200, {"ok": True, **said})


@pytest.fixture
def slack() -> ChatMirror:
    """Slack."""
    return ChatMirror()


@pytest.fixture
def acme(slack: ChatMirror) -> Workspace:
    """A workspace with a channel."""
    return slack.workspace("Acme", "support")


def test_a_call_as_slack_describes_it_matches() -> None:
    assert post() == []
    assert read("conversations.history", channel="C1", limit="200", include_all_metadata="true") == []


@pytest.mark.parametrize(
    "change",
    [
        {"channel": 1},
        {"blocks": None},
        {"thread": "1.1"},
        {"parse": "nothing"},
        {"unfurl_links": "false"},
        {"metadata": {"type": "helpdesk_entry"}},
        {"metadata": {"event_type": "helpdesk_entry", "event_payload": {"id": None}}},
        {"blocks": [{"type": "sections", "text": SECTION["text"]}]},
        {"blocks": [{**SECTION, "text": "*Ada*"}]},
        {"blocks": [{"type": "actions", "elements": [{**BUTTON, "style": "red"}]}]},
        {"blocks": [{"type": "actions", "elements": [{**BUTTON, "text": "Approve"}]}]},
        {"blocks": [{"type": "actions"}]},
    ],
)
def test_arguments_of_another_form_do_not(change: dict[str, Any]) -> None:
    assert post(**change) != []


def test_a_query_of_another_form_does_not() -> None:
    assert read("conversations.history", limit="200") != []
    assert read("conversations.history", channel="C1", limit="many") != []
    assert read("conversations.history", channel="C1", include_all_metadata="True") != []
    assert read("conversations.histories", channel="C1") != []


def test_an_answer_of_another_form_does_not() -> None:
    user = {"id": "U1", "team_id": "T1", "profile": {"email": "ada@example.com"}}
    assert read("users.info", answered(user=user), user="U1") == []
    for said in (
        Said(200, {"ok": False}),
        Said(200, {"ok": "yes", "error": "none"}),
        answered(users=user),
        answered(user={**user, "deleted": "no"}),
        answered(user={**user, "profile": {"mail": "ada@example.com"}}),
    ):
        assert read("users.info", said, user="U1") != []
    assert post(answered(ts=1.2)) != []


def test_what_an_installation_answers_lacks_nothing() -> None:
    form = b"client_id=1.2&client_secret=s&code=c&redirect_uri=https%3A%2F%2Fexample.com"
    asked = Asked("POST", "slack.com", "/api/oauth.v2.access", {}, {}, form)
    always = {
        "app_id": "A1",
        "authed_user": {"id": "U1"},
        "team": {"id": "T1", "name": "Acme"},
        "enterprise": None,
        "is_enterprise_install": False,
    }

    assert description().mismatches(asked, answered(**always)) == []
    for name in always:
        less = {each: value for each, value in always.items() if each != name}
        assert description().mismatches(asked, answered(**less)) != []


def misfits(sent: tuple[Mapping[str, str], str], **event: Any) -> list[str]:
    """Return what is wrong about what is sent, with another event in it."""
    body = json.loads(sent[1])
    return description().misfits_of_body({**body, "event": {**body["event"], **event}})


def test_an_event_of_another_form_does_not(slack: ChatMirror, acme: Workspace) -> None:
    said = slack.said(acme, acme.named("support"), MESSAGE)
    made = hooks.created(slack, acme, acme.named("support"))
    assert (misfits(said), misfits(made)) == ([], [])

    assert misfits(said, type="messages") != []
    assert misfits(said, subtype="file_shared") != []
    assert misfits(said, channel_type="room") != []
    assert misfits(said, channel={"id": "C1"}) != []
    assert misfits(made, channel="C1") != []
    assert misfits(made, channel={"id": "C1", "name": "support"}) != []
    assert misfits(slack.event(acme, {**MESSAGE, "channel": "C1", "channel_type": "channel"})) != []
    assert (
        description().misfits_of_body({"type": "event_callback", "event": json.loads(said[1])["event"]}) != []
    )


def test_a_click_of_another_form_does_not() -> None:
    click = {
        "type": "block_actions",
        "team": {"id": "T1", "domain": "acme"},
        "user": {"id": "U1", "username": "ada"},
        "api_app_id": "A1",
        "token": "t",
        "container": {"type": "message", "message_ts": "1.2", "channel_id": "C1"},
        "trigger_id": "1.1",
        "response_url": "https://hooks.slack.com/actions/T1/1/once",
        "actions": [{"type": "button", "action_id": "a", "block_id": "b", "action_ts": "1.3", "text": LABEL}],
    }
    assert description().misfits_of_body(click) == []

    for name in click:
        less = {each: value for each, value in click.items() if each != name}
        assert description().misfits_of_body(less) != []
    assert description().misfits_of_body({**click, "team": {"id": "T1"}}) != []
    assert description().misfits_of_body({**click, "channel": "C1"}) != []


def test_the_apps_manifest_is_one_of_slacks() -> None:
    manifest = app_manifests.chatmirror("https://support.example.com", "Helpdesk")
    settings = manifest["settings"]
    assert description().misfits("manifest", manifest) == []

    subscribed = {**settings["event_subscriptions"], "bot_events": ["message.channel"]}
    for change in (
        {"oauth_config": {"scopes": {"bot": ["chat:writes"]}}},
        {"settings": {**settings, "event_subscriptions": subscribed}},
        {"settings": {**settings, "socket_mode": False}},
    ):
        assert description().misfits("manifest", {**manifest, **change}) != []


def test_the_events_that_are_described_are_those_that_the_receiver_reads() -> None:
    assert {name.partition(" ")[0] for name in EVENTS} == set(receiver.EVENTS)
