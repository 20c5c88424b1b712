"""Alerts that a person is wanted: once for each handoff and approval, in order, whatever is lost on the way."""

from dataclasses import dataclass
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


@dataclass(frozen=True)
class Alerts:
    """The channel of alerts, those whom the agent hands to the team, and the worker that posts about them."""

    staff: Channel
    connection: Connection
    acme: Server
    discord: ChatCommunity
    services: Services
    api: Client
    admin: Client
    workers: Workers

    def handed_off(self, body: str = "I want a human", who: str = "Vera") -> str:
        """Let a visitor write whom the agent hands to the team; return the conversation's id."""
        message = {"session": f"session of {who}", "body": body, "user": {"name": who}}
        conversation = str(self.api.post("/v1/messages", message).body["conversationId"])
        self.workers.run()
        return conversation

    def run(self, conversation: str, seconds: float = 0) -> str:
        """Do one job of the worker, some seconds later; return what became of it."""
        [found] = integrations.connections(self.connection.organization, self.connection.app)
        with clock.frozen(partial(int, clock.now_us() + int(seconds * 1_000_000))):
            return outgoing.follow(found, conversation, lambda: DISCORD.open(found))


@pytest.fixture
def alerts(
    staff: Channel,
    listed: Connection,
    acme: Server,
    discord: ChatCommunity,
    services: Services,
    api: Client,
    admin: Client,
    workers: Workers,
) -> Alerts:
    """The channel of alerts, and who is handed off."""
    return Alerts(staff, listed, acme, discord, services, api, admin, workers)


@pytest.mark.usefixtures("quick")
def test_a_handoff_mentions_the_role(alerts: Alerts) -> None:
    conversation = alerts.handed_off()

    [alert] = alerts.staff.messages
    role = alerts.acme.roles[1]["id"]
    lines = alert["content"].splitlines()
    assert lines[0].startswith(f"<@&{role}> A person is wanted")
    assert lines[1:] == [
        "**Vera**: I want a human",
        f"<https://support.example.com/console/conversations/{conversation}>",
    ]
    mentions = fake.asked_of(alert)["allowed_mentions"]
    assert mentions == {"parse": [], "users": [], "roles": [role], "replied_user": False}
    assert alert["flags"] == 4  # no preview of the address


@pytest.mark.usefixtures("quick")
def test_what_a_visitor_writes_mentions_nobody(alerts: Alerts) -> None:
    alerts.handed_off("I want a human @everyone **now**", who="<@&1>")

    [alert] = alerts.staff.messages
    assert r"**\<@&1\>**: I want a human @everyone \*\*now\*\*" in alert["content"]
    assert fake.asked_of(alert)["allowed_mentions"]["parse"] == []


@pytest.mark.usefixtures("quick")
def test_one_handoff_is_one_alert_and_the_next_is_another(alerts: Alerts) -> None:
    conversation = alerts.handed_off()
    alerts.handed_off("Hello?")
    alerts.admin.post(f"/v1/conversations/{conversation}/reply", {"body": "Here I am.", "takeOver": True})
    alerts.handed_off("Thanks")
    assert len(alerts.staff.messages) == 1

    alerts.admin.post(f"/v1/conversations/{conversation}/hand-back")
    alerts.workers.run()
    alerts.handed_off()
    assert len(alerts.staff.messages) == 2


@pytest.mark.usefixtures("quick")
def test_a_teammate_who_takes_over_alerts_nobody(alerts: Alerts) -> None:
    alerts.workers.holding.add("agent")
    conversation = alerts.handed_off("Hello")
    alerts.admin.post(f"/v1/conversations/{conversation}/take-over")
    alerts.workers.run()

    assert alerts.staff.messages == []


@pytest.mark.usefixtures("quick")
def test_alerts_that_are_off_and_handoffs_before_them_say_nothing(alerts: Alerts) -> None:
    alerts.admin.patch(PATH, {"enabled": False})
    alerts.handed_off()
    alerts.admin.patch(PATH, {"enabled": True})
    alerts.handed_off("Hello?")
    assert alerts.staff.messages == []

    alerts.handed_off(who="Otto")
    assert len(alerts.staff.messages) == 1


@pytest.mark.usefixtures("quick")
def test_without_a_role_nobody_is_mentioned(alerts: Alerts) -> None:
    alerts.admin.patch(PATH, {"role": None})
    alerts.handed_off()

    [alert] = alerts.staff.messages
    assert alert["content"].startswith("A person is wanted")
    assert fake.asked_of(alert)["allowed_mentions"]["roles"] == []


def test_one_alert_a_second_goes_to_a_channel(alerts: Alerts) -> None:
    alerts.workers.holding.add("integration")
    conversations = [alerts.handed_off(who=who) for who in ("Vera", "Otto", "Ada")]
    at = clock.now_us()
    with clock.frozen(lambda: at):
        assert [alerts.run(each) for each in conversations] == ["posted", "waits", "waits"]
        assert alerts.run(conversations[1]) == "waits"
    assert [alerts.run(each, 2.5) for each in conversations] == ["up_to_date", "posted", "posted"]
    assert len(alerts.staff.messages) == 3


def test_an_alert_that_is_refused_for_its_number_comes_when_discord_says(alerts: Alerts) -> None:
    alerts.workers.holding.add("integration")
    conversation = alerts.handed_off()
    alerts.services.fail("POST", "/messages", said=fake.limited(65))

    with pytest.raises(TryLater) as later:
        alerts.run(conversation)
    assert later.value.seconds == 65
    assert alerts.run(conversation, 66) == "posted"
    assert len(alerts.staff.messages) == 1


@pytest.mark.parametrize("seconds", [10, 700])
def test_an_alert_whose_answer_was_lost_is_there_once(alerts: Alerts, seconds: int) -> None:
    alerts.workers.holding.add("integration")
    conversation = alerts.handed_off()
    alerts.services.fail("POST", "/messages", hangs_up=True, works=True)
    with pytest.raises(TryLater):
        alerts.run(conversation)

    now = alerts.discord.clock()
    alerts.discord.clock = lambda: now + seconds
    assert alerts.run(conversation, seconds) == "posted"
    assert len(alerts.staff.messages) == 1
    assert len(alerts.services.said_to("GET", "/messages")) == (1 if seconds > 60 else 0)


def test_an_alert_that_never_arrived_is_posted_after_the_look(alerts: Alerts) -> None:
    alerts.workers.holding.add("integration")
    conversation = alerts.handed_off()
    alerts.services.fail("POST", "/messages", hangs_up=True)
    with pytest.raises(TryLater):
        alerts.run(conversation)

    assert alerts.run(conversation, 700) == "posted"
    assert len(alerts.staff.messages) == 1


@pytest.mark.usefixtures("quick")
def test_another_channel_gets_what_comes_after_it_was_named_and_nothing_twice(alerts: Alerts) -> None:
    alerts.handed_off(who="Vera")
    assert alerts.admin.patch(PATH, {"channel": "general"}).status == 200
    alerts.workers.run()
    alerts.handed_off("Hello?", who="Vera")
    alerts.handed_off(who="Otto")

    assert ["**Vera**" in each for each in alerts.staff.texts()] == [True]
    assert ["**Otto**" in each for each in alerts.acme.named("general").texts()] == [False, True]


@pytest.mark.usefixtures("quick")
def test_a_channel_that_keeps_the_bot_out_is_a_problem_that_an_admin_reads(alerts: Alerts) -> None:
    alerts.staff.granted = VIEW
    alerts.handed_off()

    assert "50013" in alerts.admin.get(PATH).body["problem"]
    assert alerts.staff.messages == []
    assert alerts.admin.get("/v1/integrations").body["integrations"][0]["status"] != "broken"


@pytest.mark.usefixtures("quick")
def test_a_bot_that_was_removed_is_noticed_with_the_next_alert(alerts: Alerts) -> None:
    alerts.acme.has_bot = False
    with clock.frozen(partial(int, clock.now_us() + 61_000_000)):
        alerts.handed_off()

    [found] = integrations.connections(alerts.connection.organization, alerts.connection.app)
    assert found.status == "broken"
    assert "connect it again" in (found.problem or "")
    assert alerts.run("conv_01jd3kq8w2h6c9g4s8d0m5x7ar") == "missed"


def test_what_an_alert_costs(alerts: Alerts) -> None:
    alerts.workers.holding.add("integration")
    conversation = alerts.handed_off()
    with recorded_calls() as calls:
        assert alerts.run(conversation) == "posted"
    # connections, settings, conversation, feeds, customer, pace, note, tokens, cursor
    assert len(calls) == 9
    assert len(alerts.services.asked) == 1
    with recorded_calls() as calls:
        assert alerts.run(conversation) == "up_to_date"
    assert len(calls) == 4


def test_a_conversation_that_nobody_asks_for_is_four_reads(alerts: Alerts) -> None:
    accepted: dict[str, Any] = alerts.api.post("/v1/messages", {"session": "a session", "body": "Hello"}).body
    with recorded_calls() as calls:
        assert alerts.run(accepted["conversationId"]) == "up_to_date"
    assert len(calls) == 4


def test_an_approval_is_an_alert_of_its_own_without_its_input(alerts: Alerts) -> None:
    conversation = conversation_of(alerts.api, alerts.connection.organization)
    asked = [ask(conversation), ask(conversation)]

    assert [alerts.run(conversation.id, number * 2) for number in range(3)] == [
        "posted",
        "posted",
        "up_to_date",
    ]
    assert len(asked) == len(alerts.staff.messages)
    for each in alerts.staff.messages:
        assert "The agent asks to call *Refund an order* (refund)." in each["content"]
        assert "A-17" not in each["content"].splitlines()[0]
