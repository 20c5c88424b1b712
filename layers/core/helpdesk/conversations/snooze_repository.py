"""Items that remind of a snooze: one for a conversation, in an index by the time at which it is to come back.

The conversation's own item says whether it is snoozed, and until when; this one is how that time is noticed. A
visitor's message ends a snooze without knowing of it, so an item may remind of what is over: that does no harm.
"""

from helpdesk.conversations.record import Conversation
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import keys, shards, table
from helpdesk.storage.table import ConditionFailed, Item, Page
from helpdesk.storage.transactions import Transaction

_KEPT_MS = 7 * DAY_MS  # past its time, for a timers function that stood still; then time to live removes it


def put(transaction: Transaction, conversation: Conversation, until: int) -> None:
    """Remind of a snooze that ends at `until` (ms), and of no earlier one of this conversation."""
    transaction.put(
        {
            **keys.Snooze(conversation.organization, conversation.id).attributes(),
            "GSI1PK": shards.snoozes(shards.shard_of(conversation.id)),
            "GSI1SK": f"{until:013d}",
            "organization": conversation.organization,
            "conversationId": conversation.id,
            "until": until,
            "expiresAt": (until + _KEPT_MS) // 1_000,
        }
    )


def forget(transaction: Transaction, conversation: Conversation) -> None:
    """Remind of no snooze of this conversation any more."""
    transaction.delete(keys.Snooze(conversation.organization, conversation.id))


def forget_stale(organization: str, conversation_id: str, until: int) -> None:
    """Remind no more of a snooze that is over, unless another has begun since."""
    transaction = Transaction()
    transaction.delete(
        keys.Snooze(organization, conversation_id),
        condition="attribute_not_exists(PK) OR #until <= :until",
        names={"#until": "until"},
        values={":until": until},
        on_failure=ConditionFailed,
    )
    try:
        transaction.commit()
    except ConditionFailed:
        return


def due(shard: int, before: int, limit: int, after: Item | None) -> Page:
    """Return a page of a shard's reminders of snoozes that end before an instant (ms), the earliest first."""
    return table.query(
        shards.snoozes(shard), index="GSI1", sk_between=("0", f"{before:013d}"), limit=limit, after=after
    )
