"""The items of a customer's conversations and threads, in the order of an export."""

from collections.abc import Iterator
from typing import NamedTuple

from helpdesk.conversations.record import Conversation, Message
from helpdesk.storage import keys, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import Item

_PAGE = 100


class Entry(NamedTuple):
    """An entry of a thread with its sort key, which is its position in an export."""

    sort_key: str
    message: Message


def find(organization: str, conversation_id: str) -> Conversation | None:
    """Return a conversation; None if it does not exist or is being erased."""
    item = table.get(keys.Conversation(organization, conversation_id))
    return Conversation.from_item(item) if item is not None and BEING_ERASED not in item else None


def conversations_after(organization: str, customer_id: str, conversation_id: str) -> Iterator[Conversation]:
    """Yield a customer's conversations after an id (empty: all), oldest first, without those being erased."""
    partition = keys.customer_conversations(organization, customer_id)
    after: Item | None = None
    if conversation_id:
        key = keys.Conversation(organization, conversation_id)
        after = {**key.attributes(), "GSI2PK": partition, "GSI2SK": conversation_id}
    while True:
        page = table.query(partition, index="GSI2", limit=_PAGE, after=after)
        yield from (Conversation.from_item(item) for item in page.items if BEING_ERASED not in item)
        after = page.after
        if after is None:
            return


def entries_after(
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
