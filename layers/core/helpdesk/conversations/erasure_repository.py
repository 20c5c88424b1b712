"""The items of conversations that are being erased, and of the entries in their threads."""

from collections.abc import Iterator, Sequence

from helpdesk.conversations.list_repository import ERASED, InboxList
from helpdesk.conversations.message_record import EntryKind, Message
from helpdesk.conversations.record import ErasableConversation
from helpdesk.storage import keys, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_PAGE = 100


def get_many(organization: str, conversation_ids: Sequence[str]) -> list[ErasableConversation]:
    """Return the conversations that exist, in the order given, including those that are being erased."""
    wanted = [keys.Conversation(organization, each) for each in conversation_ids]
    items = table.get_many(wanted)
    return [ErasableConversation.from_item(items[key]) for key in wanted if key in items]


def of_customer(organization: str, customer_id: str) -> Iterator[ErasableConversation]:
    """Yield a customer's conversations from the index, which lags behind the items, oldest first."""
    partition = keys.customer_conversations(organization, customer_id)
    after: Item | None = None
    while True:
        page = table.query(partition, index="GSI2", limit=_PAGE, after=after)
        yield from map(ErasableConversation.from_item, page.items)
        after = page.after
        if after is None:
            return


def quiet(organization: str, before: int) -> Iterator[ErasableConversation]:
    """Yield conversations whose last message is older than an instant (ms), first those that are being erased."""
    for name in (ERASED, *(each.value for each in InboxList)):
        after: Item | None = None
        while True:
            page = table.query(
                keys.inbox(organization, name),
                index="GSI1",
                sk_between=("0", f"{before:013d}"),
                limit=_PAGE,
                after=after,
            )
            yield from map(ErasableConversation.from_item, page.items)
            after = page.after
            if after is None:
                break


def mark(organization: str, conversation_id: str, erasure_id: str, before: int | None) -> bool:
    """Mark a conversation, if its last message is older than `before` (ms; None: any); return whether it is marked.

    Every other write requires `archivedAt` as it was read, which is never 0. So no write succeeds after this one.
    """
    removed = {f"#{name}": name for name in ("subject", "page", "context", "assignee", "GSI3PK", "GSI3SK")}
    try:
        table.update(
            keys.Conversation(organization, conversation_id),
            f"SET {BEING_ERASED} = if_not_exists({BEING_ERASED}, :erasure), archivedAt = :zero, GSI1PK = :list "
            "REMOVE " + ", ".join(removed),
            condition="attribute_exists(PK)" + ("" if before is None else " AND lastMessageAt < :before"),
            names=removed,
            values={
                ":erasure": erasure_id,
                ":zero": 0,
                ":list": keys.inbox(organization, ERASED),
                **({} if before is None else {":before": before}),
            },
        )
    except ConditionFailed:
        return False
    return True


def delete(transaction: Transaction, organization: str, conversation_id: str) -> None:
    """Add the removal of a marked conversation to a transaction. It raises ConditionFailed if the item is gone."""
    transaction.delete(
        keys.Conversation(organization, conversation_id),
        condition=f"attribute_exists({BEING_ERASED})",
        on_failure=ConditionFailed,
    )


def first_entries(organization: str, conversation_id: str, limit: int) -> list[Message]:
    """Return the first messages, notes and system lines of a thread."""
    partition = keys.Conversation(organization, conversation_id).pk
    page = table.query(partition, sk_between=("MSG#", "NOTE#~"), limit=limit, consistent=True)
    return [Message.from_item(item) for item in page.items]


def delete_entries(transaction: Transaction, organization: str, entries: Sequence[Message]) -> None:
    """Add the removal of entries to a transaction. It raises ConditionFailed if one of them is gone."""
    for entry in entries:
        kind = keys.Message if entry.kind is EntryKind.MESSAGE else keys.Note
        transaction.delete(
            kind(organization, entry.conversation_id, entry.id),
            condition="attribute_exists(PK)",
            on_failure=ConditionFailed,
        )
