"""/ask: a person's question in a server is a visitor's message, and its answers come in a thread."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from helpdesk.integrations import service as integrations
from helpdesk.integrations.discord import asking
from helpdesk.integrations.discord.feeds import MOST_QUESTIONS
from helpdesk.integrations.discord.worker import DiscordAdapter
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from scripts.services import chatcommunity as fake
from scripts.services.community import (
    BEGIN_THREADS,
    EVERYTHING,
    SEND,
    VIEW,
    Response,
)
from tests.integration.discord.conftest import Guild
from tests.support import table
from tests.support.api import Client, function
from tests.support.workers import LongContext, Workers, received

pytestmark = pytest.mark.usefixtures("connection", "quick")

NO_PLACE = (
    "I can't write in this channel. Ask in another one, or ask an admin of the server to give me access."
)
TOO_MANY = "You asked many questions within a few minutes. Try again in ten minutes."
VERA, OTTO = "200000000000000001", "200000000000000002"
REFUNDS = (
    "# Refunds\n\n## How long does a refund take?\n\nThe money is on your card after five working days.\n"
)

type TypeIn = Callable[..., Response]


@pytest.fixture
def answers(api: Client, workers: Workers) -> None:
    """A knowledge base that has an answer."""
    assert api.post("/v1/knowledge/documents", {"title": "Refunds", "body": REFUNDS}).status == 200
    workers.run()


def conversations(api: Client) -> list[dict[str, Any]]:
    """Return the organization's conversations, the newest first."""
    found: list[dict[str, Any]] = api.get("/v1/conversations").body["conversations"]
    return found


def test_a_question_is_answered_from_the_knowledge_in_a_thread(guild: Guild, answers: None) -> None:
    response = guild.ask("How long does a refund take?")

    assert response.message["content"].splitlines() == [
        "> How long does a refund take?",
        "-# Write more with `/ask`, and end with `/close`. Other messages here are not read.",
    ]
    assert response.message["flags"] == 1 << 2  # no previews
    [made] = guild.threads()
    assert (made.id, made.name, made.parent) == (
        response.message["id"],
        "How long does a refund take?",
        guild.general.id,
    )
    [answer] = made.messages
    assert answer["content"].startswith(f"<@{VERA}> **Assistant**\n")
    assert "five working days" in answer["content"]
    asked = fake.asked_of(answer)
    assert asked["allowed_mentions"] == {"parse": [], "users": [VERA], "roles": [], "replied_user": False}
    assert (asked["enforce_nonce"], len(asked["nonce"])) == (True, 25)


def test_the_asker_is_the_visitor_of_the_conversation(guild: Guild) -> None:
    guild.ask("Where is my order?", who="Vera")

    [found] = guild.conversations()
    assert found["subject"] == "Where is my order?"
    assert found["page"]["title"] == "#general of Acme in Discord"
    assert found["page"]["url"].startswith("https://discord.com/channels/")
    customer = guild.api.get(f"/v1/customers/{found['customer']['id']}").body["customer"]
    assert (customer["name"], customer["metadata"]) == (
        "Vera",
        {"Discord user": "vera", "Discord server": "Acme"},
    )
    assert customer["avatarUrl"] == f"https://cdn.discordapp.com/avatars/{VERA}/a1b2c3.png"


def test_the_team_reads_that_its_replies_are_public(guild: Guild) -> None:
    guild.ask("Where is my order?")

    line = "This was asked in Discord, in #general of Acme. Everybody who can read there reads your replies."
    assert ("system", line) in guild.entries(guild.conversations()[0]["id"])


def test_replies_of_the_team_come_later_and_notes_never(guild: Guild) -> None:
    guild.ask("Where is my order?")
    conversation = guild.conversations()[0]["id"]
    guild.admin.post(f"/v1/conversations/{conversation}/note", {"body": "Only for us."})
    guild.reply(conversation, "On its way.")

    [made] = guild.threads()
    assert made.texts()[-1] == f"<@{VERA}> **Ada Admin**\nOn its way."
    assert not any("Only for us" in each for each in made.texts())


def test_a_further_question_joins_the_open_conversation(guild: Guild) -> None:
    guild.ask("Where is my order?")
    [made] = guild.threads()
    within = guild.type_in(made, "ask", "It has the number 7.")
    elsewhere = guild.type_in(guild.acme.named("staff"), "ask", "Anybody there?")

    assert within.message["content"] == "> It has the number 7."
    assert elsewhere.message["content"] == f"> Anybody there?\nThe answer comes in <#{made.id}>."
    [found] = guild.conversations()
    visitors = [
        each
        for each in guild.api.get(f"/v1/conversations/{found['id']}").body["messages"]
        if each["sender"] == "visitor"
    ]
    assert [each["body"] for each in visitors] == [
        "Where is my order?",
        "It has the number 7.",
        "Anybody there?",
    ]
    assert len(guild.threads()) == 1


def test_two_people_have_two_conversations(guild: Guild) -> None:
    guild.ask("Where is my order?", user=VERA)
    [veras] = guild.threads()
    guild.type_in(veras, "ask", "And mine?", user=OTTO, who="Otto")

    assert {each["subject"] for each in guild.conversations()} == {"Where is my order?", "And mine?"}
    assert len(guild.threads()) == 1  # a thread has no threads
    [answer] = [each for each in veras.messages if OTTO in fake_mentions(each)]
    assert fake.asked_of(answer)["message_reference"]["message_id"] == veras.messages[-2]["id"]


def fake_mentions(message: dict[str, Any]) -> list[str]:
    """Return whom a message of the bot notifies; nobody for others."""
    return list(message["asked"]["allowed_mentions"]["users"]) if "asked" in message else []


def test_no_session_token_opens_the_conversation_of_an_asker(guild: Guild) -> None:
    guild.ask("Where is my order?")

    assert len(asking._NO_SESSION) > 128
    for token in (f"{guild.acme.id}:{VERA}", asking.asker(guild.acme.id, VERA)):
        assert guild.api.get(f"/v1/messages?session={token}").body["conversations"] == []


@pytest.mark.parametrize("granted", [EVERYTHING & ~BEGIN_THREADS, VIEW | SEND])
def test_without_a_thread_answers_are_replies_to_the_question(guild: Guild, granted: int) -> None:
    guild.general.granted = granted
    response = guild.ask("Where is my order?")

    assert guild.threads() == []
    [answer] = [each for each in guild.general.messages if "asked" in each]
    assert fake.asked_of(answer)["message_reference"] == {
        "message_id": response.message["id"],
        "fail_if_not_exists": False,
    }


def test_a_thread_that_discord_refuses_leaves_the_answers_in_the_channel(guild: Guild) -> None:
    guild.services.fail(
        "POST", "/threads", said=fake.error(400, 160006, "Maximum number of active threads reached")
    )
    guild.ask("Where is my order?")

    assert guild.threads() == []
    assert any("asked" in each for each in guild.general.messages)


def test_where_the_bot_may_not_write_nothing_is_asked(guild: Guild) -> None:
    guild.general.granted = VIEW
    response = guild.ask("Where is my order?")

    assert response.message["content"] == f"> Where is my order?\n{NO_PLACE}"
    assert guild.conversations() == []


@pytest.mark.parametrize(
    ("question", "said"),
    [("x" * 4_001, "4,000 characters"), (" \u200b ", "Write something in your question.")],
)
def test_a_question_that_is_no_message_says_why(guild: Guild, question: str, said: str) -> None:
    response = guild.ask(question)

    assert said in response.message["content"]
    assert guild.conversations() == []


def test_a_person_asks_ten_times_within_ten_minutes(guild: Guild) -> None:
    start = clock.now_us() - clock.now_us() % 600_000_000 + 1_000_000
    guild.discord.clock = lambda: start / 1_000_000
    with clock.frozen(lambda: start):
        for number in range(MOST_QUESTIONS):
            assert TOO_MANY not in guild.ask(f"Question {number}").message["content"]
        assert TOO_MANY in guild.ask("One more").message["content"]
        assert TOO_MANY not in guild.ask("Mine", user=OTTO).message["content"]


def test_a_person_reads_the_language_of_their_discord(guild: Guild) -> None:
    response = guild.ask("Rückgabe?", locale="de")
    assert response.message["content"].endswith("Andere Nachrichten hier werden nicht gelesen.")
    [found] = guild.conversations()
    assert (
        guild.admin.get(f"/v1/conversations/{found['id']}").body["conversation"]["context"]["locale"] == "de"
    )

    [made] = guild.threads()
    said = guild.type_in(made, "close", user=OTTO, locale="pt-BR").message["content"]
    assert said.startswith("Outra pessoa perguntou aqui.")
    assert (
        guild.type_in(made, "close", locale="de")
        .message["content"]
        .startswith("Diese Unterhaltung ist geschlossen.")
    )
    assert made.texts()[-1] == "Diese Unterhaltung ist geschlossen. Mit `/ask` beginnen Sie eine neue."


def test_a_person_whose_language_has_no_phrases_reads_that_of_the_organization(guild: Guild) -> None:
    assert guild.admin.patch("/v1/agent", {"language": "fr"}).status == 200

    assert (
        guild.type_in(guild.general, "close", locale="ja").message["content"]
        == "Vous n’avez pas de conversation ouverte ici."
    )


def test_what_a_person_writes_mentions_nobody_and_looks_like_nothing_else(guild: Guild) -> None:
    response = guild.ask("@everyone <@1> **bold** [bank](https://evil.example)")

    assert response.message["content"].splitlines()[0] == (
        r"> @everyone \<@1\> \*\*bold\*\* \[bank\]\(…"  # no link that the asker could not post
    )
    assert [each.name for each in guild.threads()] == ["everyone 1 **bold** bank…"]


@pytest.mark.parametrize("works", [True, False])
def test_a_worker_that_dies_in_the_middle_leaves_one_question_and_one_thread(
    guild: Guild, works: bool
) -> None:
    guild.services.fail(path="/threads", hangs_up=True, works=works)
    guild.send(guild.discord.command(guild.acme, guild.general, "ask", "Where is my order?"))
    guild.workers.fan_out()
    [record] = received(settings().integration_queue_url)
    for _ in range(2):
        function("integration_worker").handler({"Records": [record]}, LongContext())
    guild.run()

    [found] = guild.conversations()
    assert [kind for kind, body in guild.entries(found["id"]) if body == "Where is my order?"] == ["message"]
    [made] = guild.threads()
    assert len(made.messages) == 1


def test_a_question_that_waited_too_long_is_repeated_by_the_bot(guild: Guild) -> None:
    guild.services.fail("PATCH", "@original", said=fake.error(401, 50027, "Invalid Webhook Token provided"))
    guild.ask("Where is my order?")

    assert guild.general.texts()[0].startswith("> Where is my order?")
    assert len(guild.threads()) == 1


def test_a_token_that_discord_refuses_breaks_the_connection_and_keeps_the_place(
    guild: Guild, connection: Connection
) -> None:
    guild.discord.bot_token = "another one"
    guild.ask("Where is my order?")
    assert conversations(guild.admin)[0]["subject"] == "Where is my order?"
    rows = guild.admin.get("/v1/integrations").body["integrations"]
    assert "broken" in {each["status"] for each in rows}

    guild.discord.bot_token = fake.BOT_TOKEN
    [broken] = integrations.connections(connection.organization, connection.app)
    DiscordAdapter().on_connect(broken)
    guild.reply(conversations(guild.admin)[0]["id"], "Found it.")
    assert any("Found it." in each for each in guild.general.texts())


def test_a_command_goes_to_the_organization_that_connected_last(
    guild: Guild, stranger: Client, connect: Callable[..., Connection], other_organization: Any
) -> None:
    with clock.frozen(partial(int, clock.now_us() + 1_000_000)):
        connect(guild.acme, other_organization.organization_id)
    guild.ask("Where is my order?")

    assert guild.conversations() == []
    assert len(conversations(stranger)) == 1


def test_an_erased_customer_leaves_nothing_that_leads_to_discord(guild: Guild) -> None:
    guild.ask("Where is my order?")
    customer = guild.conversations()[0]["customer"]["id"]
    exported = guild.api.get(f"/v1/customers/{customer}/export").body["conversations"][0]["threads"]
    assert exported == [
        {"app": "chatcommunity", "workspace": guild.acme.id, "channel": guild.threads()[0].id, "thread": ""}
    ]
    erasure = guild.api.delete(f"/v1/customers/{customer}").body["receipt"]["id"]
    guild.run()
    assert guild.api.get(f"/v1/erasures/{erasure}").body["receipt"]["counts"]["threads"] == 1

    everything = table.everything()
    assert not any("Where is my order?" in json.dumps(each, default=str) for each in everything)
    kept = [each for each in everything if "COMMUNITY" in each["PK"] or "COMMUNITY" in each["SK"]]
    assert {each["SK"].partition("#")[0] for each in kept} <= {"ASKER", "COMMAND", "PACE"}
    guild.type_in(guild.threads()[0], "ask", "I am back.")
    assert [each["subject"] for each in guild.conversations()] == ["I am back."]
