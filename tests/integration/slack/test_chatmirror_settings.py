"""Naming a channel: resolved against the directory that the worker keeps, with every code of the routes."""

import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from helpdesk.integrations import service as integrations
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from scripts.services import chatmirror_hooks as hooks
from scripts.services.chatmirror import ChatMirror, Workspace
from scripts.services.server import Said, Services
from tests.integration.slack.conftest import PATH
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.integrations import Send
from tests.support.rules import for_each
from tests.support.workers import Workers


@pytest.fixture
def listed(connection: Connection, admin: Client, workers: Workers) -> Connection:
    """A connection whose channels are known."""
    assert admin.patch(PATH, {"channel": "support"}).code == "mirror_bot_timeout"
    workers.run()
    return connection


def test_a_channel_that_is_renamed_has_its_new_name(
    listed: Connection, admin: Client, slack: ChatMirror, acme: Workspace, send: Send, workers: Workers
) -> None:
    admin.patch(PATH, {"channel": "support"})
    workers.run()
    channel = acme.named("support")
    channel.name = "help"
    later = clock.now_us() + 5_000_000
    with clock.frozen(lambda: later):
        send(hooks.renamed(slack, acme, channel, at=later / 1_000_000))
        workers.run()

    assert admin.get(PATH).body["channel"] == "help"


@pytest.mark.parametrize("name", ["support", "#support", " #Support "])
def test_a_channel_is_named_with_or_without_its_sign(
    listed: Connection, admin: Client, acme: Workspace, workers: Workers, name: str
) -> None:
    answer = admin.patch(PATH, {"channel": name})
    workers.run()

    assert (answer.status, answer.body) == (200, {"channel": "support"})
    assert admin.get(PATH).body == {"channel": "support", "enabled": True, "mode": "alerts", "problem": None}
    assert acme.bot in acme.named("support").members


@pytest.mark.parametrize("name", ["stra\u00dfe", "\u03c0\u03b5\u03bb\u03ac\u03c4\u03b5\u03c2", "caf\u00e9"])
@pytest.mark.parametrize("written", [str, str.upper, partial(unicodedata.normalize, "NFD")])
def test_a_channel_is_found_by_its_name_in_any_script(
    connection: Connection,
    admin: Client,
    slack: ChatMirror,
    acme: Workspace,
    workers: Workers,
    name: str,
    written: Callable[[str], str],
) -> None:
    slack.channel(acme, name)
    admin.patch(PATH, {"channel": "support"})
    workers.run()
    wanted = written(name) if written(name).lower() != "strasse" else name

    assert admin.patch(PATH, {"channel": wanted}).body == {"channel": name}


def test_only_what_is_sent_changes(listed: Connection, admin: Client) -> None:
    admin.patch(PATH, {"channel": "support", "mode": "two_way"})
    assert admin.patch(PATH, {"enabled": False}).body == {"channel": "support"}
    assert admin.patch(PATH, {"channel": "general"}).body == {"channel": "general"}
    assert admin.patch(PATH, {}).body == {"channel": "general"}

    assert admin.get(PATH).body == {
        "channel": "general",
        "enabled": False,
        "mode": "two_way",
        "problem": None,
    }


def test_a_change_is_in_the_log(listed: Connection, admin: Client) -> None:
    admin.patch(PATH, {"channel": "support", "enabled": True, "mode": "two_way"})

    [entry] = [each for each in admin.get("/v1/logs").body["logs"] if each["kind"] == "integration_changed"]
    assert entry["actor"] == "Ada Admin"
    assert entry["summary"] == "Slack (Acme) was set to the channel #support, mirroring on, the mode two_way."


def test_a_name_that_matches_nothing_lists_what_exists(listed: Connection, admin: Client) -> None:
    answer = admin.patch(PATH, {"channel": "#suport"})

    assert (answer.status, answer.code) == (404, "channel_not_found")
    assert "#general, #support" in answer.body["error"]["message"]


@for_each("name", ["a#b", "x" * 129, "#", "\u200b"])
def test_text_that_is_no_name_is_not_found(listed: Connection, admin: Client, name: str) -> None:
    assert admin.patch(PATH, {"channel": name}).code == "channel_not_found"


def test_a_mirror_without_a_channel_is_not_switched_on(listed: Connection, admin: Client) -> None:
    answer = admin.patch(PATH, {"enabled": True})

    assert answer.code == "channel_not_found"
    assert "#support" in answer.body["error"]["message"]


def test_a_channel_that_was_added_meanwhile_is_found_with_the_next_try(
    listed: Connection, admin: Client, slack: ChatMirror, acme: Workspace, workers: Workers, send: Send
) -> None:
    new = slack.channel(acme, "new")
    acme.channels.pop(acme.named("general").id)
    send(hooks.created(slack, acme, new, at=slack.clock() + 2))
    workers.run()

    assert admin.patch(PATH, {"channel": "new"}).status == 200
    assert admin.patch(PATH, {"channel": "general"}).code == "channel_not_found"


def test_a_private_channel_takes_an_invitation_first(
    listed: Connection, admin: Client, slack: ChatMirror, acme: Workspace, workers: Workers, send: Send
) -> None:
    secret = slack.channel(acme, "secret", private=True)
    assert admin.patch(PATH, {"channel": "secret"}).code == "channel_not_found"

    secret.members.add(acme.bot)
    send(hooks.joined(slack, acme, secret, acme.bot, at=slack.clock() + 2))
    workers.run()

    assert "#secret" not in admin.patch(PATH, {"channel": "sekret"}).message
    assert admin.patch(PATH, {"channel": "secret"}).status == 200
    workers.run()
    assert admin.get(PATH).body["problem"] is None


def test_a_channel_that_keeps_the_bot_out_says_so(
    listed: Connection, admin: Client, acme: Workspace, workers: Workers
) -> None:
    acme.named("support").keeps_out = True
    assert admin.patch(PATH, {"channel": "support"}).status == 200
    workers.run()

    assert "restricted_action" in admin.get(PATH).body["problem"]
    answer = admin.patch(PATH, {"channel": "support"})
    assert (answer.status, answer.code) == (400, "mirror_act_failed")

    acme.named("support").keeps_out = False
    workers.run()
    assert admin.patch(PATH, {"channel": "support"}).status == 200
    assert admin.get(PATH).body["problem"] is None


def test_a_workspace_that_removed_the_app_is_offline(listed: Connection, admin: Client) -> None:
    integrations.mark_broken(listed, "The app was removed.")

    assert admin.patch(PATH, {"channel": "support"}).code == "mirror_bot_offline"
    assert admin.get(PATH).body["problem"] == "The app was removed."
    assert admin.patch(PATH, {"mode": "alerts"}).status == 200


def test_a_listing_that_fails_is_repeated_and_the_caller_asked_to_wait(
    connection: Connection, admin: Client, services: Services, workers: Workers
) -> None:
    services.fail(path="conversations.list", said=Said(429, {"ok": False}, headers={"retry-after": "30"}))
    admin.patch(PATH, {"channel": "support"})
    workers.run()

    assert admin.patch(PATH, {"channel": "support"}).code == "mirror_bot_timeout"


def test_many_channels_come_in_pages(
    connection: Connection,
    admin: Client,
    slack: ChatMirror,
    acme: Workspace,
    services: Services,
    workers: Workers,
) -> None:
    slack.page = 20
    for number in range(60):
        slack.channel(acme, f"team-{number:02d}")
    admin.patch(PATH, {"channel": "x"})
    workers.run()

    answer = admin.patch(PATH, {"channel": "x"})
    assert answer.code == "channel_not_found"
    assert answer.body["error"]["message"].endswith("#team-37 and others.")
    assert admin.patch(PATH, {"channel": "team-59"}).status == 200
    assert len(services.said_to("GET", "conversations.list")) == 4


def test_a_workspace_that_is_not_connected(admin: Client) -> None:
    assert admin.get(PATH).code == "chatmirror_not_connected"
    assert admin.patch(PATH, {"enabled": False}).code == "chatmirror_not_connected"


def test_another_workspace_has_no_channel_of_the_one_before(
    listed: Connection, admin: Client, slack: ChatMirror, connect: Callable[..., Any]
) -> None:
    admin.patch(PATH, {"channel": "support", "mode": "two_way"})
    admin.delete("/v1/integrations/chatmirror")
    connect(slack.workspace("Other", "support"))

    assert admin.get(PATH).body == {"channel": None, "enabled": False, "mode": "two_way", "problem": None}


@for_each("body", [{"channel": 3}, {"mode": "both"}, {"enabled": "yes"}, {"chanel": "x"}])
def test_a_body_of_another_form_is_refused(listed: Connection, admin: Client, body: dict[str, Any]) -> None:
    assert admin.patch(PATH, body).code == "invalid_request"


def test_what_the_routes_cost(listed: Connection, api: Client) -> None:
    with recorded_calls() as calls:
        api.get(PATH)
    assert len(calls) == 3

    with recorded_calls() as calls:
        api.patch(PATH, {"channel": "support"})
    assert len(calls) == 6

    with recorded_calls() as calls:
        api.patch(PATH, {"channel": "unknown"})
    assert len(calls) == 6
