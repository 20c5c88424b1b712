"""Identifiers that sort by their creation time.

An id is a prefix and a ULID in lower case (`conv_01jd3k…`): 48 bits of milliseconds, then 80 random bits, in
Crockford's base 32. So the newest item of a partition is the last one, without an index. Only event ids have another
format, which the specification defines: `evt_` and 32 hexadecimal characters (Specification: Events, Envelope).
"""

import re
import secrets
import threading
from collections.abc import Callable

from helpdesk.platform import clock

MAX_MS = 2**48 - 1
"""The last instant that an ID can start with, in the year 10889."""

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_ULID_LENGTH = 26
_TIME_CHARACTERS = 10
_RANDOM_BITS = 80
_SECRET_CHARACTERS = 43
_ULID = re.compile(r"[0-7][0-9a-hjkmnp-tv-z]{25}")  # 128 of the 130 bits
_SECRET = re.compile(f"[0-9A-Za-z]{{{_SECRET_CHARACTERS}}}")
_random_bits: Callable[[int], int] = secrets.randbits
_last: tuple[int, int] = (-1, 0)
_lock = threading.Lock()


def _next() -> tuple[int, int]:
    """Return the current millisecond and 80 bits: random, or within the same millisecond the previous ones plus 1."""
    global _last  # noqa: PLW0603 - each id of this process is greater than the previous one
    with _lock:
        at = clock.now_ms()
        bits = (_last[1] + 1) % (1 << _RANDOM_BITS) if _last[0] == at else _random_bits(_RANDOM_BITS)
        _last = (at, bits)
        return _last


def ulid(at_ms: int | None = None, randomness: int | None = None) -> str:
    """Return a ULID for an instant (ms, default now). Two of one millisecond keep their order within a process."""
    if at_ms is None:
        at, bits = _next()
    else:
        at, bits = at_ms, _random_bits(_RANDOM_BITS)
    randomness = bits if randomness is None else randomness
    number = (at << _RANDOM_BITS) | randomness
    return _written(number)


def _written(number: int) -> str:
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(5 * (_ULID_LENGTH - 1), -1, -5))


def new(prefix: str) -> str:
    """Return a new id such as `conv_01jd3k…` for the prefix `conv`."""
    return f"{prefix}_{ulid()}"


def new_after(prefix: str, earlier: str | None) -> str:
    """Return a new id that sorts after an earlier one of the same prefix, even if another clock made that one."""
    made = new(prefix)
    if earlier is None or made > earlier:
        return made
    number = 0
    for character in earlier.rpartition("_")[2]:
        number = number * 32 + _ALPHABET.index(character)
    return f"{prefix}_{_written(number + 1)}"


def event() -> str:
    """Return a new event id: `evt_` and 32 hexadecimal characters, of which the first 12 are its milliseconds.

    Events of one change keep their order: conversation.created before message.created.
    """
    at, bits = _next()
    return f"evt_{at:012x}{bits:020x}"


def event_made_at(event_id: str) -> int:
    """Return the creation time (ms) of an event id."""
    return int(event_id[4:16], 16)


def is_id(prefix: str, text: str) -> bool:
    """Return whether a text has the form of an id with this prefix and a ULID."""
    return text.startswith(f"{prefix}_") and _ULID.fullmatch(text, len(prefix) + 1) is not None


def made_at(identifier: str) -> int:
    """Return the creation time (ms) of an id with a prefix and a ULID."""
    number = 0
    for character in identifier.rpartition("_")[2][:_TIME_CHARACTERS]:
        number = number * 32 + _ALPHABET.index(character)
    return number


def secret(characters: int = _SECRET_CHARACTERS) -> str:
    """Return random base-62 text; 43 characters hold 256 bits. For keys, tokens and other bearer secrets."""
    alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    return "".join(secrets.choice(alphabet) for _ in range(characters))


def is_secret(text: str) -> bool:
    """Return whether a text has the form of a secret of 43 characters."""
    return _SECRET.fullmatch(text) is not None
