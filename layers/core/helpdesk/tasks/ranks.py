"""Ranks: texts that sort cards in a column, with room for another one between any two.

A rank is a fraction in base 62: `V` stands for 0.V, and `VV` comes after it. A rank never ends in the digit 0, so a
rank between two different ones always exists. A card that is put between two others is the only one that is written.

At the ends of a column a rank is a step away from the last one, and not half of what is left: 60 cards in a row that
are each put first would otherwise make ranks of ten digits.
"""

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUE = {digit: value for value, digit in enumerate(_DIGITS)}
_BASE = len(_DIGITS)

FIRST = "V"
"""The rank of the first card of a column: the middle."""
LONGEST = 32
"""A rank that would be longer is made by spreading its neighbours (see `placing`)."""

_END_DIGITS = 8
_END_STEP = _BASE**4  # room for seven million cards on each side of the first


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
