"""A thread in pages, and what its lines are."""

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import repository, thread
from helpdesk.conversations.change import NewMessage
from helpdesk.conversations.message_record import Author
from helpdesk.conversations.thread import OutgoingMessage
from helpdesk.platform import clock, ids
from helpdesk.storage.transactions import Transaction
from tests.integration.conversations.conftest import At
from tests.integration.conversations.test_reading import write
from tests.support.api import Client


def test_a_threads_cursor_is_refused_by_another_thread(api: Client) -> None:
    one, other = write(api, "thread-1"), write(api, "thread-2")
    write(api, "thread-1")
    cursor = api.get(f"/v1/conversations/{one}?limit=1").body["nextCursor"]

    assert api.get(f"/v1/conversations/{other}?cursor={cursor}").code == "invalid_cursor"
    assert api.get(f"/v1/conversations/{one}?cursor={cursor}").status == 200


def _with_lines(organization: NewOrganization, api: Client, at: At) -> tuple[str, list[str]]:
    """Return a conversation of nine entries: v0 s1 v2 v3 s4 v5 v6 s7 v8 (visitor's messages, system lines)."""
    conversation_id, texts = "", []
    for number in range(9):
        with at(number * 10):
            if number % 3 == 1:
                transaction = Transaction()
                found = repository.conversations.get(organization.organization_id, conversation_id)
                thread.add_system_line(transaction, found, f"s{number}", clock.now_ms())
                transaction.commit()
                texts.append(f"s{number}")
            else:
                conversation_id = write(api, "with-lines", f"v{number}")
                texts.append(f"v{number}")
    return conversation_id, texts


def thread_by_pages(api: Client, conversation_id: str, limit: int) -> list[str]:
    """Follow the cursors back to the first entry; return all texts, oldest first."""
    found: list[str] = []
    url = f"/v1/conversations/{conversation_id}?limit={limit}"
    answer = api.get(url)
    while True:
        found = [entry["body"] for entry in answer.body["messages"]] + found
        if answer.body["nextCursor"] is None:
            return found
        answer = api.get(f"{url}&cursor={answer.body['nextCursor']}")


def test_pages_of_a_thread_lead_from_the_newest_to_the_oldest_without_a_gap(
    api: Client, organization: NewOrganization, at: At
) -> None:
    conversation_id, texts = _with_lines(organization, api, at)

    for limit in (1, 2, 4, 5, 9, 10):
        assert thread_by_pages(api, conversation_id, limit) == texts


def test_notes_and_system_lines_are_marked_as_such(
    api: Client, organization: NewOrganization, at: At
) -> None:
    conversation_id, _ = _with_lines(organization, api, at)

    entries = api.get(f"/v1/conversations/{conversation_id}").body["messages"]

    assert {entry["body"][0]: entry["kind"] for entry in entries} == {"v": "message", "s": "system"}


def test_a_thread_larger_than_one_query_is_read_without_a_gap(
    api: Client, organization: NewOrganization, at: At
) -> None:
    # 90 messages of 16 KB are more than the 1 MB after which a query ends; the lines are older than all of them.
    with at(0):
        conversation_id = write(api, "heavy", "first")
    transaction = Transaction()
    found = repository.conversations.get(organization.organization_id, conversation_id)
    with at(1):
        for number in range(5):
            thread.add_system_line(transaction, found, f"line {number}", clock.now_ms())
        transaction.commit()
    for batch in range(10):
        transaction = Transaction()
        for number in range(9):
            with at(100 + batch * 9 + number):
                new = NewMessage(ids.new("msg"), clock.now_ms())
                body = f"{batch * 9 + number:02d}" + "😀" * 3_998
                written = OutgoingMessage(Author("ai", "Assistant"), body)
                thread.put_outgoing(transaction, found, found.state, new, written)
        transaction.commit()

    first = api.get(f"/v1/conversations/{conversation_id}?limit=93").body
    rest = api.get(f"/v1/conversations/{conversation_id}?limit=93&cursor={first['nextCursor']}").body

    assert [entry["body"][:6] for entry in rest["messages"]] == ["first", "line 0", "line 1"]
    assert [entry["body"][:2] for entry in first["messages"][3:]] == [f"{number:02d}" for number in range(90)]
