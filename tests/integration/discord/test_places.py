"""Where answers go: what is gone is replaced with the next question, and of two questions at once one has the place."""

import random
from functools import partial

import pytest

from helpdesk.integrations import service as integrations
from helpdesk.integrations.adapter import Hook
from helpdesk.integrations.discord import asking, receiver
from helpdesk.integrations.discord.api import DISCORD
from helpdesk.integrations.discord.worker import DiscordAdapter
from helpdesk.integrations.record import Connection
from scripts.services import chatcommunity as fake
from scripts.services.community import BEGIN_THREADS, VIEW
from tests.integration.discord.conftest import Guild
from tests.integration.discord.test_asking import OTTO
from tests.support import effort, table
from tests.support.interleaving import interleaved
from tests.support.permissions import running

pytestmark = pytest.mark.usefixtures("connection", "quick")


@pytest.mark.parametrize("how", ["deleted", "hidden"])
def test_a_question_whose_thread_is_gone_gets_another_one(guild: Guild, how: str) -> None:
    guild.ask("Where is my order?")
    [gone] = guild.threads()
    if how == "deleted":
        del guild.acme.channels[gone.id]
    else:
        gone.granted &= ~VIEW
    answered = len(gone.messages)
    response = guild.ask("Anybody there?")

    made = guild.acme.channels[response.message["id"]]
    [found] = guild.conversations()
    guild.reply(found["id"], "On its way.")
    assert made.texts()[-1].endswith("On its way.")
    assert len(gone.messages) == answered
    assert len([each for each in made.messages if "On its way." in each["content"]]) == 1


@pytest.mark.parametrize("how", ["removed", "reset"])
def test_a_bot_that_is_out_for_a_while_comes_back_to_the_same_thread(
    guild: Guild, connection: Connection, how: str
) -> None:
    guild.ask("Where is my order?")
    [made] = guild.threads()
    if how == "removed":
        guild.acme.has_bot = False
    else:
        guild.discord.bot_token = "another one"
    response = guild.ask("Anybody there?")
    assert response.message["content"].endswith(f"The answer comes in <#{made.id}>.")

    guild.acme.has_bot, guild.discord.bot_token = True, fake.BOT_TOKEN
    [found] = integrations.connections(connection.organization, connection.app)
    DiscordAdapter().on_connect(found)
    conversation = guild.conversations()[0]["id"]
    guild.reply(conversation, "On its way.")
    assert made.texts()[-1].endswith("On its way.")


def test_the_new_thread_is_the_conversations_and_the_former_one_is_forgotten(guild: Guild) -> None:
    guild.ask("Where is my order?")
    [gone] = guild.threads()
    del guild.acme.channels[gone.id]
    guild.ask("Anybody there?")
    [made] = guild.threads()
    places = [each["SK"] for each in table.everything() if each["SK"].startswith("PLACE#")]
    assert places == [f"PLACE#{made.id}"]

    guild.type_in(made, "close")
    assert guild.conversations()[0]["status"] == "resolved"
    customer = guild.conversations()[0]["customer"]["id"]
    guild.api.delete(f"/v1/customers/{customer}")
    guild.run()
    kept = [each for each in table.everything() if "COMMUNITY" in each["PK"] or "COMMUNITY" in each["SK"]]
    assert {each["SK"].partition("#")[0] for each in kept} <= {"ASKER", "COMMAND", "PACE"}


def test_the_worker_may_forget_a_former_place(guild: Guild, connection: Connection) -> None:
    guild.ask("Where is my order?")
    del guild.acme.channels[guild.threads()[0].id]
    headers, body = guild.discord.command(guild.acme, guild.general, "ask", "Anybody there?")
    data = receiver.read(Hook(headers, body.encode())).data
    ask = running("integration_worker", asking.ask)

    assert ask(DISCORD.open(connection), data) == "asked"


def test_a_place_in_a_channel_that_others_use_too_stays_theirs(guild: Guild) -> None:
    guild.general.granted &= ~BEGIN_THREADS
    guild.ask("Where is my order?")
    guild.ask("And mine?", user=OTTO, who="Otto")
    guild.general.granted &= ~VIEW
    guild.type_in(guild.acme.named("staff"), "ask", "Anybody there?")
    guild.general.granted |= VIEW
    guild.type_in(guild.general, "close", user=OTTO, who="Otto")

    assert {each["subject"]: each["status"] for each in guild.conversations()} == {
        "Where is my order?": "open",
        "And mine?": "resolved",
    }


def test_of_two_questions_at_once_both_say_where_the_answer_comes(
    guild: Guild, connection: Connection
) -> None:
    account, orders = DISCORD.open(connection), random.Random(3)
    for number in range(effort.of(5, 100)):
        sent = [
            guild.discord.command(guild.acme, guild.general, "ask", text, user=str(300 + number))
            for text in ("First", "Second")
        ]
        data = [receiver.read(Hook(headers, body.encode())).data for headers, body in sent]
        interleaved([partial(asking.ask, account, each) for each in data], orders.randrange(1 << 30)).all()
        guild.run()

        shown = [guild.discord.response(each).message for each in sent]
        [place] = {
            each["id"]
            for each in shown
            if each["id"] in guild.acme.channels and guild.acme.channels[each["id"]].messages
        }
        assert all(each["id"] == place or f"<#{place}>" in each["content"] for each in shown)
