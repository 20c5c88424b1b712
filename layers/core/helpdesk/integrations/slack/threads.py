"""The threads of conversations: which there are, how far each has come, and who writes in one. And their erasure.

A worker claims a thread for one message, by a condition on the version that it read, and writes down what it is about
to post. A worker that finds that note after a crash looks in Slack before it posts again.

What was done about a message or a click of a thread is done once: the presence of a `Claim` says so. A worker that
shows the hint that follows claims that for a minute, so two workers do not, and one that dies leaves it to the next.
What was posted in Slack stays there after an erasure.
"""

import contextlib
from collections.abc import Callable, Sequence
from copy import replace
from typing import NamedTuple

from helpdesk.conversations.record import Conversation
from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import chat
from helpdesk.integrations.chat import MissedConversation
from helpdesk.integrations.slack.record import (
    Claim,
    Hint,
    SlackPace,
    SlackReply,
    SlackSettings,
    SlackThread,
    SlackThreadOwner,
    owners,
    threads,
)
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import table
from helpdesk.storage.changes import below, other_than
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

CLAIM_MS = 60_000
PACE_MS = 1_000
"""Slack takes one message a second and channel (Slack, "Rate limits")."""
CLAIM_KEPT_SECONDS = 30 * DAY_SECONDS
_replies = Collection(SlackReply)


class StaleThread(Exception):
    """Another worker has changed the thread."""


class StaleTakeover(Exception):
    """Another worker has recorded who took the conversation over."""


def of(conversation: Conversation, settings: SlackSettings) -> SlackThread:
    """Return a conversation's thread in the channel that is set, as yet unwritten if there is none. One call."""
    organization, team, channel = (
        conversation.organization,
        settings.account_id or "",
        settings.channel_id or "",
    )
    return threads.find(organization, conversation.id, team, channel) or SlackThread(
        organization=organization, conversation_id=conversation.id, team=team, channel=channel
    )


def save(
    seen: SlackThread,
    wanted: SlackThread,
    then: IntegrationJob | None,
    require: Callable[[Transaction], None],
) -> SlackThread:
    """Write a thread over the one that was read, with a job that follows. Raises StaleThread.

    `require` is what must hold for a new one: that its conversation is not being erased.
    """
    transaction = Transaction()
    if not seen.version:
        require(transaction)
    after = transaction.save(seen, wanted, on_failure=ConditionFailed)
    if seen.ts is not None and after.ts is None:
        transaction.delete(SlackThreadOwner.key_for(seen.organization, seen.team, seen.channel, seen.ts))
    if after.ts is not None and seen.ts is None:
        transaction.put(
            SlackThreadOwner(
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


def take_over(transaction: Transaction, takeover: SlackThreadOwner, seen: SlackThreadOwner | None) -> None:
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


def takeover_of(organization: str, team: str, channel: str, thread: str) -> SlackThreadOwner | None:
    """Return who took a conversation over by the button of its thread, or None. One call."""
    found = owners.find(organization, team, channel, thread)
    return None if found is None or found.pressed_at is None else found


def end_takeover(seen: SlackThreadOwner, until: str) -> None:
    """Record until which message somebody could take a takeover for theirs. One call."""
    with contextlib.suppress(ConditionFailed):
        table.change(
            seen.key, set={"until": until}, require={"member": seen.member, "at": seen.at, "until": None}
        )


def next_slot(thread: SlackThread) -> int:
    """Return the instant (ms) at which a message may go to the thread's channel, and give that to nobody else."""
    return chat.next_slot(SlackPace, thread.organization, thread.team, thread.channel, pace_ms=PACE_MS)


class Place(NamedTuple):
    """A channel of a workspace that an organization is connected to."""

    organization: str
    team: str
    channel: str

    def reply(self, message: str) -> SlackReply:
        """Return the claim on a message."""
        organization, team, channel = self
        return SlackReply(organization=organization, team=team, channel=channel, message=message)


def put_claim(transaction: Transaction, claim: Claim, hint: Hint | None = None) -> None:
    """Claim a message or a click, with what somebody reads about it.

    The transaction raises StaleThread if it was claimed before.
    """
    transaction.put(_claim_with(claim, hint), new=True, on_failure=StaleThread())


def put_refusal(claim: Claim, hint: Hint) -> None:
    """Record that a message is not sent, unless it was settled before, and what its writer reads about it. One call."""
    try:
        table.put_new(_claim_with(claim, hint))
    except ConditionFailed:
        return


def is_claimed(claim: Claim) -> bool:
    """Return whether a message or a click is settled. One call."""
    return table.get(claim.key) is not None


def settled(place: Place, messages: Sequence[str]) -> dict[str, bool]:
    """Return the messages that were sent or refused, and whether a hint about each is to be shown. Mostly one call."""
    found = _replies.by_ids(*place, ids=messages)
    return {message: claim.hint is not None for message, claim in found.items()}


def claim_hint(claim: Claim) -> Hint | None:
    """Return the hint of a claim that nobody shows, for one minute to this worker alone. One call."""
    now = clock.now_ms()
    try:
        item = table.change(
            claim.key,
            set={"hint_after": now + MINUTE_MS},
            require={"hint": other_than(None), "hint_after": below(now + 1)},
            returning="ALL_NEW",
        )
    except ConditionFailed:
        return None
    found = type(claim).from_item(item)
    return Hint(found.hint_for or "", found.hint or "")


def release_hint(claim: Claim) -> None:
    """Leave a hint that could not be shown to the next worker. One call."""
    table.change(claim.key, set={"hint_after": 0}, or_new=True)


def note_hint_shown(claim: Claim) -> None:
    """Record that a hint was shown. One call."""
    table.change(claim.key, set={"hint": None, "hint_for": None, "hint_after": None}, or_new=True)


def _claim_with(claim: Claim, hint: Hint | None) -> Claim:
    expires_at = clock.seconds_from_now(CLAIM_KEPT_SECONDS)
    if hint is None:
        return replace(claim, expires_at=expires_at)
    return replace(claim, expires_at=expires_at, hint=hint.text, hint_for=hint.user, hint_after=0)


def threads_of(organization: str, conversation_id: str) -> list[SlackThread]:
    """Return a conversation's threads, one for each channel that it was mirrored in. One query."""
    return threads.all(organization, conversation_id, consistent=True)


def delete_for(transaction: Transaction, found: Sequence[SlackThread]) -> int:
    """Delete what leads to threads and back; return how many of them stay in Slack.

    The transaction raises ConditionFailed if one is deleted already.
    """
    for each in found:
        transaction.delete(each.key, require={}, on_failure=ConditionFailed)
        transaction.delete(
            MissedConversation.key_for(each.organization, App.SLACK, each.team, each.conversation_id)
        )
        if each.ts is not None:
            transaction.delete(SlackThreadOwner.key_for(each.organization, each.team, each.channel, each.ts))
    return sum(each.ts is not None for each in found)
