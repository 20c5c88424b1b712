"""What a server shows of a conversation: its answers where somebody asked, and alerts. How far each has come.

A worker notes what it is about to post, under a condition on the version that it read, and afterwards that it is there.
A worker that finds the note of another one looks in Discord before it posts again. What was posted there stays after an
erasure.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations.chat import MissedConversation
from helpdesk.integrations.discord.record import (
    DiscordAsker,
    DiscordCommand,
    DiscordFeed,
    DiscordPlace,
    FeedKind,
    feeds,
)
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import table
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


def of(organization: str, conversation_id: str, server: str) -> dict[FeedKind, DiscordFeed]:
    """Return what a server shows of a conversation. One call."""
    return {each.kind: each for each in feeds.all(organization, conversation_id, server, consistent=True)}


def save(
    seen: DiscordFeed,
    wanted: DiscordFeed,
    then: IntegrationJob | None = None,
    extra_writes: Callable[[Transaction], None] = lambda _: None,
) -> DiscordFeed:
    """Write a feed over the one that was read, with a job and extra writes.

    Raises StaleFeed, and what the extra writes raise.
    """
    transaction = Transaction()
    after = transaction.save(seen, wanted, on_failure=StaleFeed())
    if after.kind is FeedKind.ANSWERS and (not seen.version or after.channel != seen.channel):
        transaction.put(
            DiscordPlace(
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
    command = DiscordCommand(
        organization=organization, server=server, interaction=interaction, expires_at=expires_at
    )
    transaction.put(command, new=True, on_failure=StaleFeed())
    window = clock.now_ms() // QUESTIONS_WINDOW_MS
    transaction.change(
        DiscordAsker.key_for(organization, server, user, str(window)),
        set={"expires_at": expires_at},
        add={"asked": 1},
        require={"asked": below(MOST_QUESTIONS)},
        or_new=True,
        on_failure=TooManyQuestions(),
    )


def forget_place(found: DiscordFeed) -> None:
    """Delete what leads from a place to a conversation, unless another conversation has its answers there by now.

    And that the conversation is missing something there.
    """
    organization, app = found.organization, App.DISCORD
    table.delete(MissedConversation.key_for(organization, app, found.server, found.conversation_id))
    transaction = Transaction()
    transaction.delete(
        DiscordPlace.key_for(found.organization, found.server, found.channel),
        require={"conversation_id": found.conversation_id},
        on_failure=ConditionFailed,
    )
    with suppress(ConditionFailed):
        transaction.commit()


def places_of(organization: str, conversation_id: str) -> list[DiscordFeed]:
    """Return where a conversation appears, in every server. One query."""
    return feeds.all(organization, conversation_id, consistent=True)


def delete_for(transaction: Transaction, found: Sequence[DiscordFeed]) -> int:
    """Delete what leads to places and back; return how many stay in Discord.

    The transaction raises ConditionFailed if one is deleted already.
    """
    for each in found:
        forget_place(each)
        transaction.delete(each.key, require={}, on_failure=ConditionFailed)
    return len(found)
