"""Items of ratings, and of rated conversations."""

from helpdesk.api.logs.kinds import MAX_MS
from helpdesk.conversations.message_record import Message, RatingLine
from helpdesk.conversations.ratings.record import Rating
from helpdesk.conversations.record import Conversation, LatestRating, StaleConversation
from helpdesk.platform import ids
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

_ALL_RANDOM_BITS = 2**80 - 1


def save_in_conversation(
    transaction: Transaction, before: Conversation, rating: LatestRating, stars: int
) -> None:
    """Write a rating into the conversation that was read.

    The transaction raises StaleConversation if it was opened, resolved again, archived or rated since.
    """
    clauses = ["#status = :status", "archivedAt = :never"]
    values: Item = {
        ":status": before.state.status.value,
        ":never": None,
        ":stars": stars,
        ":rated": rating.to_item(stars),
    }
    if before.resolutions:
        clauses.append("resolutions = :was_resolutions")
        values[":was_resolutions"] = before.resolutions
    else:
        clauses.append("attribute_not_exists(resolutions)")
    if before.latest_rating is not None and before.rating is not None:
        clauses.append("#rated = :was_rated")
        values[":was_rated"] = before.latest_rating.to_item(before.rating)
    else:
        clauses.append("attribute_not_exists(#rated)")
    transaction.update(
        keys.Conversation(before.organization, before.id),
        "SET rating = :stars, #rated = :rated",
        condition=" AND ".join(clauses),
        names={"#status": "status", "#rated": "rated"},
        values=values,
        on_failure=StaleConversation,
    )


def line(organization: str, conversation_id: str, line_id: str) -> RatingLine | None:
    """Return the thread's line about a rating, None if there is none."""
    item = table.get(keys.Note(organization, conversation_id, line_id))
    return None if item is None else Message.from_item(item).rating


def newest(organization: str, start: int, end: int, limit: int) -> list[Rating]:
    """Return up to `limit` ratings given from the instant `start` (ms) and before `end`, the newest first.

    A rating's id begins with its time. 2,000 are about 400 KB: one query.
    """
    first = Rating.key_for(organization, f"rat_{ids.ulid(min(max(start, 0), MAX_MS), 0)}")
    last = Rating.key_for(organization, f"rat_{ids.ulid(min(max(end - 1, 0), MAX_MS), _ALL_RANDOM_BITS)}")
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
