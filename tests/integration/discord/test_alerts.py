"""Alerts that a person is wanted: once for each handoff and approval, in order, whatever is lost on the way."""

from functools import partial
from typing import Any

import pytest

from helpdesk.integrations import service as integrations
from helpdesk.integrations.discord import outgoing
from helpdesk.integrations.discord.api import DISCORD
from helpdesk.integrations.errors import TryLater
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from scripts.services import chatcommunity as fake
from scripts.services.chatcommunity import ChatCommunity
from scripts.services.community import VIEW, Channel, Server
from scripts.services.server import Services
from tests.integration.discord.conftest import PATH
from tests.support.api import Client
from tests.support.approvals import ask, conversation_of
from tests.support.aws import recorded_calls
from tests.support.workers import Workers


@pytest.fixture
def staff(listed: Connection, admin: Client, acme: Server, workers: Workers, services: Services) -> Channel:
    """The channel of alerts, which mention a role."""
    assert admin.patch(PATH, {"channel": "staff", "role": "Support"}).status == 200
    workers.run()
    channel = acme.named("staff")
    channel.messages.clear()
    services.asked.clear()
    return channel


def handed_off(api: Client, workers: Workers, body: str = "I want a human", who: str = "Vera") -> str:
    """Let a visitor write whom the agent hands to the team; return the conversation's id."""
    message = {"session": f"session of {who}", "body": body, "user": {"name": who}}
    conversation = str(api.post("/v1/messages", message).body["conversationId"])
    workers.run()
    return conversation


def run(connection: Connection, conversation: str, seconds: float = 0) -> str:
    """Do one job of the worker, some seconds later; return what became of it."""
    [found] = integrations.connections(connection.organization, connection.app)
    with clock.frozen(partial(int, clock.now_us() + int(seconds * 1_000_000))):
        return outgoing.follow(found, conversation, lambda: DISCORD.open(found))


@pytest.mark.usefixtures("quick")
def test_a_handoff_mentions_the_role(staff: Channel, acme: Server, api: Client, workers: Workers) -> None:
    conversation = handed_off(api, workers)

    [alert] = staff.messages
    role = acme.roles[1]["id"]
    lines = alert["content"].splitlines()
    assert lines[0].startswith(f"<@&{role}> A person is wanted")
    assert lines[1:] == [
        "**Vera**: I want a human",
        f"<https://support.example.com/v1/conversations/{conversation}>",
    ]
    mentions = fake.asked_of(alert)["allowed_mentions"]
    assert mentions == {"parse": [], "users": [], "roles": [role], "replied_user": False}
    assert alert["flags"] == 4  # no preview of the address


@pytest.mark.usefixtures("quick")
def test_what_a_visitor_writes_mentions_nobody(staff: Channel, api: Client, workers: Workers) -> None:
    handed_off(api, workers, "I want a human @everyone **now**", who="<@&1>")

    [alert] = staff.messages
    assert r"**\<@&1\>**: I want a human @everyone \*\*now\*\*" in alert["content"]
    assert fake.asked_of(alert)["allowed_mentions"]["parse"] == []


@pytest.mark.usefixtures("quick")
def test_one_handoff_is_one_alert_and_the_next_is_another(
    staff: Channel, api: Client, admin: Client, workers: Workers
) -> None:
    conversation = handed_off(api, workers)
    handed_off(api, workers, "Hello?")
    admin.post(f"/v1/conversations/{conversation}/reply", {"body": "Here I am.", "takeOver": True})
    handed_off(api, workers, "Thanks")
    assert len(staff.messages) == 1

    admin.post(f"/v1/conversations/{conversation}/hand-back")
    workers.run()
    handed_off(api, workers)
    assert len(staff.messages) == 2


@pytest.mark.usefixtures("quick")
def test_a_teammate_who_takes_over_alerts_nobody(
    staff: Channel, api: Client, admin: Client, workers: Workers
) -> None:
    workers.holding.add("agent")
    conversation = handed_off(api, workers, "Hello")
    admin.post(f"/v1/conversations/{conversation}/take-over")
    workers.run()

    assert staff.messages == []


@pytest.mark.usefixtures("quick")
def test_alerts_that_are_off_and_handoffs_before_them_say_nothing(
    staff: Channel, api: Client, admin: Client, workers: Workers
) -> None:
    admin.patch(PATH, {"enabled": False})
    handed_off(api, workers)
    admin.patch(PATH, {"enabled": True})
    handed_off(api, workers, "Hello?")
    assert staff.messages == []

    handed_off(api, workers, who="Otto")
    assert len(staff.messages) == 1


@pytest.mark.usefixtures("quick")
def test_without_a_role_nobody_is_mentioned(
    staff: Channel, api: Client, admin: Client, workers: Workers
) -> None:
    admin.patch(PATH, {"role": None})
    handed_off(api, workers)

    [alert] = staff.messages
    assert alert["content"].startswith("A person is wanted")
    assert fake.asked_of(alert)["allowed_mentions"]["roles"] == []


def test_one_alert_a_second_goes_to_a_channel(
    staff: Channel, listed: Connection, api: Client, workers: Workers
) -> None:
    workers.holding.add("integration")
    conversations = [handed_off(api, workers, who=who) for who in ("Vera", "Otto", "Ada")]
    at = clock.now_us()
    with clock.frozen(lambda: at):
        assert [run(listed, each) for each in conversations] == ["posted", "waits", "waits"]
        assert run(listed, conversations[1]) == "waits"
    assert [run(listed, each, 2.5) for each in conversations] == ["up_to_date", "posted", "posted"]
    assert len(staff.messages) == 3


def test_an_alert_that_is_refused_for_its_number_comes_when_discord_says(
    staff: Channel, listed: Connection, api: Client, services: Services, workers: Workers
) -> None:
    workers.holding.add("integration")
    conversation = handed_off(api, workers)
    services.fail("POST", "/messages", said=fake.limited(65))

    with pytest.raises(TryLater) as later:
        run(listed, conversation)
    assert later.value.seconds == 65
    assert run(listed, conversation, 66) == "posted"
    assert len(staff.messages) == 1


@pytest.mark.parametrize("seconds", [10, 700])
def test_an_alert_whose_answer_was_lost_is_there_once(
    staff: Channel,
    listed: Connection,
    api: Client,
    discord: ChatCommunity,
    services: Services,
    workers: Workers,
    seconds: int,
) -> None:
    workers.holding.add("integration")
    conversation = handed_off(api, workers)
    services.fail("POST", "/messages", hangs_up=True, works=True)
    with pytest.raises(TryLater):
        run(listed, conversation)

    now = discord.clock()
    discord.clock = lambda: now + seconds
    assert run(listed, conversation, seconds) == "posted"
    assert len(staff.messages) == 1
    assert len(services.said_to("GET", "/messages")) == (1 if seconds > 60 else 0)


def test_an_alert_that_never_arrived_is_posted_after_the_look(
    staff: Channel, listed: Connection, api: Client, services: Services, workers: Workers
) -> None:
    workers.holding.add("integration")
    conversation = handed_off(api, workers)
    services.fail("POST", "/messages", hangs_up=True)
    with pytest.raises(TryLater):
        run(listed, conversation)

    assert run(listed, conversation, 700) == "posted"
    assert len(staff.messages) == 1


@pytest.mark.usefixtures("quick")
def test_another_channel_gets_what_comes_after_it_was_named_and_nothing_twice(
    staff: Channel, acme: Server, api: Client, admin: Client, workers: Workers
) -> None:
    handed_off(api, workers, who="Vera")
    assert admin.patch(PATH, {"channel": "general"}).status == 200
    workers.run()
    handed_off(api, workers, "Hello?", who="Vera")
    handed_off(api, workers, who="Otto")

    assert ["**Vera**" in each for each in staff.texts()] == [True]
    assert ["**Otto**" in each for each in acme.named("general").texts()] == [False, True]


@pytest.mark.usefixtures("quick")
def test_a_channel_that_keeps_the_bot_out_is_a_problem_that_an_admin_reads(
    staff: Channel, api: Client, admin: Client, workers: Workers
) -> None:
    staff.granted = VIEW
    handed_off(api, workers)

    assert "50013" in admin.get(PATH).body["problem"]
    assert staff.messages == []
    assert admin.get("/v1/integrations").body["integrations"][0]["status"] != "broken"


@pytest.mark.usefixtures("quick")
def test_a_bot_that_was_removed_is_noticed_with_the_next_alert(
    staff: Channel, acme: Server, listed: Connection, api: Client, admin: Client, workers: Workers
) -> None:
    acme.has_bot = False
    with clock.frozen(partial(int, clock.now_us() + 61_000_000)):
        handed_off(api, workers)

    [found] = integrations.connections(listed.organization, listed.app)
    assert found.status == "broken"
    assert "connect it again" in (found.problem or "")
    assert run(listed, "conv_01jd3kq8w2h6c9g4s8d0m5x7ar") == "missed"


def test_what_an_alert_costs(
    staff: Channel, listed: Connection, api: Client, services: Services, workers: Workers
) -> None:
    workers.holding.add("integration")
    conversation = handed_off(api, workers)
    with recorded_calls() as calls:
        assert run(listed, conversation) == "posted"
    # connections, settings, conversation, feeds, customer, pace, note, tokens, cursor
    assert len(calls) == 9
    assert len(services.asked) == 1
    with recorded_calls() as calls:
        assert run(listed, conversation) == "up_to_date"
    assert len(calls) == 4


def test_a_conversation_that_nobody_asks_for_is_four_reads(
    staff: Channel, listed: Connection, api: Client
) -> None:
    accepted: dict[str, Any] = api.post("/v1/messages", {"session": "a session", "body": "Hello"}).body
    with recorded_calls() as calls:
        assert run(listed, accepted["conversationId"]) == "up_to_date"
    assert len(calls) == 4


def test_an_approval_is_an_alert_of_its_own_without_its_input(
    staff: Channel, listed: Connection, api: Client
) -> None:
    conversation = conversation_of(api, listed.organization)
    asked = [ask(conversation), ask(conversation)]

    assert [run(listed, conversation.id, number * 2) for number in range(3)] == [
        "posted",
        "posted",
        "up_to_date",
    ]
    assert len(asked) == len(staff.messages)
    for each in staff.messages:
        assert "The agent asks to call *Refund an order* (refund)." in each["content"]
        assert "A-17" not in each["content"].splitlines()[0]
