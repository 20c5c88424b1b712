"""A reply that is sent only if nobody has written since (`ifLastMessageId`)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api import Answer, Client
from tests.support.between import TRANSACTIONS, before_call

SESSION = "session-that-moves"


class Thread:
    """A visitor's conversation, whose newest message the team has read."""

    def __init__(self, api: Client) -> None:
        self.api = api
        self.id = self.visitor_writes("Where is my order?")

    def visitor_writes(self, body: str) -> str:
        return str(self.api.post("/v1/messages", {"session": SESSION, "body": body}).body["conversationId"])

    def shown(self) -> dict[str, Any]:
        return dict(self.api.get(f"/v1/conversations/{self.id}").body)

    def newest(self) -> str:
        return str(self.shown()["conversation"]["lastMessageId"])

    def bodies(self) -> list[str]:
        return [entry["body"] for entry in self.shown()["messages"] if entry["kind"] == "message"]

    def reply(self, body: str, seen: str | None) -> Answer:
        return self.api.post(
            f"/v1/conversations/{self.id}/reply", {"body": body, "takeOver": True, "ifLastMessageId": seen}
        )

    def note(self) -> None:
        self.api.post(f"/v1/conversations/{self.id}/note", {"body": "They are a good customer."})


@pytest.fixture
def thread(api: Client) -> Thread:
    return Thread(api)


def test_a_reply_to_the_newest_message_is_sent_and_is_the_newest_then(thread: Thread) -> None:
    sent = thread.reply("It's on its way.", thread.newest())

    assert sent.status == 200
    assert thread.newest() == sent.body["messageId"]


@pytest.mark.parametrize(
    "write",
    [
        lambda thread: thread.visitor_writes("I found it."),
        lambda thread: thread.reply("Ada here, let me look.", None),
    ],
    ids=["visitor", "teammate"],
)
def test_a_reply_is_not_sent_behind_a_message_that_its_author_has_not_read(
    thread: Thread, write: Callable[[Thread], object]
) -> None:
    seen = thread.newest()
    write(thread)
    refused = thread.reply("It's on its way.", seen)

    assert (refused.status, refused.code) == (409, "conversation_moved")
    assert thread.newest() in refused.body["error"]["message"]
    assert "It's on its way." not in thread.bodies()


def test_a_message_that_arrives_while_the_reply_is_written_stops_it(thread: Thread) -> None:
    seen = thread.newest()
    with before_call(TRANSACTIONS, 0, lambda: thread.visitor_writes("I found it.")):
        refused = thread.reply("It's on its way.", seen)

    assert (refused.status, refused.code) == (409, "conversation_moved")
    assert thread.bodies() == ["Where is my order?", "I found it."]


def test_a_note_does_not_stop_a_reply(thread: Thread) -> None:
    seen = thread.newest()
    thread.note()

    assert thread.reply("It's on its way.", seen).status == 200
