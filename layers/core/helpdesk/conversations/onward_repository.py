"""What a thread has after the place where a reader was: messages and system lines, without notes."""

from helpdesk.conversations.record import EntryKind, Message
from helpdesk.storage import keys, table


def messages_after(organization: str, conversation_id: str, message_id: str, limit: int) -> list[Message]:
    """Return the next messages after an id, oldest first. One query."""
    found, _ = _page(keys.Message, organization, conversation_id, message_id, limit)
    return found


def entries_after(
    organization: str, conversation_id: str, message_id: str, line_id: str, limit: int
) -> list[Message]:
    """Return the next messages after one id and system lines after another, oldest first. Two queries.

    Each kind has an id of its own to go on from: only ids of one kind are in the order in which they were written.
    """
    found: list[Message] = []
    horizon = "~"
    for kind, after in ((keys.Message, message_id), (keys.Note, line_id)):
        entries, has_more = _page(kind, organization, conversation_id, after, limit)
        if has_more and entries:
            horizon = min(horizon, entries[-1].id)
        found += [each for each in entries if each.kind is not EntryKind.NOTE]
    return sorted((each for each in found if each.id <= horizon), key=lambda each: each.id)[:limit]


def _page(
    kind: type[keys.Message | keys.Note], organization: str, conversation_id: str, after: str, limit: int
) -> tuple[list[Message], bool]:
    """Return the next entries of a kind after an id, and whether there are more."""
    first = kind(organization, conversation_id, after)
    between = (first.sk + "0", kind(organization, conversation_id, "~").sk)
    page = table.query(first.pk, sk_between=between, limit=limit, consistent=True)
    return [Message.from_item(item) for item in page.items], page.after is not None
