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
from scripts.services.chatcommunity import ChatCommunity
from scripts.services.community import BEGIN_THREADS, VIEW, Channel, Server
from tests.integration.discord.test_asking import OTTO, TypeIn, conversations
from tests.support import effort, table
from tests.support.api import Client
from tests.support.interleaving import interleaved
from tests.support.permissions import running
from tests.support.workers import Workers

pytestmark = pytest.mark.usefixtures("connection", "quick")


@pytest.mark.parametrize("how", ["deleted", "hidden"])
def test_a_question_whose_thread_is_gone_gets_another_one(
    general: Channel,
    acme: Server,
    api: Client,
    admin: Client,
    type_in: TypeIn,
    workers: Workers,
    how: str,
) -> None:
    type_in(general, "ask", "Where is my order?")
    [gone] = acme.threads()
    if how == "deleted":
        del acme.channels[gone.id]
    else:
        gone.granted &= ~VIEW
    answered = len(gone.messages)
    response = type_in(general, "ask", "Anybody there?")

    made = acme.channels[response.message["id"]]
    [found] = conversations(api)
    admin.post(f"/v1/conversations/{found['id']}/reply", {"body": "On its way.", "takeOver": True})
    workers.run()
    assert made.texts()[-1].endswith("On its way.")
    assert len(gone.messages) == answered
    assert len([each for each in made.messages if "On its way." in each["content"]]) == 1


@pytest.mark.parametrize("how", ["removed", "reset"])
def test_a_bot_that_is_out_for_a_while_comes_back_to_the_same_thread(
    general: Channel,
    acme: Server,
    api: Client,
    admin: Client,
    connection: Connection,
    discord: ChatCommunity,
    type_in: TypeIn,
    workers: Workers,
    how: str,
) -> None:
    type_in(general, "ask", "Where is my order?")
    [made] = acme.threads()
    if how == "removed":
        acme.has_bot = False
    else:
        discord.bot_token = "another one"
    response = type_in(general, "ask", "Anybody there?")
    assert response.message["content"].endswith(f"The answer comes in <#{made.id}>.")

    acme.has_bot, discord.bot_token = True, fake.BOT_TOKEN
    [found] = integrations.connections(connection.organization, connection.app)
    DiscordAdapter().on_connect(found)
    conversation = conversations(api)[0]["id"]
    admin.post(f"/v1/conversations/{conversation}/reply", {"body": "On its way.", "takeOver": True})
    workers.run()
    assert made.texts()[-1].endswith("On its way.")


def test_the_new_thread_is_the_conversations_and_the_former_one_is_forgotten(
    general: Channel, acme: Server, api: Client, type_in: TypeIn, workers: Workers
) -> None:
    type_in(general, "ask", "Where is my order?")
    [gone] = acme.threads()
    del acme.channels[gone.id]
    type_in(general, "ask", "Anybody there?")
    [made] = acme.threads()
    places = [each["SK"] for each in table.everything() if each["SK"].startswith("PLACE#")]
    assert places == [f"PLACE#{made.id}"]

    type_in(made, "close")
    assert conversations(api)[0]["status"] == "resolved"
    customer = conversations(api)[0]["customer"]["id"]
    api.delete(f"/v1/customers/{customer}")
    workers.run()
    kept = [each for each in table.everything() if "COMMUNITY" in each["PK"] or "COMMUNITY" in each["SK"]]
    assert {each["SK"].partition("#")[0] for each in kept} <= {"ASKER", "COMMAND", "PACE"}


def test_the_worker_may_forget_a_former_place(
    connection: Connection, general: Channel, acme: Server, discord: ChatCommunity, type_in: TypeIn
) -> None:
    type_in(general, "ask", "Where is my order?")
    del acme.channels[acme.threads()[0].id]
    headers, body = discord.command(acme, general, "ask", "Anybody there?")
    data = receiver.read(Hook(headers, body.encode())).data
    ask = running("integration_worker", asking.ask)

    assert ask(DISCORD.open(connection), data) == "asked"


def test_a_place_in_a_channel_that_others_use_too_stays_theirs(
    general: Channel, acme: Server, api: Client, type_in: TypeIn
) -> None:
    general.granted &= ~BEGIN_THREADS
    type_in(general, "ask", "Where is my order?")
    type_in(general, "ask", "And mine?", user=OTTO, who="Otto")
    general.granted &= ~VIEW
    type_in(acme.named("staff"), "ask", "Anybody there?")
    general.granted |= VIEW
    type_in(general, "close", user=OTTO, who="Otto")

    assert {each["subject"]: each["status"] for each in conversations(api)} == {
        "Where is my order?": "open",
        "And mine?": "resolved",
    }


def test_of_two_questions_at_once_both_say_where_the_answer_comes(
    connection: Connection, general: Channel, acme: Server, discord: ChatCommunity, workers: Workers
) -> None:
    account, orders = DISCORD.open(connection), random.Random(3)
    for number in range(effort.of(5, 100)):
        sent = [
            discord.command(acme, general, "ask", text, user=str(300 + number))
            for text in ("First", "Second")
        ]
        data = [receiver.read(Hook(headers, body.encode())).data for headers, body in sent]
        interleaved([partial(asking.ask, account, each) for each in data], orders.randrange(1 << 30)).all()
        workers.run()

        shown = [discord.response(each).message for each in sent]
        [place] = {
            each["id"] for each in shown if each["id"] in acme.channels and acme.channels[each["id"]].messages
        }
        assert all(each["id"] == place or f"<#{place}>" in each["content"] for each in shown)
