"""The threads of conversations: which there are, how far each has come, and who writes in one.

A worker claims a thread for one message, by a condition on the version that it read, and writes down what it is about
to post. A worker that finds that note after a crash looks in Slack before it posts again.
"""

from collections.abc import Callable
from typing import Self

from helpdesk.chatmirror.record import MirrorSettings
from helpdesk.conversations.record import Conversation
from helpdesk.integrations import jobs, pacing
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.platform import clock
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

CLAIM_MS = 60_000
PACE_MS = 1_000
"""Slack takes one message a second and channel (Slack, "Rate limits")."""


class Thread(FrozenRecord, kw_only=True):
    """A conversation's thread in a channel.

    ts        the time stamp of its first message, by which Slack names it; None before that is posted
    messages, lines, approvals  the newest id of each kind that is in it
    posting   what was about to be posted when the last claim was made, and when (ms); None if it is known to be there
    slot_at   the instant (ms) that the channel gave it for the next message; None if it has none
    claimed_until  until when (ms) a worker writes in it
    """

    organization: str
    conversation_id: str
    team: str
    channel: str
    ts: str | None = None
    messages: str = "-"
    lines: str = "-"
    approvals: str = "-"
    posting: str | None = None
    posting_at: int = 0
    slot_at: int | None = None
    claimed_until: int = 0
    version: int = 0

    @property
    def key(self) -> keys.MirroredConversation:
        """The key of its item."""
        return keys.MirroredConversation(self.organization, self.conversation_id, self.team, self.channel)

    @classmethod
    def from_item(cls, key: keys.MirroredConversation, item: Item) -> Self:
        """Read a thread's item."""
        return cls(
            organization=key.organization,
            conversation_id=key.conversation_id,
            team=key.team,
            channel=key.channel,
            ts=item["ts"],
            messages=item["messages"],
            lines=item["lines"],
            approvals=item["approvals"],
            posting=item["posting"],
            posting_at=item["postingAt"],
            slot_at=item["slotAt"],
            claimed_until=item["claimedUntil"],
            version=item["version"],
        )

    def to_item(self) -> Item:
        """Return the attributes of the thread's item, without its key."""
        return {
            "ts": self.ts,
            "messages": self.messages,
            "lines": self.lines,
            "approvals": self.approvals,
            "posting": self.posting,
            "postingAt": self.posting_at,
            "slotAt": self.slot_at,
            "claimedUntil": self.claimed_until,
            "version": self.version,
        }


class StaleThread(Exception):
    """Another worker has changed the thread."""


def of(conversation: Conversation, settings: MirrorSettings) -> Thread:
    """Return a conversation's thread in the channel that is set, as yet unwritten if there is none. One call."""
    key = keys.MirroredConversation(
        conversation.organization, conversation.id, settings.team or "", settings.channel_id or ""
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
    transaction: Transaction, organization: str, team: str, channel: str, thread: str, user_id: str
) -> None:
    """Note who took a conversation over by the button of its thread: what they write there is a reply.

    The transaction raises StaleThread if the thread is gone.
    """
    transaction.update(
        keys.MirrorThread(organization, team, channel, thread),
        "SET takenBy = :user",
        condition="attribute_exists(PK)",
        values={":user": user_id},
        on_failure=lambda _: StaleThread(),
    )


def taken_by(organization: str, team: str, channel: str, thread: str) -> str | None:
    """Return who took a conversation over by the button of its thread, or None. One call."""
    item = table.get(keys.MirrorThread(organization, team, channel, thread))
    return None if item is None else item.get("takenBy")


def claim_reply(transaction: Transaction, organization: str, team: str, channel: str, message: str) -> None:
    """Note that a message is sent to the customer. The transaction raises StaleThread if it was."""
    transaction.put(
        {
            **keys.MirrorReply(organization, team, channel, message).attributes(),
            "expiresAt": clock.seconds_from_now(30 * DAY_SECONDS),
        },
        new=True,
        on_failure=lambda _: StaleThread(),
    )


def claim_click(transaction: Transaction, organization: str, team: str, click: str) -> None:
    """Note that a click is done. The transaction raises StaleThread if it was."""
    transaction.put(
        {
            **keys.MirrorClick(organization, team, click).attributes(),
            "expiresAt": clock.seconds_from_now(30 * DAY_SECONDS),
        },
        new=True,
        on_failure=lambda _: StaleThread(),
    )


def was_clicked(organization: str, team: str, click: str) -> bool:
    """Return whether a click is done. One call."""
    return table.get(keys.MirrorClick(organization, team, click)) is not None


def next_slot(thread: Thread) -> int:
    """Return the instant (ms) at which a message may go to the thread's channel, and give that to nobody else."""
    return pacing.next_slot(keys.MirrorPace(thread.organization, thread.team, thread.channel), PACE_MS)
