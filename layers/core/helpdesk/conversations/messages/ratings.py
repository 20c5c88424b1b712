"""Rating a resolved conversation, once for each resolution.

The visitor can change a rating for a day by rating again: stars and note are replaced as a whole. After the
conversation was reopened and resolved again, it can be rated again, and shows its latest rating. The conversation's
item says which resolution a rating is for, and the write requires it: of two ratings at once, one is first and the
other changes it.

The stars are an item in the organization's partition of ratings. The visitor's note is a system line of the thread,
which only the team sees and which is erased with the conversation. A rating sends no event.
"""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import (
    CHANGEABLE_HOURS,
    MAX_NOTE_CHARACTERS,
    ConversationArchived,
    ConversationNotFound,
    InvalidFeedback,
    NotResolved,
    RatingSettled,
)
from helpdesk.conversations.message_record import EntryKind, Note
from helpdesk.conversations.messages import sessions
from helpdesk.conversations.record import (
    Conversation,
    LatestRating,
    Rating,
    Snapshot,
    StaleConversation,
)
from helpdesk.conversations.state import Status
from helpdesk.events.outbox import LINE
from helpdesk.platform import clock, ids
from helpdesk.platform.text import is_blank, trimmed
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import table
from helpdesk.storage.changes import below
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

if TYPE_CHECKING:
    from helpdesk.conversations.messages.schemas import RatingInput

_ALL_RANDOM_BITS = 2**80 - 1


def rate(organization: str, sent: "RatingInput") -> None:
    """Rate a visitor's resolved conversation, or change the rating of this resolution.

    Raises InvalidSession, InvalidFeedback, ConversationNotFound, ConversationArchived, NotResolved, RatingSettled.
    """
    session_hash = sessions.hashed(sessions.require_session(sent.session))
    rate_as(organization, session_hash, sent.conversation_id, sent.stars, sent.note)


def rate_as(
    organization: str, session_hash: str, conversation_id: str, stars: int, sent_note: str | None
) -> None:
    """Rate a conversation of a visitor who is known by the hash of their session. Raises what `rate` raises then."""
    note = _required_note(sent_note)
    conversation = conversations.get(organization, conversation_id)
    if conversation.session_hash != session_hash:
        raise ConversationNotFound
    _rate(conversations.where_it_ended(conversation), stars, note)


def rate_conversation(conversation: Conversation, stars: int, sent_note: str | None) -> None:
    """Rate a conversation as its visitor. Raises what `rate` raises then."""
    _rate(conversation, stars, _required_note(sent_note))


def _rate(conversation: Conversation, stars: int, note: str) -> None:
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


def line(rating: Rating) -> Note | None:
    """Return the line of the thread about a rating, None if there is none."""
    return conversations.notes.find(rating.organization, rating.conversation_id, _line_id(rating.id))


def newest(organization: str, start: int, end: int, limit: int) -> list[Rating]:
    """Return up to `limit` ratings given from the instant `start` (ms) and before `end`, the newest first.

    A rating's ID begins with its time. 2,000 are about 400 KB: one query.
    """
    first, last = (
        Rating.key_for(organization, f"rat_{ids.ulid(min(max(at, 0), ids.MAX_MS), random_bits)}")
        for at, random_bits in ((start, 0), (end - 1, _ALL_RANDOM_BITS))
    )
    found: list[Item] = []
    after: Item | None = None
    while len(found) < limit:
        page = table.query(
            first.pk,
            sk_between=(first.sk, last.sk),
            limit=limit - len(found),
            newest_first=True,
            after=after,
        )
        found += page.items
        after = page.after
        if after is None:
            break
    return [Rating.from_item(item) for item in found]


def _required_note(sent: str | None) -> str:
    """Return the note with a rating, empty if there is none. Raises InvalidFeedback."""
    note = "" if is_blank(sent or "") else trimmed(sent or "")
    if len(note) > MAX_NOTE_CHARACTERS:
        raise InvalidFeedback
    return note


def _write(transaction: Transaction, conversation: Conversation, stars: int, note: str) -> None:
    """Write a rating into its conversation, into the thread, and into the organization's ratings.

    The transaction raises StaleConversation if the conversation was opened, resolved again, archived or rated since.
    """
    if conversation.archived:
        raise ConversationArchived
    if conversation.status is not Status.RESOLVED:
        raise NotResolved
    now, before = clock.now_ms(), conversation.latest_rating
    if before is None or before.resolution != conversation.resolutions:
        rating = LatestRating(f"rat_{ids.ulid(now)}", conversation.resolutions, now, stars)
        is_new = True
    elif now - before.at > CHANGEABLE_HOURS * HOUR_MS:
        raise RatingSettled
    else:
        rating, is_new = replace(before, stars=stars), False
    # The conversation before its rating: if both are being erased, the visitor gets ConversationNotFound.
    transaction.change(
        conversation.key,
        set={"rating": stars, "latest_rating": rating},
        require={
            "status": Status.RESOLVED,
            "archived_at": None,
            "resolutions": conversation.resolutions or below(1),
            "latest_rating": before,
        },
        on_failure=StaleConversation,
    )
    _put_line(transaction, conversation, rating, note)
    if is_new:
        stored = Rating(
            organization=conversation.organization,
            id=rating.id,
            conversation_id=conversation.id,
            at=now,
            stars=stars,
        )
        transaction.put(stored, new=True)
    else:
        key = Rating.key_for(conversation.organization, rating.id)
        transaction.change(key, set={"stars": stars})


def _line_id(rating_id: str) -> str:
    """Return the id of the line about a rating."""
    return "msg_" + rating_id.partition("_")[2]


def _put_line(transaction: Transaction, conversation: Snapshot, rating: LatestRating, comment: str) -> None:
    """Write the line about a visitor's rating, over the line of the same rating if that is being changed."""
    text = f"The visitor rated this conversation {rating.stars} of 5 stars"
    line = Note(
        organization=conversation.organization,
        conversation_id=conversation.id,
        id=_line_id(rating.id),
        created_at=rating.at,
        sender="agent",
        body=f"{text}: {comment}" if comment else f"{text}.",
        kind=EntryKind.SYSTEM,
        rating_id=rating.id,
        stars=rating.stars,
        rating_note=comment,
        entity=LINE,
    )
    transaction.put(line)
