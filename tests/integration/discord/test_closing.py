"""/close: who ends a conversation of a server, and what becomes of its thread."""

import pytest

from scripts.services.community import (
    MANAGE_THREADS,
    Channel,
    Server,
)
from tests.integration.discord.test_asking import OTTO, TypeIn, conversations, thread
from tests.support.api import Client

pytestmark = pytest.mark.usefixtures("connection", "quick")


CLOSED = "This conversation is closed. Use `/ask` to start another one."


NOTHING_OPEN = "You have no open conversation here."


NOT_YOURS = "Somebody else asked here. They close it, or a person who may manage threads."


def test_the_asker_closes_their_conversation(
    general: Channel, acme: Server, api: Client, type_in: TypeIn
) -> None:
    type_in(general, "ask", "Where is my order?")
    [made] = acme.threads()
    response = type_in(made, "close")

    assert (response.ephemeral, response.message["content"]) == (True, CLOSED)
    [found] = conversations(api)
    assert found["status"] == "resolved"
    assert ("system", "“Vera” closed this conversation in Discord.") in thread(api, found["id"])
    assert made.texts()[-1] == CLOSED
    assert type_in(made, "close").message["content"] == CLOSED
    assert made.texts().count(CLOSED) == 1


def test_the_asker_closes_from_another_channel(
    general: Channel, acme: Server, api: Client, type_in: TypeIn
) -> None:
    type_in(general, "ask", "Where is my order?")
    type_in(acme.named("staff"), "close")

    assert conversations(api)[0]["status"] == "resolved"


def test_a_question_after_the_end_begins_another_conversation_in_the_thread(
    general: Channel, acme: Server, api: Client, type_in: TypeIn
) -> None:
    type_in(general, "ask", "Where is my order?")
    [made] = acme.threads()
    type_in(made, "close")
    type_in(made, "ask", "It came broken.")

    assert {each["status"] for each in conversations(api)} == {"resolved", "open"}
    assert len(acme.threads()) == 1
    type_in(made, "close")
    assert {each["status"] for each in conversations(api)} == {"resolved"}


def test_others_close_a_thread_if_they_may_manage_threads(
    general: Channel, acme: Server, api: Client, type_in: TypeIn
) -> None:
    type_in(general, "ask", "Where is my order?")
    [made] = acme.threads()

    assert type_in(made, "close", user=OTTO, who="Otto").message["content"] == NOT_YOURS
    assert conversations(api)[0]["status"] == "open"
    response = type_in(made, "close", user=OTTO, who="Otto", may=MANAGE_THREADS)
    assert response.message["content"] == CLOSED
    assert ("system", "“Otto” closed this conversation in Discord.") in thread(
        api, conversations(api)[0]["id"]
    )


@pytest.mark.parametrize(("who", "shown"), [("\u3164", "Somebody"), ("Ada\u202e\nAdmin", "Ada Admin")])
def test_who_closed_is_named_on_one_line_also_without_a_visible_name(
    general: Channel, api: Client, type_in: TypeIn, who: str, shown: str
) -> None:
    type_in(general, "ask", "Where is my order?", who=who)
    type_in(general, "close", who=who)

    line = f"“{shown}” closed this conversation in Discord."
    assert ("system", line) in thread(api, conversations(api)[0]["id"])


def test_somebody_without_a_conversation_closes_nothing(
    general: Channel, api: Client, type_in: TypeIn
) -> None:
    type_in(general, "ask", "Where is my order?")

    assert type_in(general, "close", user=OTTO).message["content"] == NOTHING_OPEN
    assert type_in(general, "close", user=OTTO, may=MANAGE_THREADS).message["content"] == NOTHING_OPEN
    assert conversations(api)[0]["status"] == "open"


def test_an_archived_conversation_counts_as_closed(
    general: Channel, api: Client, admin: Client, type_in: TypeIn
) -> None:
    type_in(general, "ask", "Where is my order?")
    admin.post(f"/v1/conversations/{conversations(api)[0]['id']}/archive")

    assert type_in(general, "close").message["content"] == CLOSED
