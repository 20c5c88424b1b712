"""Items of conversations and of their threads. The lists that conversations are in are in `list_repository`."""

from collections.abc import Iterable, Mapping
from typing import Any

from helpdesk.conversations.change import Change
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.message_record import (
    MAIL_ENTRY_KEPT_SECONDS,
    AlreadyReceived,
    Entry,
    EntryKind,
    IncomingMail,
    MailEntry,
    Message,
    Note,
)
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.transactions import Transaction

_LAST = "~"
"""What sorts behind every ID: none begins with what follows every letter."""


class _Conversations(Collection[Conversation]):
    """Conversations without those that are being erased: to everyone but the eraser, they are gone."""

    def find(self, *parts: str, consistent: bool = True) -> Conversation | None:
        """Return a conversation, or None."""
        found = super().find(*parts, consistent=consistent)
        return None if found is None or found.erasing else found

    def by_ids(self, *scope: str, ids: Iterable[str], consistent: bool = True) -> dict[str, Conversation]:
        """Return conversations by ID, in the order given, without those that are gone."""
        found = super().by_ids(*scope, ids=ids, consistent=consistent)
        return {each.id: each for each in found.values() if not each.erasing}


conversations = _Conversations(Conversation, missing=ConversationNotFound)
messages = Collection(Message)
notes = Collection(Note)


def save(transaction: Transaction, change: Change, further: Mapping[str, Any] = {}) -> None:
    """Add the write of a change to a transaction, which requires what the change does, and `further` by field.

    Where one does not hold, the transaction raises StaleConversation with the conversation as it is now.
    """
    transaction.change(
        Conversation.key_for(change.before.organization, change.before.id),
        set=change.values,
        add=change.counts,
        require={**change.requirements, **further},
        on_failure=StaleConversation,
    )


def put_mail_entry(transaction: Transaction, entry: Entry, mail: IncomingMail) -> None:
    """Add to a transaction that a mail became an entry, the first time that it came. It raises AlreadyReceived."""
    entered = MailEntry(
        organization=entry.organization,
        mail_hash=mail.hash,
        conversation_id=entry.conversation_id,
        entry_id=entry.id,
        expires_at=clock.seconds_from_now(MAIL_ENTRY_KEPT_SECONDS),
    )
    transaction.put(entered, new=True, on_failure=AlreadyReceived)


def where_they_ended(organization: str, found: Iterable[Conversation]) -> list[Conversation]:
    """Return conversations in their order, each merged one replaced by the one that it ended in, and each once.

    No call unless one was merged: then a batch read for each merge in a row. Merges never form a circle, because a
    merged conversation is archived for good.
    """
    led = list(found)
    while wanted := {each.merged_into for each in led if each.merged_into}:
        known = {each.id: each for each in led}
        known |= conversations.by_ids(organization, ids=wanted - known.keys())
        ends = [each.merged_into or each.id for each in led]
        led = [known[each] for each in ends if each in known]
    return list({each.id: each for each in led}.values())


def where_it_ended(conversation: Conversation) -> Conversation:
    """Return the conversation that one ended in, itself if it wasn't merged. Raises ConversationNotFound."""
    led = where_they_ended(conversation.organization, [conversation])
    if not led:
        raise ConversationNotFound
    return led[0]


def newest_messages(conversation: Conversation, limit: int) -> list[Message]:
    """Return a conversation's newest customer-visible messages, newest first, with those of what ended in it.

    One query for each of these conversations.
    """
    found: list[Message] = []
    for each in (conversation.id, *conversation.merged_from):
        partition = Message.partition_for(conversation.organization, each)
        page = table.newest(partition, limit, sk_prefix=Message.sk_prefix(), consistent=True)
        found += [Message.from_item(item) for item in page.items]
    return _newest_first(found)[:limit]


def messages_after(conversation: Conversation, message_id: str, limit: int) -> list[Message]:
    """Return the newest customer-visible messages after an ID, newest first, with those of what ended in it.

    One query for each of these conversations.
    """
    found: list[Message] = []
    for each in (conversation.id, *conversation.merged_from):
        found += _after(Message, conversation.organization, each, message_id, limit, newest_first=True)[0]
    return _newest_first(found)[:limit]


def find_message(conversation: Conversation, message_id: str) -> Message | None:
    """Return a message of a conversation or of one that ended in it. One read for each until it's found."""
    places = (conversation.id, *conversation.merged_from)
    found = (messages.find(conversation.organization, each, message_id) for each in places)
    return next(filter(None, found), None)


def messages_onward(conversation: Conversation, message_id: str, limit: int) -> list[Message]:
    """Return the next customer-visible messages after an ID, oldest first. One query."""
    return _after(Message, conversation.organization, conversation.id, message_id, limit)[0]


def entries_onward(conversation: Conversation, message_id: str, line_id: str, limit: int) -> list[Entry]:
    """Return the next messages after one ID and system lines after another, oldest first. Two queries.

    Each kind has an ID of its own to go on from: only IDs of one kind are in the order in which they were written.
    """
    found: list[Entry] = []
    horizon = _LAST
    kinds: tuple[tuple[type[Entry], str], ...] = ((Message, message_id), (Note, line_id))
    for kind, after in kinds:
        entries, has_more = _after(kind, conversation.organization, conversation.id, after, limit)
        if has_more and entries:
            horizon = min(horizon, entries[-1].id)
        found += [each for each in entries if each.kind is not EntryKind.NOTE]
    return sorted((each for each in found if each.id <= horizon), key=lambda each: each.id)[:limit]


def newest_entries(
    organization: str, conversation_id: str, limit: int, before: str | None
) -> tuple[list[Entry], str | None]:
    """Return the newest entries of the team's thread, newest first, older than the ID `before`.

    Messages and notes have sort keys of their own; both are read and merged by ID, which sorts by time. Those of
    conversations that ended in it are not among them (`with_merged`).
    """
    entries: list[Entry] = []
    more = False
    kinds: tuple[type[Entry], ...] = (Message, Note)
    for kind in kinds:
        page = table.newest(
            kind.partition_for(organization, conversation_id),
            limit,
            sk_prefix=kind.sk_prefix(),
            after=kind.key_for(organization, conversation_id, before).attributes() if before else None,
            consistent=True,
        )
        entries += [kind.from_item(item) for item in page.items]
        more = more or page.after is not None
    kept = _newest_first(entries)[:limit]
    return kept, kept[-1].id if kept and (more or len(entries) > limit) else None


def with_merged(
    conversation: Conversation, own: tuple[list[Entry], str | None], limit: int, before: str | None
) -> tuple[list[Entry], str | None]:
    """Return a page of a thread (`newest_entries`) with the entries of the conversations that ended in it.

    Two queries for each of those. Nobody writes in them any more, so they can be read later than the thread.
    """
    entries, older = list(own[0]), own[1]
    for each in conversation.merged_from:
        found, further = newest_entries(conversation.organization, each, limit, before)
        entries += found
        older = older or further
    kept = _newest_first(entries)[:limit]
    return kept, kept[-1].id if kept and (older or len(entries) > limit) else None


def _newest_first[E: Entry](entries: Iterable[E]) -> list[E]:
    return sorted(entries, key=lambda entry: entry.id, reverse=True)


def entries_by_key(
    organization: str, conversation_id: str, sort_key: str, limit: int
) -> tuple[list[Entry], bool]:
    """Return entries of a thread after a sort key (empty: the first ones), messages first, then notes.

    The second value is whether more may follow. One query.
    """
    page = table.query(
        Conversation.partition_for(organization, conversation_id),
        sk_between=(f"{sort_key}0" if sort_key else Message.sk_prefix(), f"{Note.sk_prefix()}{_LAST}"),
        limit=limit,
        consistent=True,
    )
    kinds: list[type[Entry]] = [
        Message if item["SK"].startswith(Message.sk_prefix()) else Note for item in page.items
    ]
    return [
        kind.from_item(item) for kind, item in zip(kinds, page.items, strict=True)
    ], page.after is not None


def _after[E: Entry](
    kind: type[E],
    organization: str,
    conversation_id: str,
    after: str,
    limit: int,
    *,
    newest_first: bool = False,
) -> tuple[list[E], bool]:
    """Return entries of a kind after an ID, and whether there are more."""
    first, last = (kind.key_for(organization, conversation_id, each) for each in (after, _LAST))
    # No ID is as long as one and a character.
    page = table.query(
        first.pk,
        sk_between=(f"{first.sk}0", last.sk),
        limit=limit,
        newest_first=newest_first,
        consistent=True,
    )
    return [kind.from_item(item) for item in page.items], page.after is not None
