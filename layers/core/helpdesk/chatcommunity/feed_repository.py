"""What a server shows of a conversation: its answers where somebody asked, and alerts. How far each has come.

A worker notes what it is about to post, under a condition on the version that it read, and afterwards that it is there.
A worker that finds the note of another one looks in Discord before it posts again.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Self

from helpdesk.integrations import jobs
from helpdesk.integrations.apps import App
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.platform import clock
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

MOST_QUESTIONS = 10
"""How often a person may ask within ten minutes: each question costs the organization an answer."""
QUESTIONS_WINDOW_MS = 10 * MINUTE_MS


class FeedKind(StrEnum):
    """What is shown."""

    ANSWERS = "answers"
    ALERTS = "alerts"


class Feed(FrozenRecord, kw_only=True):
    """What a channel shows of a conversation.

    channel   where it appears: a thread, or a channel in which no thread can be
    asker     whom answers mention; None for alerts
    answers   the message that answers are replies to, where they have no thread
    cursor    the newest id that was posted: of a message, or for alerts of an approval
    part      how many parts of the next message are there
    state     the state of the conversation that was posted last
    posting   what was about to be posted, and when (ms); None if it is known to be there
    slot_at   the instant (ms) that the channel gave it for the next message; None if it has none
    """

    organization: str
    conversation_id: str
    server: str
    kind: FeedKind
    channel: str
    asker: str | None = None
    answers: str | None = None
    cursor: str = "-"
    part: int = 0
    state: str = ""
    posting: str | None = None
    posting_at: int = 0
    slot_at: int | None = None
    version: int = 0

    @property
    def key(self) -> keys.CommunityFeed:
        """The key of its item."""
        return keys.CommunityFeed(self.organization, self.conversation_id, self.server, self.kind.value)

    @classmethod
    def from_item(cls, key: keys.CommunityFeed, item: Item) -> Self:
        """Read a feed's item."""
        return cls(
            organization=key.organization,
            conversation_id=key.conversation_id,
            server=key.server,
            kind=FeedKind(key.kind),
            channel=item["channel"],
            asker=item["asker"],
            answers=item["answers"],
            cursor=item["cursor"],
            part=item["part"],
            state=item["state"],
            posting=item["posting"],
            posting_at=item["postingAt"],
            slot_at=item["slotAt"],
            version=item["version"],
        )

    def to_item(self) -> Item:
        """Return the attributes of the feed's item, without its key."""
        return {
            "channel": self.channel,
            "asker": self.asker,
            "answers": self.answers,
            "cursor": self.cursor,
            "part": self.part,
            "state": self.state,
            "posting": self.posting,
            "postingAt": self.posting_at,
            "slotAt": self.slot_at,
            "version": self.version,
        }


class Overtaken(Exception):
    """Another worker has done it, or has changed the feed."""


class TooManyQuestions(Exception):
    """A person asked as often within ten minutes as they may."""


def of(organization: str, conversation_id: str, server: str) -> dict[FeedKind, Feed]:
    """Return what a server shows of a conversation. One call."""
    first = keys.CommunityFeed(organization, conversation_id, server, "~")
    found = {}
    for item in table.query_all(first.pk, sk_prefix=first.sk.removesuffix("~"), consistent=True):
        key = keys.CommunityFeed.parse(item["PK"], item["SK"])
        if key is not None:
            feed = Feed.from_item(key, item)
            found[feed.kind] = feed
    return found


def save(
    seen: Feed,
    wanted: Feed,
    then: IntegrationJob | None = None,
    also: Callable[[Transaction], None] = lambda _: None,
) -> Feed:
    """Write a feed over the one that was read, with a job and what `also` adds.

    Raises Overtaken, and what `also` adds to be raised.
    """
    after = wanted.__replace__(version=seen.version + 1)
    transaction = Transaction()
    if seen.version:
        transaction.set(
            seen.key,
            after.to_item(),
            condition="#version = :seen",
            values={":seen": seen.version},
            on_failure=lambda _: Overtaken(),
        )
    else:
        item = {**seen.key.attributes(), **after.to_item()}
        transaction.put(item, new=True, on_failure=lambda _: Overtaken())
        if after.kind is FeedKind.ANSWERS:
            place = keys.CommunityPlace(seen.organization, seen.server, after.channel)
            transaction.put({**place.attributes(), "conversationId": seen.conversation_id})
    if then is not None:
        jobs.put(transaction, then)
    also(transaction)
    transaction.commit()
    return after


def conversation_at(organization: str, server: str, channel: str) -> str | None:
    """Return the id of the newest conversation that has its answers in a channel, or None. One call."""
    item = table.get(keys.CommunityPlace(organization, server, channel))
    return None if item is None else item["conversationId"]


def claim_question(
    transaction: Transaction, organization: str, server: str, interaction: str, user: str
) -> None:
    """Note that a question is written, and count it for the person.

    The transaction raises Overtaken if it was written before, TooManyQuestions if the person asked too often.
    """
    transaction.put(
        {
            **keys.CommunityCommand(organization, server, interaction).attributes(),
            "expiresAt": clock.seconds_from_now(DAY_SECONDS),
        },
        new=True,
        on_failure=lambda _: Overtaken(),
    )
    window = clock.now_ms() // QUESTIONS_WINDOW_MS
    transaction.update(
        keys.CommunityAsker(organization, server, user, str(window)),
        "SET expiresAt = :end ADD asked :one",
        condition="attribute_not_exists(asked) OR asked < :most",
        values={":one": 1, ":most": MOST_QUESTIONS, ":end": clock.seconds_from_now(DAY_SECONDS)},
        on_failure=lambda _: TooManyQuestions(),
    )


def delete_for(organization: str, conversation_id: str) -> None:
    """Delete what leads from a conversation to servers and back. One query, and two calls for each."""
    pk = keys.Conversation(organization, conversation_id).pk
    for item in table.query_all(pk, sk_prefix="COMMUNITY#"):
        key = keys.CommunityFeed.parse(item["PK"], item["SK"])
        if key is None:
            continue
        _forget_place(key, item["channel"])
        table.delete(key)
        table.delete(
            keys.MissedConversation(organization, App.CHATCOMMUNITY.value, key.server, conversation_id)
        )


def _forget_place(key: keys.CommunityFeed, channel: str) -> None:
    transaction = Transaction()
    transaction.delete(
        keys.CommunityPlace(key.organization, key.server, channel),
        condition="conversationId = :conversation",
        values={":conversation": key.conversation_id},
        on_failure=ConditionFailed,
    )
    try:
        transaction.commit()
    except ConditionFailed:
        return  # another conversation has its answers there by now, or none has
