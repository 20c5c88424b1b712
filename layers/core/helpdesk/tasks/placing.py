"""Where a card goes in a column: last, or next to another card.

Usually the card alone gets a rank. Where its rank would be longer than `ranks.LONGEST`, or where ranks are equal
because two cards came at the same instant, its neighbours on both sides are spread, too.
"""

from collections.abc import Sequence

from helpdesk.platform.record import Record
from helpdesk.tasks import ranks, repository
from helpdesk.tasks.record import Task
from helpdesk.tasks.schemas import Place, TaskStatus

_NEIGHBOURS = (20, 45)
"""How many cards on each side are spread; more only if those leave no room. A transaction takes a hundred writes."""


class Placed(Record):
    """A rank for a card, and the new ranks of its neighbours."""

    rank: str
    others: Sequence[tuple[Task, str]] = ()


def last(organization: str, status: TaskStatus, *, without: str | None = None) -> str:
    """Return the rank after the last card of a column, other than the card `without`. One query."""
    if status is TaskStatus.DONE:
        return ""
    found = repository.column(organization, status, limit=2, backwards=True).records
    low = next((each.rank for each in found if each.id != without), None)
    return ranks.between(low, None)


def beside(anchor: Task, side: Place, moving: str) -> Placed:
    """Return the rank of the card `moving` before or after another one. One query; three where cards are spread."""
    nearest = _run(anchor, 2, moving, backwards=side == "before")
    neighbour = nearest[0].rank if nearest else None
    low, high = (neighbour, anchor.rank) if side == "before" else (anchor.rank, neighbour)
    if low is None or high is None or low < high:
        rank = ranks.between(low, high)
        if len(rank) <= ranks.LONGEST:
            return Placed(rank)
    for count in _NEIGHBOURS:
        placed = _spread(anchor, side, moving, count)
        if placed is not None:
            return placed
    # Ninety cards of one rank: the ids sort them, and this one joins them.
    return Placed(anchor.rank)


def _spread(anchor: Task, side: Place, moving: str, count: int) -> Placed | None:
    """Return new ranks for the cards around the place, None if the outermost of them leave no room."""
    left = _run(anchor, count, moving, backwards=True)[::-1]
    right = _run(anchor, count, moving, backwards=False)
    # The outermost ones stay where they are, unless the column ends there.
    low = left.pop(0).rank if len(left) == count else None
    high = right.pop().rank if len(right) == count else None
    if low is not None and high is not None and low >= high:
        return None
    row: list[Task | None] = [*left, anchor, *right]
    row.insert(len(left) + (side == "after"), None)
    made = ranks.spread(low, high, len(row))
    if count < _NEIGHBOURS[-1] and len(made[0]) > ranks.LONGEST:
        return None
    others = [
        (task, rank) for task, rank in zip(row, made, strict=True) if task is not None and task.rank != rank
    ]
    return Placed(made[row.index(None)], others)


def _run(anchor: Task, count: int, moving: str, *, backwards: bool) -> list[Task]:
    """Return the cards that follow another one in a direction, without the card that moves."""
    place = anchor.position("GSI1")
    found = repository.column(
        anchor.organization, anchor.status, limit=count + 1, after=place, backwards=backwards
    ).records
    return [each for each in found if each.id != moving][:count]
