"""What a server shows of a conversation: its answers where somebody asked, and alerts. How far each has come.

A worker notes what it is about to post, under a condition on the version that it read, and afterwards that it is there.
A worker that finds the note of another one looks in Discord before it posts again.
"""

from collections.abc import Callable
from contextlib import suppress

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations.discord.record import (
    CommunityAsker,
    CommunityCommand,
    CommunityFeed,
    CommunityPlace,
    FeedKind,
    feeds,
)
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import keys, table
from helpdesk.storage.changes import below
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

MOST_QUESTIONS = 10
"""How often a person may ask within ten minutes: each question costs the organization an answer."""
QUESTIONS_WINDOW_MS = 10 * MINUTE_MS


class StaleFeed(Exception):
    """Another worker has done it, or has changed the feed."""


class TooManyQuestions(Exception):
    """A person asked as often within ten minutes as they may."""


def of(organization: str, conversation_id: str, server: str) -> dict[FeedKind, CommunityFeed]:
    """Return what a server shows of a conversation. One call."""
    return {each.kind: each for each in feeds.all(organization, conversation_id, server, consistent=True)}


def save(
    seen: CommunityFeed,
    wanted: CommunityFeed,
    then: IntegrationJob | None = None,
    extra_writes: Callable[[Transaction], None] = lambda _: None,
) -> CommunityFeed:
    """Write a feed over the one that was read, with a job and extra writes.

    Raises StaleFeed, and what the extra writes raise.
    """
    transaction = Transaction()
    after = transaction.save(seen, wanted, on_failure=StaleFeed())
    if after.kind is FeedKind.ANSWERS and (not seen.version or after.channel != seen.channel):
        transaction.put(
            CommunityPlace(
                organization=seen.organization,
                server=seen.server,
                channel=after.channel,
                conversation_id=seen.conversation_id,
            )
        )
    if then is not None:
        jobs.put(transaction, then)
    extra_writes(transaction)
    transaction.commit()
    return after


def claim_question(
    transaction: Transaction, organization: str, server: str, interaction: str, user: str
) -> None:
    """Note that a question is written, and count it for the person.

    The transaction raises StaleFeed if it was written before, TooManyQuestions if the person asked too often.
    """
    expires_at = clock.seconds_from_now(DAY_SECONDS)
    command = CommunityCommand(
        organization=organization, server=server, interaction=interaction, expires_at=expires_at
    )
    transaction.put(command, new=True, on_failure=StaleFeed())
    window = clock.now_ms() // QUESTIONS_WINDOW_MS
    transaction.change(
        CommunityAsker.key_for(organization, server, user, str(window)),
        set={"expires_at": expires_at},
        add={"asked": 1},
        require={"asked": below(MOST_QUESTIONS)},
        or_new=True,
        on_failure=TooManyQuestions(),
    )


def forget_place(found: CommunityFeed) -> None:
    """Delete what leads from a place to a conversation, unless another conversation has its answers there by now.

    And that the conversation is missing something there.
    """
    app = App.CHATCOMMUNITY.value
    table.delete(keys.MissedConversation(found.organization, app, found.server, found.conversation_id))
    transaction = Transaction()
    transaction.delete(
        CommunityPlace.key_for(found.organization, found.server, found.channel),
        require={"conversation_id": found.conversation_id},
        on_failure=ConditionFailed,
    )
    with suppress(ConditionFailed):
        transaction.commit()
