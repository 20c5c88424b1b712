"""The threads of conversations: which there are, how far each has come, and who writes in one.

A worker claims a thread for one message, by a condition on the version that it read, and writes down what it is about
to post. A worker that finds that note after a crash looks in Slack before it posts again.
"""

import contextlib
from collections.abc import Callable

from helpdesk.conversations.record import Conversation
from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import IntegrationJob
from helpdesk.integrations import pacing
from helpdesk.integrations.slack.record import (
    MirroredThread,
    MirrorPace,
    MirrorSettings,
    MirrorThread,
    owners,
    threads,
)
from helpdesk.storage import table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

CLAIM_MS = 60_000
PACE_MS = 1_000
"""Slack takes one message a second and channel (Slack, "Rate limits")."""


class StaleThread(Exception):
    """Another worker has changed the thread."""


class StaleTakeover(Exception):
    """Another worker has recorded who took the conversation over."""


def of(conversation: Conversation, settings: MirrorSettings) -> MirroredThread:
    """Return a conversation's thread in the channel that is set, as yet unwritten if there is none. One call."""
    organization, team, channel = (
        conversation.organization,
        settings.account_id or "",
        settings.channel_id or "",
    )
    return threads.find(organization, conversation.id, team, channel) or MirroredThread(
        organization=organization, conversation_id=conversation.id, team=team, channel=channel
    )


def save(
    seen: MirroredThread,
    wanted: MirroredThread,
    then: IntegrationJob | None,
    require: Callable[[Transaction], None],
) -> MirroredThread:
    """Write a thread over the one that was read, with a job that follows. Raises StaleThread.

    `require` is what must hold for a new one: that its conversation is not being erased.
    """
    transaction = Transaction()
    if not seen.version:
        require(transaction)
    after = transaction.save(seen, wanted, on_failure=ConditionFailed)
    if seen.ts is not None and after.ts is None:
        transaction.delete(MirrorThread.key_for(seen.organization, seen.team, seen.channel, seen.ts))
    if after.ts is not None and seen.ts is None:
        transaction.put(
            MirrorThread(
                organization=seen.organization,
                team=seen.team,
                channel=seen.channel,
                thread=after.ts,
                conversation_id=seen.conversation_id,
            )
        )
    if then is not None:
        jobs.put(transaction, then)
    try:
        transaction.commit()
    except ConditionFailed:
        raise StaleThread from None
    return after


def take_over(transaction: Transaction, takeover: MirrorThread, seen: MirrorThread | None) -> None:
    """Record who took a conversation over by the button of its thread: what they write there is a reply.

    The transaction raises StaleThread if the thread is gone, StaleTakeover unless it is as it was seen.
    """
    required = (
        {"pressed_at": None} if seen is None else {"member": seen.member, "pressed_at": seen.pressed_at}
    )
    names = ("member", "person", "state_changes", "at", "pressed_at", "until")
    transaction.change(
        takeover.key,
        set={name: getattr(takeover, name) for name in names},
        require=required,
        on_failure=lambda found: StaleThread() if found is None else StaleTakeover(),
    )


def takeover_of(organization: str, team: str, channel: str, thread: str) -> MirrorThread | None:
    """Return who took a conversation over by the button of its thread, or None. One call."""
    found = owners.find(organization, team, channel, thread)
    return None if found is None or found.pressed_at is None else found


def end_takeover(seen: MirrorThread, until: str) -> None:
    """Record until which message somebody could take a takeover for theirs. One call."""
    with contextlib.suppress(ConditionFailed):
        table.change(
            seen.key, set={"until": until}, require={"member": seen.member, "at": seen.at, "until": None}
        )


def next_slot(thread: MirroredThread) -> int:
    """Return the instant (ms) at which a message may go to the thread's channel, and give that to nobody else."""
    return pacing.next_slot(MirrorPace, thread.organization, thread.team, thread.channel, pace_ms=PACE_MS)
