"""Repeats writes that met another write of the same item.

Every change is conditional on what it read. Of two changes at once one succeeds, and the other reads and decides again.
DynamoDB cancels transactions that meet at one item, too, and throttles an item that is written too often. All of them
pause in the same way before the next try, and give up at the same deadline.
"""

import random
from collections.abc import Callable

from helpdesk.platform import clock, deadline

MOST_MS = 10_000
"""How long a piece of work is tried. The gateway allows a request 29 s, and a person waits less."""
_LEAST_TRIES = 3
"""How often work is tried that takes longer than that, as a worker's does that asks a model or another service."""
_FIRST_PAUSE_SECONDS = 0.02  # about as long as one try takes
_LONGEST_PAUSE_SECONDS = 0.4
_DOUBLINGS = 10


class Conflict(Exception):
    """Other writes of the same items came first during every try. Nothing was written.

    A route answers 409 `conflict`. A worker lets it through, and its queue delivers the message again.
    """


class Stale(Exception):
    """What an attempt read has changed. For attempts that find out without the exception of a failed condition."""


class Pauses:
    """The pauses between the tries of one piece of work: random, up to twice as long each time, until a deadline."""

    def __init__(self, until_ms: int | None = None) -> None:
        """Set the deadline: in 10 s, at that of the invocation, or at the instant `until_ms`, whichever is first."""
        self._began_ms = self._try_began_ms = clock.now_ms()
        self._paused_ms = 0.0
        self._tries = 0
        limits = [] if until_ms is None else [until_ms - self._began_ms]
        if (of_invocation := deadline.left_ms()) is not None:
            limits.append(of_invocation)
        self._limit_ms = min(limits, default=None)

    def wait(self) -> bool:
        """Pause before the next try. Return False, without a pause, if there is no time for it.

        It has time if it begins before the deadline. One that takes as long as the last must also end before the
        invocation does.
        """
        # Full jitter: writers that met must not meet again.
        longest = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2 ** min(self._tries, _DOUBLINGS))
        seconds = random.uniform(0, longest)  # noqa: S311 - no secret
        self._tries += 1
        now = clock.now_ms()
        took_ms = now - self._try_began_ms
        # The clock may be set back, which must not make the tries endless.
        next_ms = max(now - self._began_ms, self._paused_ms) + seconds * 1_000
        if self._limit_ms is not None and next_ms + took_ms > self._limit_ms:
            return False
        if next_ms > MOST_MS and self._tries >= _LEAST_TRIES:
            return False
        clock.sleep(seconds)
        self._paused_ms += seconds * 1_000
        self._try_began_ms = clock.now_ms()
        return True


def repeat_when_stale[T](attempt: Callable[[], T], *stale: type[Exception]) -> T:
    """Return what an attempt returns: a function that reads, decides and commits.

    One that raises Stale or an exception of the kinds `stale` is repeated after a pause, until it succeeds or the
    deadline passes. An attempt can save a read: it keeps the item that the failed condition returned, and decides on
    that next time. Raises Conflict after the deadline, and at once what else an attempt raises.
    """
    kinds: tuple[type[Exception], ...] = (Stale, *stale)
    pauses = Pauses()
    while True:
        try:
            return attempt()
        except kinds:
            if not pauses.wait():
                raise Conflict from None
