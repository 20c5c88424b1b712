"""The only source of time, so that tests can set it.

Every time is an integer of milliseconds since the Unix epoch (Specification: What the service does, 4). The only
exception is DynamoDB's time-to-live attribute, which counts seconds.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def _system_us() -> int:
    return time.time_ns() // 1_000


_now_us: Callable[[], int] = _system_us


def now_us() -> int:
    """Return the current time in microseconds since the Unix epoch; rate limits use these."""
    return _now_us()


def now_ms() -> int:
    """Return the current time in milliseconds since the Unix epoch."""
    return _now_us() // 1_000


def seconds_from_now(seconds: int) -> int:
    """Return the time in `seconds` from now, in epoch seconds, as DynamoDB's time-to-live attribute needs it."""
    return _now_us() // 1_000_000 + seconds


def sleep(seconds: float) -> None:
    """Wait. Tests replace it, so that none of them waits."""
    time.sleep(seconds)


@contextmanager
def frozen(source_us: Callable[[], int]) -> Iterator[None]:
    """Use `source_us` (microseconds) as the clock inside the block. For tests and simulations."""
    global _now_us  # noqa: PLW0603 - one process-wide clock is the point
    previous = _now_us
    _now_us = source_us
    try:
        yield
    finally:
        _now_us = previous
