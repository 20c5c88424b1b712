"""/close: who ends a conversation of a server, and what becomes of its thread."""

import pytest

from scripts.services.community import (
    MANAGE_THREADS,
)
from tests.integration.discord.conftest import Guild
from tests.integration.discord.test_asking import OTTO

pytestmark = pytest.mark.usefixtures("connection", "quick")


CLOSED = "This conversation is closed. Use `/ask` to start another one."


NOTHING_OPEN = "You have no open conversation here."


NOT_YOURS = "Somebody else asked here. They close it, or a person who may manage threads."


def test_the_asker_closes_their_conversation(guild: Guild) -> None:
    guild.ask("Where is my order?")
    [made] = guild.threads()
    response = guild.type_in(made, "close")

    assert (response.ephemeral, response.message["content"]) == (True, CLOSED)
    [found] = guild.conversations()
    assert found["status"] == "resolved"
    assert ("system", "“Vera” closed this conversation in Discord.") in guild.entries(found["id"])
    assert made.texts()[-1] == CLOSED
    assert guild.type_in(made, "close").message["content"] == CLOSED
    assert made.texts().count(CLOSED) == 1


def test_the_asker_closes_from_another_channel(guild: Guild) -> None:
    guild.ask("Where is my order?")
    guild.type_in(guild.acme.named("staff"), "close")

    assert guild.conversations()[0]["status"] == "resolved"


def test_a_question_after_the_end_begins_another_conversation_in_the_thread(guild: Guild) -> None:
    guild.ask("Where is my order?")
    [made] = guild.threads()
    guild.type_in(made, "close")
    guild.type_in(made, "ask", "It came broken.")

    assert {each["status"] for each in guild.conversations()} == {"resolved", "open"}
    assert len(guild.threads()) == 1
    guild.type_in(made, "close")
    assert {each["status"] for each in guild.conversations()} == {"resolved"}


def test_others_close_a_thread_if_they_may_manage_threads(guild: Guild) -> None:
    guild.ask("Where is my order?")
    [made] = guild.threads()

    assert guild.type_in(made, "close", user=OTTO, who="Otto").message["content"] == NOT_YOURS
    assert guild.conversations()[0]["status"] == "open"
    response = guild.type_in(made, "close", user=OTTO, who="Otto", may=MANAGE_THREADS)
    assert response.message["content"] == CLOSED
    assert ("system", "“Otto” closed this conversation in Discord.") in guild.entries(
        guild.conversations()[0]["id"]
    )


@pytest.mark.parametrize(("who", "shown"), [("\u3164", "Somebody"), ("Ada\u202e\nAdmin", "Ada Admin")])
def test_who_closed_is_named_on_one_line_also_without_a_visible_name(
    guild: Guild, who: str, shown: str
) -> None:
    guild.ask("Where is my order?", who=who)
    guild.type_in(guild.general, "close", who=who)

    line = f"“{shown}” closed this conversation in Discord."
    assert ("system", line) in guild.entries(guild.conversations()[0]["id"])


def test_somebody_without_a_conversation_closes_nothing(guild: Guild) -> None:
    guild.ask("Where is my order?")

    assert guild.type_in(guild.general, "close", user=OTTO).message["content"] == NOTHING_OPEN
    assert (
        guild.type_in(guild.general, "close", user=OTTO, may=MANAGE_THREADS).message["content"]
        == NOTHING_OPEN
    )
    assert guild.conversations()[0]["status"] == "open"


def test_an_archived_conversation_counts_as_closed(guild: Guild) -> None:
    guild.ask("Where is my order?")
    guild.admin.post(f"/v1/conversations/{guild.conversations()[0]['id']}/archive")

    assert guild.type_in(guild.general, "close").message["content"] == CLOSED
