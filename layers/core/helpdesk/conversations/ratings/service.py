"""Rating a resolved conversation, once for each resolution.

The visitor can change a rating for a day by rating again: stars and note are replaced as a whole. After the
conversation was reopened and resolved again, it can be rated again, and shows its latest rating. The conversation's
item says which resolution a rating is for, and the write requires it: of two ratings at once, one is first and the
other changes it.

The stars are an item in the organization's partition of ratings. The visitor's note is a system line of the thread,
which only the team sees and which is erased with the conversation. A rating sends no event.
"""

from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.errors import ConversationArchived, ConversationNotFound
from helpdesk.conversations.message_record import RatingLine
from helpdesk.conversations.messages import sessions
from helpdesk.conversations.ratings import repository
from helpdesk.conversations.ratings.errors import (
    CHANGEABLE_HOURS,
    MAX_NOTE_CHARACTERS,
    InvalidFeedback,
    NotResolved,
    RatingSettled,
)
from helpdesk.conversations.ratings.record import Rating
from helpdesk.conversations.ratings.schemas import RatingInput
from helpdesk.conversations.record import Conversation, LatestRating, StaleConversation
from helpdesk.conversations.state import Status
from helpdesk.platform import clock, ids
from helpdesk.platform.text import is_blank, trimmed
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction


def rate(organization: str, sent: RatingInput) -> None:
    """Rate a visitor's resolved conversation, or change the rating of this resolution.

    Raises InvalidSession, InvalidFeedback, ConversationNotFound, ConversationArchived, NotResolved, RatingSettled.
    """
    session_hash = sessions.hashed(sessions.require_session(sent.session))
    rate_as(organization, session_hash, sent.conversation_id, sent.stars, sent.note)


def rate_as(
    organization: str, session_hash: str, conversation_id: str, stars: int, sent_note: str | None
) -> None:
    """Rate a conversation of a visitor who is known by the hash of their session. Raises what `rate` raises then."""
    note = "" if is_blank(sent_note or "") else trimmed(sent_note or "")
    if len(note) > MAX_NOTE_CHARACTERS:
        raise InvalidFeedback
    conversation = conversations.get(organization, conversation_id)
    if conversation.session_hash != session_hash:
        raise ConversationNotFound

    def attempt() -> None:
        nonlocal conversation
        transaction = Transaction()
        _write(transaction, conversation, stars, note)
        try:
            transaction.commit()
        except StaleConversation as stale:
            conversation = stale.conversation
            raise

    repeat_when_stale(attempt, StaleConversation)


def line(rating: Rating) -> RatingLine | None:
    """Return what the thread says about a rating, None if it says nothing."""
    return repository.line(rating.organization, rating.conversation_id, thread.rating_line_id(rating.id))


def newest(organization: str, start: int, end: int, limit: int) -> list[Rating]:
    """Return up to `limit` ratings given from `start` (ms) and before `end`, the newest first."""
    return repository.newest(organization, start, end, limit)


def _write(transaction: Transaction, conversation: Conversation, stars: int, note: str) -> None:
    if conversation.archived:
        raise ConversationArchived
    if conversation.state.status is not Status.RESOLVED:
        raise NotResolved
    organization = conversation.organization
    now = clock.now_ms()
    rating = conversation.latest_rating
    if rating is None or rating.resolution != conversation.resolutions:
        rating = LatestRating(f"rat_{ids.ulid(now)}", conversation.resolutions, now)
        _save(transaction, conversation, rating, stars, note)
        new = Rating(
            organization=organization,
            id=rating.rating_id,
            conversation_id=conversation.id,
            at=now,
            stars=stars,
        )
        transaction.put(new, new=True)
    elif now - rating.at > CHANGEABLE_HOURS * HOUR_MS:
        raise RatingSettled
    else:
        # The conversation before its rating: if both are being erased, the visitor gets ConversationNotFound.
        _save(transaction, conversation, rating, stars, note)
        transaction.change(Rating.key_for(organization, rating.rating_id), set={"stars": stars})


def _save(
    transaction: Transaction, conversation: Conversation, rating: LatestRating, stars: int, note: str
) -> None:
    """Write a rating into its conversation and its thread."""
    repository.save_in_conversation(transaction, conversation, rating, stars)
    thread.put_rating_line(transaction, conversation, RatingLine(rating.rating_id, stars, note), rating.at)
