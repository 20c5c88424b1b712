"""Reminders of snoozes: one item for a conversation, in an index by the time at which the snooze ends.

The conversation's own item says whether it is snoozed, and until when; a reminder is how that time is noticed. A
visitor's message ends a snooze without knowing of it, so a reminder can be stale, which does no harm.
"""

from helpdesk.platform import unreadable
from helpdesk.snoozes.record import Reminder
from helpdesk.storage import keys, shards, table
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


def put(transaction: Transaction, reminder: Reminder) -> None:
    """Write a reminder over the one of an earlier snooze of this conversation."""
    transaction.put(
        {
            **keys.Snooze(reminder.organization, reminder.conversation_id).attributes(),
            "GSI1PK": shards.snoozes(shards.shard_of(reminder.conversation_id)),
            "GSI1SK": f"{reminder.until:013d}",
            **reminder.to_item(),
        }
    )


def forget_stale(reminder: Reminder) -> None:
    """Remove the reminder of a snooze that is over, unless another snooze has begun since."""
    transaction = Transaction()
    transaction.delete(
        keys.Snooze(reminder.organization, reminder.conversation_id),
        condition="attribute_not_exists(PK) OR #until <= :until",
        names={"#until": "until"},
        values={":until": reminder.until},
        on_failure=ConditionFailed,
    )
    try:
        transaction.commit()
    except ConditionFailed:
        return


def due(shard: int, before: int, limit: int, after: Item | None) -> tuple[list[Reminder], Item | None]:
    """Return a page of a shard's reminders of snoozes that end before an instant (ms), the earliest first.

    With it comes the key to continue from, None at the end. A reminder that cannot be read is passed over.
    """
    page = table.query(
        shards.snoozes(shard), index="GSI1", sk_between=("0", f"{before:013d}"), limit=limit, after=after
    )
    reminders = []
    for item in page.items:
        try:
            reminders.append(Reminder.from_item(item))
        except UnreadableItem as error:
            unreadable.report({"PK": item["PK"], "SK": item["SK"]}, error)
    return reminders, page.after


def delete(transaction: Transaction, organization: str, conversation_id: str) -> None:
    """Add the removal of a conversation's reminder, if there is one, to a transaction."""
    transaction.delete(keys.Snooze(organization, conversation_id))
