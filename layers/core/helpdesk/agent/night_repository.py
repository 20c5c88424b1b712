"""Items of the nightly sweep: who has it on, and how far a night has come."""

from dataclasses import dataclass

from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, shards, table
from helpdesk.storage.transactions import Transaction

_KEPT_SECONDS = 7 * DAY_SECONDS


@dataclass(frozen=True, slots=True)
class Position:
    """How far a night has come: shards that are done, and in the next one the organization and the place in it."""

    shards_done: int = 0
    organization: str = ""
    place: str = ""

    @property
    def night_is_done(self) -> bool:
        """Whether nothing is left."""
        return self.shards_done >= shards.SHARDS


def organizations(shard: int, start: str, limit: int) -> list[str]:
    """Return the organizations of a shard that have the sweep on, from an id ("" at the beginning). One query."""
    bounds = (start or "0", "~")
    page = table.query(shards.nightly_sweeps(shard), index="GSI1", sk_between=bounds, limit=limit)
    return [item["GSI1SK"] for item in page.items]


def get(date: str) -> Position:
    """Return how far a night has come."""
    item = table.get(keys.Night(date))
    return Position(int(item["shards"]), item["organization"], item["place"]) if item else Position()


def put(date: str, position: Position) -> None:
    """Keep how far a night has come."""
    transaction = Transaction()
    transaction.put(
        {
            **keys.Night(date).attributes(),
            "shards": position.shards_done,
            "organization": position.organization,
            "place": position.place,
            "expiresAt": clock.seconds_from_now(_KEPT_SECONDS),
        }
    )
    transaction.commit()
