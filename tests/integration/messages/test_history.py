"""GET /messages: what a visitor reads back (Specification: Limits, Thread history)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import repository, thread
from helpdesk.conversations.change import Change
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages.schemas import MessageInput
from helpdesk.conversations.record import Conversation
from helpdesk.platform import clients, clock, ids
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction
from tests.support.api import Client
from tests.support.aws import recorded_calls

SESSION = "session-of-a-visitor"
START_MS = 1_700_000_000_000
type Write = Callable[..., str]


@pytest.fixture
def write(organization: NewOrganization) -> Write:
    """Write a visitor's message so many milliseconds after the start; return the conversation's id."""

    def write(text: str, at: int, session: str = SESSION) -> str:
        with clock.frozen(lambda: (START_MS + at) * 1_000):
            sent = MessageInput(session=session, body=text)
            return messages.post(organization.organization_id, sent).conversation_id

    return write


@pytest.fixture
def fill(organization: NewOrganization) -> Callable[[str, int, int], None]:
    """Add many answers to a conversation, one a millisecond."""

    def fill(conversation_id: str, count: int, at: int) -> None:
        message_id = ""
        for number in range(count):
            message_id = f"msg_{ids.ulid(START_MS + at + number)}"
            table.put_new(
                {
                    **Message.key_for(organization.organization_id, conversation_id, message_id).attributes(),
                    "id": message_id,
                    "conversationId": conversation_id,
                    "createdAt": START_MS + at + number,
                    "sender": "agent",
                    "agent": {"kind": "ai", "name": "Assistant", "avatarUrl": None},
                    "body": f"answer {number}",
                    "attachments": [],
                }
            )
        table.update(
            Conversation.key_for(organization.organization_id, conversation_id),
            "SET newestMessageId = :newest",
            values={":newest": message_id},
        )

    return fill


def history(api: Client, session: str = SESSION) -> list[dict[str, Any]]:
    answer = api.get(f"/v1/messages?session={session}")
    assert answer.status == 200, answer
    assert set(answer.body) == {"conversations"}
    found: list[dict[str, Any]] = answer.body["conversations"]
    return found


def test_a_visitor_reads_back_what_was_written(api: Client, write: Write) -> None:
    conversation_id = write("Hello", 0)
    write("Anybody there?", 10)
    api.post(f"/v1/conversations/{conversation_id}/reply", {"body": "Yes", "takeOver": True})

    (conversation,) = history(api)
    texts = [(message["sender"], message["body"]) for message in conversation.pop("messages")]
    assert texts == [("visitor", "Hello"), ("visitor", "Anybody there?"), ("agent", "Yes")]
    assert conversation == {
        "id": conversation_id,
        "status": "open",
        "awaitingHuman": False,
        "startedAt": START_MS,
    }


def test_a_message_has_the_shape_that_it_has_in_events(api: Client, write: Write) -> None:
    conversation_id = write("Hello", 0)

    (message,) = history(api)[0]["messages"]
    assert message.pop("id").startswith("msg_")
    assert message == {
        "conversationId": conversation_id,
        "createdAt": START_MS,
        "sender": "visitor",
        "agent": None,
        "body": "Hello",
        "attachments": [],
    }


def test_an_unknown_session_has_no_history(api: Client) -> None:
    assert history(api) == []


def test_another_session_and_another_organization_see_nothing_of_it(
    api: Client, stranger: Client, write: Write
) -> None:
    write("Hello", 0)

    assert history(api, "session-of-another") == []
    assert history(stranger) == []


def test_a_session_is_trimmed_as_it_is_when_writing(api: Client, write: Write) -> None:
    write("Hello", 0)

    assert len(history(api, f"%20{SESSION}%EF%BB%BF")) == 1


def test_system_lines_and_notes_are_never_shown(
    api: Client, organization: NewOrganization, write: Write
) -> None:
    conversation_id = write("Hello", 0)
    found = repository.conversations.get(organization.organization_id, conversation_id)
    transaction = Transaction()
    thread.add_system_line(transaction, found, "Max took over", START_MS)
    transaction.commit()

    assert "Max took over" not in repr(history(api))
    assert "Max took over" in repr(api.get(f"/v1/conversations/{conversation_id}").body)


def test_the_most_recently_active_comes_first_of_the_ten_most_recently_started(
    api: Client, organization: NewOrganization, write: Write
) -> None:
    started = []
    for number in range(12):
        started.append(write(f"conversation {number}", number * 100))
        api.post(f"/v1/conversations/{started[-1]}/resolve")
    # 3 is written to again after all; 0 too, but it is not among the ten.
    for number in (3, 0):
        with clock.frozen(lambda at=START_MS + 5_000 - number: at * 1_000):  # type: ignore[misc]
            transaction = Transaction()
            found = repository.conversations.get(organization.organization_id, started[number])
            new = thread.new_message(found)
            repository.save(transaction, Change(before=found, state=found.state, message=new))
            transaction.commit()

    shown = [conversation["id"] for conversation in history(api)]

    assert shown == [started[number] for number in (3, 11, 10, 9, 8, 7, 6, 5, 4, 2)]


def test_200_messages_are_shown_and_older_ones_left_out(
    api: Client, write: Write, fill: Callable[[str, int, int], None]
) -> None:
    old = write("old", 0)
    fill(old, 119, 1)
    api.post(f"/v1/conversations/{old}/resolve")
    new = write("new", 1_000)
    fill(new, 149, 1_001)

    conversations = history(api)

    assert [(c["id"], len(c["messages"])) for c in conversations] == [(new, 150), (old, 50)]
    assert conversations[0]["messages"][0]["body"] == "new"
    assert conversations[0]["messages"][-1]["body"] == "answer 148"
    assert conversations[1]["messages"][0]["body"] == "answer 69"
    assert conversations[1]["messages"][-1]["body"] == "answer 118"


def test_a_conversation_whose_messages_are_all_left_out_is_not_shown(
    api: Client, write: Write, fill: Callable[[str, int, int], None]
) -> None:
    old = write("old", 0)
    api.post(f"/v1/conversations/{old}/resolve")
    new = write("new", 1_000)
    fill(new, 205, 1_001)

    (conversation,) = history(api)

    assert conversation["id"] == new
    assert [len(conversation["messages"]), conversation["messages"][0]["body"]] == [200, "answer 5"]


@contextmanager
def messages_read() -> Iterator[list[int]]:
    """Collect how many items each query of the code inside reads."""
    counts: list[int] = []

    def count(parsed: dict[str, Any], **_: Any) -> None:
        counts.append(parsed["ScannedCount"])

    events = clients.dynamodb().meta.events
    events.register("after-call.dynamodb.Query", count)
    try:
        yield counts
    finally:
        events.unregister("after-call.dynamodb.Query", count)


def test_no_more_than_200_messages_are_read(
    api: Client, write: Write, fill: Callable[[str, int, int], None]
) -> None:
    started = []
    for number in range(4):
        started.append(write(f"conversation {number}", number * 1_000))
        fill(started[-1], 119, number * 1_000 + 1)
        api.post(f"/v1/conversations/{started[-1]}/resolve")

    with recorded_calls() as calls, messages_read() as counts:
        found = history(api)

    assert calls[1:5] == ["dynamodb:Query", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:Query"]
    assert calls[5:] == ["dynamodb:UpdateItem"]  # what the visitor has now read
    assert counts == [
        5,
        120,
        81,
    ]  # the session's conversations, then messages and one that says there are more
    assert [(each["id"], len(each["messages"])) for each in found] == [(started[3], 120), (started[2], 80)]


def test_no_more_than_200_newer_messages_are_read(
    api: Client, write: Write, fill: Callable[[str, int, int], None]
) -> None:
    started = []
    for number in range(3):
        started.append(write(f"conversation {number}", number * 1_000))
        fill(started[-1], 149, number * 1_000 + 1)
        api.post(f"/v1/conversations/{started[-1]}/resolve")

    after = f"msg_{ids.ulid(START_MS - 1_000)}"
    with messages_read() as counts:
        found = api.get(f"/v1/messages?session={SESSION}&after={after}").body["conversations"]

    assert counts == [4, 150, 51]  # the session with its list; one says that there are more
    assert [len(each["messages"]) for each in found] == [150, 50, 0]
    assert found[1]["messages"][-1]["body"] == "answer 148"


def test_an_archived_conversation_shows_as_resolved_and_awaits_nobody(api: Client, write: Write) -> None:
    conversation_id = write("Hello", 0)
    for step in ("take-over", "archive"):
        api.post(f"/v1/conversations/{conversation_id}/{step}")

    after = f"msg_{ids.ulid(START_MS - 1_000)}"
    newer = api.get(f"/v1/messages?session={SESSION}&after={after}").body["conversations"]
    for (conversation,) in (history(api), newer):
        assert (conversation["status"], conversation["awaitingHuman"]) == ("resolved", False)

    api.post(f"/v1/conversations/{conversation_id}/unarchive")
    (conversation,) = history(api)
    assert (conversation["status"], conversation["awaitingHuman"]) == ("open", True)
