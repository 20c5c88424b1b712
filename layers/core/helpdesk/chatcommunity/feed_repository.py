"""What a server shows of a conversation: its answers where somebody asked, and alerts. How far each has come.

A worker notes what it is about to post, under a condition on the version that it read, and afterwards that it is there.
A worker that finds the note of another one looks in Discord before it posts again.
"""

from collections.abc import Callable

from helpdesk.chatcommunity.record import Feed, FeedKind
from helpdesk.integrations import jobs
from helpdesk.integrations.apps import App
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

MOST_QUESTIONS = 10
"""How often a person may ask within ten minutes: each question costs the organization an answer."""
QUESTIONS_WINDOW_MS = 10 * MINUTE_MS


class StaleFeed(Exception):
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

    Raises StaleFeed, and what `also` adds to be raised.
    """
    after = wanted.__replace__(version=seen.version + 1)
    transaction = Transaction()
    if seen.version:
        transaction.set(
            seen.key,
            after.to_item(),
            condition="#version = :seen",
            values={":seen": seen.version},
            on_failure=lambda _: StaleFeed(),
        )
    else:
        item = {**seen.key.attributes(), **after.to_item()}
        transaction.put(item, new=True, on_failure=lambda _: StaleFeed())
    if after.kind is FeedKind.ANSWERS and (not seen.version or after.channel != seen.channel):
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

    The transaction raises StaleFeed if it was written before, TooManyQuestions if the person asked too often.
    """
    transaction.put(
        {
            **keys.CommunityCommand(organization, server, interaction).attributes(),
            "expiresAt": clock.seconds_from_now(DAY_SECONDS),
        },
        new=True,
        on_failure=lambda _: StaleFeed(),
    )
    window = clock.now_ms() // QUESTIONS_WINDOW_MS
    transaction.update(
        keys.CommunityAsker(organization, server, user, str(window)),
        "SET expiresAt = :end ADD asked :one",
        condition="attribute_not_exists(asked) OR asked < :most",
        values={":one": 1, ":most": MOST_QUESTIONS, ":end": clock.seconds_from_now(DAY_SECONDS)},
        on_failure=lambda _: TooManyQuestions(),
    )


def places_of(organization: str, conversation_id: str) -> list[Feed]:
    """Return where a conversation appears, in every server. One query."""
    pk = keys.Conversation(organization, conversation_id).pk
    items = table.query_all(pk, sk_prefix="COMMUNITY#", consistent=True)
    found = [(keys.CommunityFeed.parse(item["PK"], item["SK"]), item) for item in items]
    return [Feed.from_item(key, item) for key, item in found if key is not None]


def delete(transaction: Transaction, found: Feed) -> None:
    """Delete that a conversation appears in a place. The transaction raises ConditionFailed if that is done."""
    transaction.delete(found.key, condition="attribute_exists(PK)", on_failure=ConditionFailed)


def forget_place(found: Feed) -> None:
    """Delete what leads from a place to a conversation, unless another conversation has its answers there by now.

    And that the conversation is missing something there.
    """
    app = App.CHATCOMMUNITY.value
    table.delete(keys.MissedConversation(found.organization, app, found.server, found.conversation_id))
    transaction = Transaction()
    transaction.delete(
        keys.CommunityPlace(found.organization, found.server, found.channel),
        condition="conversationId = :conversation",
        values={":conversation": found.conversation_id},
        on_failure=ConditionFailed,
    )
    try:
        transaction.commit()
    except ConditionFailed:
        return
