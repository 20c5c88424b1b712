"""Erasure of conversations and their threads (docs/decisions/0062)."""

from collections.abc import Iterator, Sequence

from helpdesk.conversations import reply_addresses
from helpdesk.conversations.message_record import Entry, MailEntry, Message
from helpdesk.conversations.record import (
    ERASED,
    Conversation,
    ErasableConversation,
    InboxList,
    Rating,
    ReplyAddress,
    SessionConversation,
    Snooze,
    TeamNotice,
)
from helpdesk.conversations.repository import entries_by_key
from helpdesk.storage import table
from helpdesk.storage.changes import other_than
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Index
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_PAGE = 100
_PLACES = ("GSI3PK", "GSI3SK", "GSI4PK", "GSI4SK")
_conversations = Collection(ErasableConversation)


def find(organization: str, customer_id: str, conversation_ids: set[str]) -> list[ErasableConversation]:
    """Return a customer's conversations, oldest first: those of the given IDs and those in the customer's index.

    It includes conversations that are being erased. The index lags behind the items, so a repeated call can find more.
    """
    found = {each.id: each for each in _of_customer(organization, customer_id)}
    found |= _conversations.by_ids(organization, ids=conversation_ids - found.keys())
    return [each for _, each in sorted(found.items()) if each.customer_id == customer_id]


def session_of(organization: str, customer_id: str) -> str | None:
    """Return the hash of a customer's session, as their conversations name it; None if none does."""
    hashes = (each.session_hash for each in _of_customer(organization, customer_id))
    return next(filter(None, hashes), None)


def quiet(organization: str, before: int) -> Iterator[ErasableConversation]:
    """Yield conversations whose last message is older than an instant (ms), first those that are being erased."""
    for name in (ERASED, *InboxList):
        partition = Conversation.partition_for(organization, name, index="GSI1")
        yield from _all_in(partition, "GSI1", between=("0", f"{before:013d}"))


def mark(organization: str, conversation_id: str, erasure_id: str, before: int | None = None) -> bool:
    """Mark a conversation as being erased, if its last message is older than `before` (ms; None: any).

    Return whether it is marked. From then on every reader treats it as gone. Every other write requires `archivedAt` as
    it was read, which is never 0, so no write succeeds after this one.
    """
    removed = {f"#{name}": name for name in ("subject", "page", "context", "assignee", "tags", *_PLACES)}
    try:
        table.update(
            Conversation.key_for(organization, conversation_id),
            "SET erasing = if_not_exists(erasing, :erasure), archivedAt = :zero, GSI1PK = :list "
            "REMOVE " + ", ".join(removed),
            condition=table.EXISTS + ("" if before is None else " AND lastMessageAt < :before"),
            names=removed,
            values={
                ":erasure": erasure_id,
                ":zero": 0,
                ":list": Conversation.partition_for(organization, ERASED, index="GSI1"),
                **({} if before is None else {":before": before}),
            },
        )
    except ConditionFailed:
        return False
    return True


def first_entries(organization: str, conversation_id: str, limit: int) -> list[Entry]:
    """Return up to `limit` entries of a thread."""
    return entries_by_key(organization, conversation_id, "", limit)[0]


def delete_entries(
    transaction: Transaction, organization: str, entries: Sequence[Entry], rating_ids: Sequence[str]
) -> None:
    """Add the removal of entries, and of the ratings in them, to a transaction.

    It raises ConditionFailed if one of the entries is gone.
    """
    for entry in entries:
        transaction.delete(entry.key, require={}, on_failure=ConditionFailed)
        if isinstance(entry, Message) and entry.received is not None:
            transaction.delete(MailEntry.key_for(organization, entry.received.hash))
    for rating_id in rating_ids:
        transaction.delete(Rating.key_for(organization, rating_id))


def delete_for(transaction: Transaction, conversation: ErasableConversation) -> None:
    """Add the removal of a marked conversation, whose thread is empty, to a transaction.

    With it go its snooze, what the team was notified of, the address for replies to its mails, and its place in the
    list of its session. The transaction raises ConditionFailed if the conversation is gone.
    """
    marked = {"erasing": other_than(None)}
    transaction.delete(conversation.key, require=marked, on_failure=ConditionFailed)
    transaction.delete(Snooze.key_for(conversation.organization, conversation.id))
    transaction.delete(TeamNotice.key_for(conversation.organization, conversation.id))
    if conversation.reply_token is not None:
        transaction.delete(ReplyAddress.key_for(reply_addresses.hash_of(conversation.reply_token)))
    if session_hash := conversation.session_hash:
        listed = SessionConversation.key_for(conversation.organization, session_hash, conversation.id)
        transaction.delete(listed)


def _of_customer(organization: str, customer_id: str) -> Iterator[ErasableConversation]:
    """Yield a customer's conversations, oldest first. The index lags, so a new one can be missing."""
    partition = Conversation.partition_for(organization, customer_id, index="GSI2")
    return _all_in(partition, "GSI2", between=None)


def _all_in(
    partition: str, index: Index, *, between: tuple[str, str] | None
) -> Iterator[ErasableConversation]:
    after: Item | None = None
    while True:
        page = table.query(
            partition, index=index, sk_between=between, limit=_PAGE, after=after, consistent=True
        )
        yield from map(ErasableConversation.from_item, page.items)
        after = page.after
        if after is None:
            return
