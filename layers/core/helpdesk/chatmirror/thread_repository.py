"""The threads of conversations: which there are, how far each has come, and who writes in one.

A worker claims a thread for one message, by a condition on the version that it read, and writes down what it is about
to post. A worker that finds that note after a crash looks in Slack before it posts again.
"""

import contextlib
from collections.abc import Callable
from typing import Any

from helpdesk.chatmirror.record import MirrorSettings, Taken, Thread
from helpdesk.conversations.record import Conversation
from helpdesk.integrations import jobs, pacing
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

CLAIM_MS = 60_000
PACE_MS = 1_000
"""Slack takes one message a second and channel (Slack, "Rate limits")."""


class StaleThread(Exception):
    """Another worker has changed the thread."""


class StaleTaken(Exception):
    """Another worker has noted who took the conversation over."""


def of(conversation: Conversation, settings: MirrorSettings) -> Thread:
    """Return a conversation's thread in the channel that is set, as yet unwritten if there is none. One call."""
    key = keys.MirroredConversation(
        conversation.organization, conversation.id, settings.account_id or "", settings.channel_id or ""
    )
    item = table.get(key)
    if item is not None:
        return Thread.from_item(key, item)
    return Thread(
        organization=key.organization, conversation_id=key.conversation_id, team=key.team, channel=key.channel
    )


def save(
    seen: Thread, wanted: Thread, then: IntegrationJob | None, require: Callable[[Transaction], None]
) -> Thread:
    """Write a thread over the one that was read, with a job that follows. Raises StaleThread.

    `require` is what must hold for a new one: that its conversation is not being erased.
    """
    after = wanted.__replace__(version=seen.version + 1)
    transaction = Transaction()
    if seen.version:
        transaction.set(
            seen.key,
            after.to_item(),
            condition="#version = :seen",
            values={":seen": seen.version},
            on_failure=ConditionFailed,
        )
    else:
        require(transaction)
        transaction.put({**seen.key.attributes(), **after.to_item()}, new=True, on_failure=ConditionFailed)
    if seen.ts is not None and after.ts is None:
        transaction.delete(keys.MirrorThread(seen.organization, seen.team, seen.channel, seen.ts))
    if after.ts is not None and seen.ts is None:
        found = keys.MirrorThread(seen.organization, seen.team, seen.channel, after.ts)
        transaction.put({**found.attributes(), "conversationId": seen.conversation_id})
    if then is not None:
        jobs.put(transaction, then)
    try:
        transaction.commit()
    except ConditionFailed:
        raise StaleThread from None
    return after


def conversation_of(organization: str, team: str, channel: str, thread: str) -> str | None:
    """Return the id of the conversation that a thread is of, or None. One call."""
    item = table.get(keys.MirrorThread(organization, team, channel, thread))
    return None if item is None else item["conversationId"]


def take_over(
    transaction: Transaction,
    organization: str,
    team: str,
    channel: str,
    thread: str,
    taken: Taken,
    seen: Taken | None,
) -> None:
    """Note who took a conversation over by the button of its thread: what they write there is a reply.

    The transaction raises StaleThread if the thread is gone, StaleTaken unless it is as it was seen.
    """
    values: dict[str, Any] = {f":{name}": value for name, value in taken.to_item().items()}
    condition = "attribute_exists(PK) AND attribute_not_exists(takenPress)"
    if seen is not None:
        condition = "takenBy = :seenBy AND takenPress = :seenPress"
        values |= {":seenBy": seen.member, ":seenPress": seen.pressed_at}
    transaction.update(
        keys.MirrorThread(organization, team, channel, thread),
        "SET takenBy = :takenBy, takenAs = :takenAs, takenFor = :takenFor, takenAt = :takenAt,"
        " takenPress = :takenPress REMOVE takenUntil",
        condition=condition,
        values=values,
        on_failure=lambda found: StaleThread() if found is None else StaleTaken(),
    )


def taken(organization: str, team: str, channel: str, thread: str) -> Taken | None:
    """Return who took a conversation over by the button of its thread, or None. One call."""
    item = table.get(keys.MirrorThread(organization, team, channel, thread))
    return None if item is None or "takenPress" not in item else Taken.from_item(item)


def end_taken(organization: str, team: str, channel: str, thread: str, seen: Taken, until: str) -> None:
    """Note until which message somebody could take a take-over for theirs. One call."""
    with contextlib.suppress(ConditionFailed):
        table.update(
            keys.MirrorThread(organization, team, channel, thread),
            "SET takenUntil = :until",
            condition="takenBy = :member AND takenAt = :at AND attribute_not_exists(takenUntil)",
            values={":member": seen.member, ":at": seen.at, ":until": until},
        )


def next_slot(thread: Thread) -> int:
    """Return the instant (ms) at which a message may go to the thread's channel, and give that to nobody else."""
    return pacing.next_slot(keys.MirrorPace(thread.organization, thread.team, thread.channel), PACE_MS)
