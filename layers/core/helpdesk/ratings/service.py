"""Rating what was done for a visitor, once per resolution.

A resolved conversation can be rated. Its rating may be given anew for a day, whole: a note that is left out is gone.
Opened and resolved again, the conversation can be rated again, and shows its latest rating. Which resolution a rating
is of stands in the conversation, and the write requires it: of two ratings at once one is the first, and the other
changes it.

The stars are an item in the organization's partition of ratings. What the visitor wrote is a line of the thread, seen
by the team alone, and goes with the conversation where that is erased. No event tells of a rating.
"""

from helpdesk.conversations import rating
from helpdesk.conversations.errors import ConversationArchived
from helpdesk.conversations.rating import Given
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.state import Status
from helpdesk.messages import sessions
from helpdesk.platform import clock, ids
from helpdesk.platform.text import trimmed
from helpdesk.platform.units import HOUR_MS
from helpdesk.ratings import repository
from helpdesk.ratings.errors import (
    CHANGEABLE_HOURS,
    MAX_NOTE_CHARACTERS,
    InvalidFeedback,
    NotResolved,
    RatingSettled,
)
from helpdesk.ratings.repository import Rating
from helpdesk.ratings.schemas import RatingInput
from helpdesk.storage.transactions import Conflict, Transaction

_TRIES = 8


def rate(organization: str, sent: RatingInput) -> None:
    """Rate a visitor's resolved conversation, or change the rating that was given to this resolution.

    Raises InvalidSession, InvalidFeedback, ConversationNotFound, ConversationArchived, NotResolved, RatingSettled.
    """
    session_hash = sessions.hashed(sessions.require_session(sent.session))
    note = trimmed(sent.note or "")
    if len(note) > MAX_NOTE_CHARACTERS:
        raise InvalidFeedback
    conversation = rating.of_session(organization, sent.conversation_id, session_hash)
    for _ in range(_TRIES):
        transaction = Transaction()
        _write(transaction, conversation, sent.stars, note)
        try:
            transaction.commit()
        except StaleConversation as stale:
            conversation = stale.conversation
        else:
            return
    raise Conflict


def newest(organization: str, start: int, end: int, limit: int) -> list[Rating]:
    """Return up to `limit` ratings given from `start` (ms) and before `end`, the newest first."""
    return repository.newest(organization, start, end, limit)


def _write(transaction: Transaction, conversation: Conversation, stars: int, note: str) -> None:
    if conversation.archived:
        raise ConversationArchived
    if conversation.state.status is not Status.RESOLVED:
        raise NotResolved
    now = clock.now_ms()
    given = rating.given(conversation)
    if given is None or given.resolution != rating.resolution(conversation):
        given = Given(f"rat_{ids.ulid(now)}", rating.resolution(conversation), now)
        rating.save(transaction, conversation, given, stars, note)
        repository.put(
            transaction, conversation.organization, given.rating_id, conversation.id, given.at, stars
        )
    elif now - given.at > CHANGEABLE_HOURS * HOUR_MS:
        raise RatingSettled
    else:
        # The conversation before its rating: where both are being erased, that is what the visitor is told of.
        rating.save(transaction, conversation, given, stars, note)
        repository.change(transaction, conversation.organization, given.rating_id, stars)
