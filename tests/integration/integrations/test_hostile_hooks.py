"""What a service signs is never answered with a server error, whatever stands in it."""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlencode

import pytest

from helpdesk.events.integration_jobs import App
from scripts.services import chatcommunity, chatmirror, codehost, tracker
from scripts.services.chatcommunity import ChatCommunity
from scripts.services.chatmirror import ChatMirror
from scripts.services.codehost import CodeHost
from scripts.services.server import Services
from scripts.services.tracker import Tracker
from tests.support import integrations
from tests.support.api import Answer, Client

type Sent = tuple[dict[str, str], str]

DEEP = "[" * 100_000 + "]" * 100_000
UNREADABLE = [
    DEEP,
    "{",
    "NaN",
    "Infinity",
    "-Infinity",
    '{"type": 1e999}',
    " ",
    '{"a": ' + "9" * 5_000 + "}",
    "\x00",
]
VALUES = [
    "null", "true", "-1", "0.5", "9" * 400, '""', "{}", "[[]]", "[" * 150 + "]" * 150, '"\\ud800"',
    '"0001-01-01T00:00:00"', '"9999-12-31T23:59:59-23:59"', '"-0.000001"',
]  # fmt: skip
ITSELF = "\u0001the value\u0001"


class Signer(NamedTuple):
    """An event of a service, and what signs another body in its place."""

    app: App
    event: Any
    sign: Callable[[str], Sent]


@pytest.fixture
def services() -> Iterator[Services]:
    """No service: nothing is asked of one."""
    with Services() as running:
        yield running
    assert running.asked == []


def of_github(name: str, event: dict[str, Any]) -> Signer:
    """Return the signer of an event of GitHub."""
    integrations.set_app(App.GITHUB, codehost.credentials())
    github = CodeHost()
    repository = {"full_name": "acme/docs", "default_branch": "main", "pushed_at": 1_700_000_000, "id": 1}
    event = {"repository": repository, "installation": {"id": 1}, **event}

    def sign(body: str) -> Sent:
        headers, _ = github.hook(name, {})
        return {**headers, **github.sign(body)}, body

    return Signer(App.GITHUB, event, sign)


def pushes() -> Signer:
    """Return the signer of a push."""
    commit = {
        "id": "a" * 40,
        "message": "Fix",
        "url": "https://github.com/acme/docs",
        "author": {"name": "Ada"},
    }
    return of_github("push", {"ref": "refs/heads/main", "deleted": False, "commits": [commit]})


def pull_requests() -> Signer:
    """Return the signer of a pull request."""
    pull = {
        "number": 1, "title": "Fix", "html_url": "https://github.com/acme/docs/pull/1", "state": "open",
        "updated_at": "2026-01-01T00:00:00Z", "author_association": "MEMBER", "merged": False,
        "head": {"repo": {"id": 1}}, "base": {"repo": {"id": 1}}, "user": {"id": 6, "login": "mona", "type": "User"},
    }  # fmt: skip
    return of_github("pull_request", {"action": "opened", "pull_request": pull})


def issues() -> Signer:
    """Return the signer of an issue that was closed."""
    issue = {
        "number": 1,
        "state": "closed",
        "state_reason": "completed",
        "updated_at": "2026-01-01T00:00:00Z",
    }
    return of_github("issues", {"action": "closed", "issue": issue})


def slack_events() -> Signer:
    """Return the signer of a message in Slack."""
    integrations.set_app(App.SLACK, chatmirror.credentials())
    slack = ChatMirror()
    acme = slack.workspace("Acme", "support")
    message = {
        "type": "message",
        "user": "U1",
        "text": "Hi",
        "ts": "1.2",
        "thread_ts": "1.1",
        "channel": "C1",
    }
    _, body = slack.event(acme, {**message, "event_ts": "1.2"})
    return Signer(
        App.SLACK, json.loads(body), lambda text: slack.signed(text, "application/json", slack.clock())
    )


def slack_clicks() -> Signer:
    """Return the signer of a click in Slack, which is a form."""
    integrations.set_app(App.SLACK, chatmirror.credentials())
    slack = ChatMirror()
    acme = slack.workspace("Acme", "support")
    label = {"type": "plain_text", "text": "Take over"}
    button = {"type": "button", "action_id": "take_over", "value": "conv_1", "text": label}
    message = {"ts": "1.5", "thread_ts": "1.1", "blocks": [{"type": "actions", "elements": [button]}]}
    headers, body = slack.click(acme, acme.named("support"), message, "U7", "take_over")

    def sign(text: str) -> Sent:
        return slack.signed(urlencode({"payload": text}), headers["content-type"], slack.clock())

    return Signer(App.SLACK, json.loads(parse_qs(body)["payload"][0]), sign)


def discord_commands() -> Signer:
    """Return the signer of a command in Discord."""
    integrations.set_app(App.DISCORD, chatcommunity.credentials())
    discord = ChatCommunity()
    acme = discord.server("Acme", "general")
    _, body = discord.command(acme, acme.named("general"), "ask", "Where is it?")
    return Signer(App.DISCORD, json.loads(body), discord.signed)


def linear_events() -> Signer:
    """Return the signer of an issue that was moved in Linear."""
    integrations.set_app(App.LINEAR, tracker.credentials())
    linear = Tracker()
    acme = linear.workspace("Acme")
    _, body = linear.changed(acme, linear.add(acme, "Exports are cut"), {"stateId": "x"})
    return Signer(App.LINEAR, json.loads(body), lambda text: linear.hook({}, body=text))


SIGNERS = [pushes, pull_requests, issues, slack_events, slack_clicks, discord_commands, linear_events]


def answered(signer: Signer, body: str) -> Answer:
    """Send a signed body."""
    headers, sent = signer.sign(body)
    return Client(headers=headers).request("POST", f"/v1/hooks/{signer.app}", sent)


def variants(value: Any) -> Iterator[Any]:
    """Return a value with each of its parts, in turn, replaced by ITSELF."""
    yield ITSELF
    if isinstance(value, dict | list):
        for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
            for each in variants(inner):
                changed = value.copy()
                changed[key] = each
                yield changed


@pytest.mark.parametrize("made", SIGNERS)
def test_a_signed_body_that_is_no_json_object_is_refused(made: Callable[[], Signer]) -> None:
    signer = made()

    assert {answered(signer, body).status for body in [*UNREADABLE, "[]", "7", "null"]} == {400}


@pytest.mark.parametrize("made", SIGNERS)
def test_no_value_in_a_signed_event_is_a_server_error(made: Callable[[], Signer]) -> None:
    signer = made()
    texts = [json.dumps(each) for each in variants(signer.event)]
    assert answered(signer, json.dumps(signer.event)).status == 200

    wrong = {
        (text, value): answer.status
        for text in texts
        for value in VALUES
        if (answer := answered(signer, text.replace(json.dumps(ITSELF), value))).status not in {200, 400, 401}
    }

    assert wrong == {}


def test_a_signed_event_that_no_job_could_hold_is_refused() -> None:
    signer = pull_requests()
    signer.event["pull_request"]["title"] = ["x" * 500_000]

    answer = answered(signer, json.dumps(signer.event))

    assert (answer.status, answer.message) == (
        400,
        "The request does not have the form that GitHub describes.",
    )


def test_a_signed_form_with_more_fields_than_slack_sends_is_refused() -> None:
    integrations.set_app(App.SLACK, chatmirror.credentials())
    slack = ChatMirror()
    headers, body = slack.signed("a=b&" * 200, "application/x-www-form-urlencoded", slack.clock())

    assert Client(headers=headers).request("POST", f"/v1/hooks/{App.SLACK}", body).status == 400
