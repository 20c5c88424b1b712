"""Writes the rows of items whose changes the stream's reader missed.

It may be stopped and repeated at any time: an existing row stays as it is, whether a change in the stream or an
earlier run wrote it.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import replace

from helpdesk.analytics import conversation_rows, repository, sources, stream
from helpdesk.analytics.sources import Change
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Conversation
from helpdesk.customers.record import Customer
from helpdesk.storage import table
from helpdesk.storage.table import Item

_THREADS = 8


def write_rows(items: Sequence[Item], organization: str | None = None) -> int:
    """Write the rows of items that were read, of one organization or of all; return how many items have rows.

    Messages are written with their conversation.
    """
    changes = [change for item in items if (change := sources.of_item(item)) is not None]
    wanted = [each for each in changes if organization in {None, each.organization}]
    with ThreadPoolExecutor(_THREADS) as pool:
        return sum(pool.map(_write, wanted))


def _write(change: Change) -> bool:
    if change.new is None:
        return False
    if change.kind is Message:
        return False
    if change.kind is Customer:
        conversation_rows.write_customer(change.organization, change.source.id)
    elif change.kind is Conversation:
        if repository.conversation(change.organization, change.source.id) is None:
            conversation_rows.write_past(change.organization, change.source.id, change.sequence)
        _note_seen(change.organization, Conversation.from_item(change.new))
    else:
        _write_item(change)
    return True


def _write_item(change: Change) -> None:
    """Write the row of an item. If the item is gone by now, its removal may have passed the stream already."""
    stream.write_item([change])
    item = table.get(change.source.key)
    if repository.is_gone(item):
        stream.write_item([replace(change, old=change.new, new=None)])


def _note_seen(organization: str, conversation: Conversation) -> None:
    """Note when a customer wrote last: that is known only of conversations whose thread was read."""
    stored = repository.conversation(organization, conversation.id)
    at = None if stored is None else stored.thread.last_visitor_at
    if at is not None:
        repository.note_seen(organization, conversation.customer_id, at)
