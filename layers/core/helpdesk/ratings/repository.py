"""Items of ratings: small and in one partition, so that the newest thousands are read at once."""

from typing import NamedTuple

from helpdesk.logs.schemas import MAX_MS
from helpdesk.platform import ids
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

_ALL_RANDOM_BITS = 2**80 - 1


class Rating(NamedTuple):
    """One rating: when it was given (ms), and how many stars."""

    at: int
    stars: int


def put(
    transaction: Transaction, organization: str, rating_id: str, conversation_id: str, at: int, stars: int
) -> None:
    """Add a new rating."""
    transaction.put(
        {
            **keys.Rating(organization, rating_id).attributes(),
            "conversationId": conversation_id,
            "at": at,
            "stars": stars,
        },
        new=True,
    )


def change(transaction: Transaction, organization: str, rating_id: str, stars: int) -> None:
    """Change how many stars a rating gives; one that was erased meanwhile is not made again."""
    transaction.update(
        keys.Rating(organization, rating_id),
        "SET stars = :stars",
        condition="attribute_exists(PK)",
        values={":stars": stars},
    )


def newest(organization: str, start: int, end: int, limit: int) -> list[Rating]:
    """Return up to `limit` ratings given from the instant `start` (ms) and before `end`, the newest first.

    A rating's id begins with its time. 2,000 are about 400 KB: one query.
    """
    first = keys.Rating(organization, f"rat_{ids.ulid(min(max(start, 0), MAX_MS), 0)}")
    last = keys.Rating(organization, f"rat_{ids.ulid(min(max(end - 1, 0), MAX_MS), _ALL_RANDOM_BITS)}")
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
    return [Rating(item["at"], item["stars"]) for item in found]
