"""Items of threads: messages, notes and system lines."""

from typing import NamedTuple

from helpdesk.conversations.message_record import EntryKind, Message
from helpdesk.storage import keys, table
from helpdesk.storage.transactions import Transaction


class Entry(NamedTuple):
    """An entry of a thread with its sort key, which is its position in an export."""

    sort_key: str
    message: Message


def put_entry(
    transaction: Transaction, organization: str, entry: Message, *, new: bool = True, entity: str = ""
) -> None:
    """Add an entry to a thread, or write it over the one of the same id.

    A visitor's query reads no note, which has a sort key of its own. With an `entity` the fan-out reads the entry.
    """
    kind = keys.Message if entry.kind is EntryKind.MESSAGE else keys.Note
    key = kind(organization, entry.conversation_id, entry.id).attributes()
    transaction.put({**key, **entry.to_item(), **({"entity": entity} if entity else {})}, new=new)


def newest_messages(organization: str, conversation_id: str, limit: int) -> list[Message]:
    """Return the newest customer-visible messages, newest first."""
    partition = keys.Conversation(organization, conversation_id).pk
    page = table.newest(partition, limit, sk_prefix="MSG#", consistent=True)
    return [Message.from_item(item) for item in page.items]


def messages_after(organization: str, conversation_id: str, message_id: str, limit: int) -> list[Message]:
    """Return the newest customer-visible messages after an id, newest first. One query."""
    first = keys.Message(organization, conversation_id, message_id)
    # No id is as long as one and a character, and none begins with what follows every letter.
    between = (first.sk + "0", keys.Message(organization, conversation_id, "~").sk)
    page = table.query(first.pk, sk_between=between, limit=limit, newest_first=True, consistent=True)
    return [Message.from_item(item) for item in page.items]


def newest_entries(
    organization: str, conversation_id: str, limit: int, before: str | None
) -> tuple[list[Message], str | None]:
    """Return the newest entries of the team's thread, newest first, older than the id `before`.

    Messages and notes have sort keys of their own; both are read and merged by id, which sorts by time.
    """
    partition = keys.Conversation(organization, conversation_id).pk
    entries: list[Message] = []
    more = False
    for kind in (keys.Message, keys.Note):
        after = kind(organization, conversation_id, before).attributes() if before else None
        prefix = kind.SK.partition("#")[0] + "#"
        page = table.newest(partition, limit, sk_prefix=prefix, after=after, consistent=True)
        entries += [Message.from_item(item) for item in page.items]
        more = more or page.after is not None
    entries.sort(key=lambda entry: entry.id, reverse=True)
    kept = entries[:limit]
    return kept, kept[-1].id if kept and (more or len(entries) > limit) else None


def messages_onward(organization: str, conversation_id: str, message_id: str, limit: int) -> list[Message]:
    """Return the next messages after an id, oldest first. One query."""
    found, _ = _page(keys.Message, organization, conversation_id, message_id, limit)
    return found


def entries_onward(
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


def entries_by_key(
    organization: str, conversation_id: str, sort_key: str, limit: int
) -> tuple[list[Entry], bool]:
    """Return entries of a thread after a sort key (empty: the first ones), messages first, then notes.

    The second value is whether more may follow.
    """
    page = table.query(
        keys.Conversation(organization, conversation_id).pk,
        sk_between=(f"{sort_key}0" if sort_key else "MSG#", "NOTE#~"),
        limit=limit,
        consistent=True,
    )
    return [Entry(item["SK"], Message.from_item(item)) for item in page.items], page.after is not None


def _page(
    kind: type[keys.Message | keys.Note], organization: str, conversation_id: str, after: str, limit: int
) -> tuple[list[Message], bool]:
    """Return the next entries of a kind after an id, and whether there are more."""
    first = kind(organization, conversation_id, after)
    between = (first.sk + "0", kind(organization, conversation_id, "~").sk)
    page = table.query(first.pk, sk_between=between, limit=limit, consistent=True)
    return [Message.from_item(item) for item in page.items], page.after is not None
