"""How much time the running invocation has left, for code that waits on purpose."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from helpdesk.platform import clock

_ends_at: ContextVar[int | None] = ContextVar("ends_at", default=None)


@contextmanager
def of(context: Any) -> Iterator[None]:
    """Make Lambda's deadline known to the code inside; `context` is Lambda's."""
    before = _ends_at.set(clock.now_ms() + int(context.get_remaining_time_in_millis()))
    try:
        yield
    finally:
        _ends_at.reset(before)


def left_ms() -> int:
    """Return how many milliseconds are left; 0 if the deadline is not known."""
    ends_at = _ends_at.get()
    return 0 if ends_at is None else max(0, ends_at - clock.now_ms())
