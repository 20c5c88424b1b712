"""Naming a channel and a role: resolved against the directory that the worker keeps, with every code of the routes."""

from collections.abc import Callable
from functools import partial

import pytest

from helpdesk.integrations.discord.worker import DiscordAdapter
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from scripts.services import chatcommunity as fake
from scripts.services.chatcommunity import ChatCommunity
from scripts.services.community import FORUM, SEND, VIEW, VOICE, Server
from scripts.services.server import Services
from tests.integration.discord.conftest import PATH
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.rules import for_each
from tests.support.workers import Workers


@pytest.mark.parametrize("channel", ["staff", "#staff", " #Staff "])
def test_a_channel_and_a_role_are_named_with_or_without_their_signs(
    listed: Connection, admin: Client, acme: Server, workers: Workers, channel: str
) -> None:
    answer = admin.patch(PATH, {"channel": channel, "role": "@support"})
    workers.run()

    assert (answer.status, answer.body) == (200, {"channel": "staff", "role": "Support"})
    assert admin.get(PATH).body == {"channel": "staff", "role": "Support", "enabled": True, "problem": None}
    assert acme.named("staff").texts() == ["Alerts of Helpdesk appear in this channel."]


def test_only_what_is_sent_changes(listed: Connection, admin: Client) -> None:
    admin.patch(PATH, {"channel": "staff", "role": "Support"})
    assert admin.patch(PATH, {"enabled": False}).body == {"channel": "staff", "role": "Support"}
    assert admin.patch(PATH, {"channel": "general"}).body == {"channel": "general", "role": "Support"}
    assert admin.patch(PATH, {}).body == {"channel": "general", "role": "Support"}
    assert admin.get(PATH).body == {
        "channel": "general",
        "role": "Support",
        "enabled": False,
        "problem": None,
    }

    assert admin.patch(PATH, {"role": None}).body == {"channel": "general", "role": None}
    assert admin.get(PATH).body["role"] is None


def test_a_change_is_in_the_log(listed: Connection, admin: Client) -> None:
    admin.patch(PATH, {"channel": "staff", "role": "Support", "enabled": True})
    admin.patch(PATH, {"role": None})

    found = [each for each in admin.get("/v1/logs").body["logs"] if each["kind"] == "integration_changed"]
    assert {each["actor"] for each in found} == {"Ada Admin"}
    assert sorted(each["summary"] for each in found) == [
        "Discord (Acme) was set to the channel #staff, the role @Support, alerts on.",
        "Discord (Acme) was set to the role none.",
    ]


@for_each(
    ("body", "code", "listing"),
    [
        ({"channel": "#staf"}, "channel_not_found", "The channels are #general, #staff."),
        ({"role": "@admins"}, "role_not_found", "The roles are @Support."),
    ],
)
def test_a_name_that_matches_nothing_lists_what_exists(
    listed: Connection, admin: Client, body: dict[str, str], code: str, listing: str
) -> None:
    answer = admin.patch(PATH, body)

    assert (answer.status, answer.code) == (404, code)
    assert listing in answer.body["error"]["message"]


@for_each("name", ["a#b", "x" * 129, "#", "\u200b", "@everyone"])
def test_text_that_is_no_name_is_not_found(listed: Connection, admin: Client, name: str) -> None:
    assert admin.patch(PATH, {"channel": name}).code == "channel_not_found"
    assert admin.patch(PATH, {"role": name}).code == "role_not_found"


def test_a_name_that_two_have_asks_for_the_id(
    connection: Connection, discord: ChatCommunity, acme: Server, admin: Client
) -> None:
    other = discord.channel(acme, "staff")
    roles = [discord.role(acme, "mods") for _ in range(2)]
    DiscordAdapter().on_connect(connection)

    for body in ({"channel": "staff"}, {"role": "mods"}):
        answer = admin.patch(PATH, body)
        assert answer.status == 404
        assert (other.id if "channel" in body else roles[1]) in answer.body["error"]["message"]
    assert admin.patch(PATH, {"channel": other.id, "role": roles[1]}).body == {
        "channel": "staff",
        "role": "mods",
    }


def test_channels_without_messages_and_roles_of_bots_are_not_offered(
    connection: Connection, discord: ChatCommunity, acme: Server, admin: Client
) -> None:
    discord.channel(acme, "voice", VOICE)
    discord.channel(acme, "forum", FORUM)
    discord.channel(acme, "hidden", granted=0)
    discord.role(acme, "Helpdesk", managed=True)
    DiscordAdapter().on_connect(connection)

    for body in ({"channel": "voice"}, {"channel": "forum"}, {"channel": "hidden"}):
        assert admin.patch(PATH, body).code == "channel_not_found"
    assert admin.patch(PATH, {"role": "Helpdesk"}).code == "role_not_found"


def test_a_channel_that_was_added_meanwhile_is_found_with_the_next_try(
    listed: Connection, admin: Client, discord: ChatCommunity, acme: Server, workers: Workers
) -> None:
    discord.channel(acme, "new")
    with clock.frozen(partial(int, clock.now_us() + 61_000_000)):
        assert admin.patch(PATH, {"channel": "new"}).code == "channel_not_found"
        workers.run()
        assert admin.patch(PATH, {"channel": "new"}).status == 200


def test_a_listing_is_asked_for_once_a_minute(
    listed: Connection, admin: Client, workers: Workers, services: Services
) -> None:
    with clock.frozen(partial(int, clock.now_us() + 61_000_000)):
        for _ in range(5):
            admin.patch(PATH, {"channel": "unknown"})
        services.asked.clear()
        workers.run()

    assert len(services.said_to("GET", "/channels")) == 1


def test_alerts_without_a_channel_are_not_switched_on(listed: Connection, admin: Client) -> None:
    answer = admin.patch(PATH, {"enabled": True})

    assert answer.code == "channel_not_found"
    assert "#staff" in answer.body["error"]["message"]


def test_a_channel_that_keeps_the_bot_out_says_so(
    listed: Connection, admin: Client, acme: Server, workers: Workers
) -> None:
    acme.named("staff").granted = VIEW
    assert admin.patch(PATH, {"channel": "staff"}).status == 200
    workers.run()
    assert "50013" in admin.get(PATH).body["problem"]

    answer = admin.patch(PATH, {"channel": "staff"})
    assert (answer.status, answer.code) == (400, "chatcommunity_act_failed")

    acme.named("staff").granted = VIEW | SEND
    workers.run()
    assert admin.patch(PATH, {"channel": "staff"}).status == 200
    assert admin.get(PATH).body["problem"] is None


def test_a_role_whose_mention_notifies_nobody_is_refused(
    connection: Connection, discord: ChatCommunity, acme: Server, admin: Client
) -> None:
    discord.role(acme, "quiet", mentionable=False)
    DiscordAdapter().on_connect(connection)
    answer = admin.patch(PATH, {"role": "quiet"})

    assert (answer.status, answer.code) == (400, "chatcommunity_act_failed")
    assert "Allow anyone to @mention" in answer.body["error"]["message"]


def test_a_listing_that_is_refused_for_its_number_is_put_off(
    connection: Connection, admin: Client, services: Services, workers: Workers
) -> None:
    services.fail(path="/channels", said=fake.limited(30))
    assert admin.patch(PATH, {"channel": "staff"}).code == "chatcommunity_bot_timeout"
    workers.run()

    assert admin.patch(PATH, {"channel": "staff"}).code == "chatcommunity_bot_timeout"
    assert len(services.said_to("GET", "/channels")) == 1


def test_another_server_begins_without_the_channel_of_the_former(
    listed: Connection,
    connect: Callable[..., Connection],
    discord: ChatCommunity,
    admin: Client,
    workers: Workers,
) -> None:
    admin.patch(PATH, {"channel": "staff", "role": "Support"})
    DiscordAdapter().on_connect(connect(discord.server("Other", "lobby")))

    assert admin.get(PATH).body == {"channel": None, "role": None, "enabled": False, "problem": None}
    assert admin.patch(PATH, {"channel": "staff"}).code == "channel_not_found"
    assert admin.patch(PATH, {"channel": "lobby"}).status == 200


def test_another_organization_has_no_connection(listed: Connection, stranger: Client) -> None:
    assert stranger.get(PATH).code == "chatcommunity_not_connected"
    assert stranger.patch(PATH, {"channel": "staff"}).code == "chatcommunity_not_connected"


def test_what_the_routes_cost(listed: Connection, admin: Client) -> None:
    def cost(body: dict[str, object] | None) -> int:
        with recorded_calls() as calls:
            answer = admin.get(PATH) if body is None else admin.patch(PATH, body)
        assert answer.status == 200
        return len(calls)

    assert cost(None) == 4  # the token, admission, connection, settings
    assert cost({"channel": "staff", "role": "Support"}) == 7
    assert cost({"enabled": False}) == 5
