"""Reminders of snoozes: one item for a conversation, in an index by the time at which the snooze ends.

The conversation's own item says whether it is snoozed, and until when; a reminder is how that time is noticed. A
visitor's message ends a snooze without knowing of it, so a reminder can be stale, which does no harm.
"""

from helpdesk.conversations.record import Snooze
from helpdesk.platform import unreadable
from helpdesk.storage import table
from helpdesk.storage.stored import UnreadableItem
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


def forget_stale(organization: str, conversation_id: str, until: int) -> None:
    """Remove the reminder of a snooze that is over, unless another snooze has begun since."""
    transaction = Transaction()
    transaction.delete(
        Snooze.key_for(organization, conversation_id),
        condition="attribute_not_exists(PK) OR #until <= :until",
        names={"#until": "until"},
        values={":until": until},
        on_failure=ConditionFailed,
    )
    try:
        transaction.commit()
    except ConditionFailed:
        return


def due(shard: int, before: int, limit: int, after: Item | None) -> tuple[list[Snooze], Item | None]:
    """Return a page of a shard's reminders of snoozes that end before an instant (ms), the earliest first.

    With it comes the key to continue from, None at the end. A reminder that cannot be read is passed over.
    """
    page = table.query(
        Snooze.partition_for(str(shard), index="GSI1"),
        index="GSI1",
        sk_between=("0", f"{before:013d}"),
        limit=limit,
        after=after,
    )
    reminders = []
    for item in page.items:
        try:
            reminders.append(Snooze.from_item(item))
        except UnreadableItem as error:
            unreadable.report({"PK": item["PK"], "SK": item["SK"]}, error)
    return reminders, page.after
