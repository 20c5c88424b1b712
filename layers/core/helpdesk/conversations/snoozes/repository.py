"""Reminders of snoozes: one item for a conversation, in an index by the time at which the snooze ends.

The conversation's own item says whether it is snoozed, and until when; a reminder is how that time is noticed. A
visitor's message ends a snooze without knowing of it, so a reminder can be stale, which does no harm.
"""

from helpdesk.conversations.record import Snooze
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

reminders = Collection(Snooze)


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
