"""How much time the running invocation has left, for code that waits on purpose."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from helpdesk.platform import clock

_RESERVE_MS = 2_000  # to send the answer

_ends_at: ContextVar[int | None] = ContextVar("ends_at", default=None)


@contextmanager
def of(context: Any) -> Iterator[None]:
    """Make it known until when the code inside may take its time; `context` is Lambda's."""
    with at(clock.now_ms() + int(context.get_remaining_time_in_millis()) - _RESERVE_MS):
        yield


@contextmanager
def at(instant_ms: int) -> Iterator[None]:
    """Give the code inside until an instant (ms), or until the deadline that it has already, if that is earlier."""
    known = _ends_at.get()
    before = _ends_at.set(instant_ms if known is None else min(known, instant_ms))
    try:
        yield
    finally:
        _ends_at.reset(before)


def left_ms() -> int | None:
    """Return how many milliseconds are left; None if the deadline is not known."""
    ends_at = _ends_at.get()
    return None if ends_at is None else max(0, ends_at - clock.now_ms())
