"""Where a card goes in a column: last, or next to another card; and the ranks that sort the column.

A rank is a fraction in base 62: `V` stands for 0.V, and `VV` comes after it. A rank never ends in the digit 0, so a
rank between two different ones always exists. A card that is put between two others is the only one that is written,
unless its rank would be longer than `LONGEST`, or ranks are equal because two cards came at the same instant: then its
neighbors on both sides are spread, too.

At the ends of a column a rank is a step away from the last one, and not half of what is left: 60 cards in a row that
are each put first would otherwise make ranks of ten digits.
"""

from collections.abc import Sequence

from helpdesk.platform.record import Record
from helpdesk.tasks import repository
from helpdesk.tasks.record import Task
from helpdesk.tasks.schemas import Place, TaskStatus

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUE = {digit: value for value, digit in enumerate(_DIGITS)}
_BASE = len(_DIGITS)

FIRST = "V"
"""The rank of the first card of a column: the middle."""
LONGEST = 32
"""A rank that would be longer is made by spreading its neighbors."""

_NEIGHBOURS = (20, 45)
"""How many cards on each side are spread; more only if those leave no room. A transaction takes a hundred writes."""

_END_DIGITS = 8
_END_STEP = _BASE**4  # room for seven million cards on each side of the first


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
    return between(low, None)


def beside(anchor: Task, side: Place, moving: str) -> Placed:
    """Return the rank of the card `moving` before or after another one. One query; three where cards are spread."""
    nearest = _run(anchor, 2, moving, backwards=side == "before")
    neighbour = nearest[0].rank if nearest else None
    low, high = (neighbour, anchor.rank) if side == "before" else (anchor.rank, neighbour)
    if low is None or high is None or low < high:
        rank = between(low, high)
        if len(rank) <= LONGEST:
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
    made = spread(low, high, len(row))
    if count < _NEIGHBOURS[-1] and len(made[0]) > LONGEST:
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


def between(low: str | None, high: str | None) -> str:
    """Return a rank between two others; None stands for an end of the column. Raises ValueError if there is none."""
    if low is None and high is None:
        return FIRST
    if high is None:
        stepped = _floor(str(low), _END_DIGITS) + _END_STEP
        if stepped < _BASE**_END_DIGITS:
            return _text(stepped, _END_DIGITS)
    if low is None:
        stepped = _floor(str(high), _END_DIGITS) - _END_STEP
        if stepped > 0:
            return _text(stepped, _END_DIGITS)
    return spread(low, high, 1)[0]


def spread(low: str | None, high: str | None, count: int) -> list[str]:
    """Return this many ranks between two others, evenly and as short as possible. Raises ValueError if low >= high."""
    if low is not None and high is not None and low >= high:
        raise ValueError("no rank lies between equal ranks")
    digits = 1
    while True:
        first, last = _room(low, high, digits)
        room = last - first + 1
        if room >= count:
            return [_text(first + room * (2 * number + 1) // (2 * count), digits) for number in range(count)]
        digits += 1


def _room(low: str | None, high: str | None, digits: int) -> tuple[int, int]:
    """Return the least and the greatest number of so many digits that lie between two ranks."""
    first = 1 if low is None else _floor(low, digits) + 1
    if high is None:
        return first, _BASE**digits - 1
    # A rank that is longer than its first digits lies above them, because it does not end in 0.
    return first, _floor(high, digits) - (1 if len(high) <= digits else 0)


def _floor(rank: str, digits: int) -> int:
    number = 0
    for digit in rank[:digits].ljust(digits, _DIGITS[0]):
        number = number * _BASE + _VALUE[digit]
    return number


def _text(number: int, digits: int) -> str:
    written = ""
    for _ in range(digits):
        number, value = divmod(number, _BASE)
        written = _DIGITS[value] + written
    return written.rstrip(_DIGITS[0])
