"""Many requests at once, which wait together when the allowance is used up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from helpdesk_cli.output import note
from helpdesk_cli.problems import Refusal

AT_ONCE = 4
"""The number of requests that are under way at a time."""
LONGEST_WAIT_SECONDS = 900.0
"""A longer Retry-After ends the command."""
_WITHOUT_RETRY_AFTER_SECONDS = 5.0
_UNAVAILABLE_TRIES = 5
_POLL_SECONDS = 0.2
_TOO_MANY_REQUESTS, _UNAVAILABLE = 429, 503

T = TypeVar("T")
Result = TypeVar("Result")


class Stopped(Exception):
    """The command ends before this request was sent."""


def _raise_error(finished: Iterable[Future[None]]) -> None:
    """Raise the error of a task, if there is one. A task that was stopped can end before the one that stopped it."""
    for future in finished:
        error = future.exception()
        if error is not None and not isinstance(error, Stopped):
            raise error


class Patience:
    """Sends requests, and sends those again that were refused with 429 or 503, after Retry-After.

    Such a request has not run, so this is safe for every method.
    """

    def __init__(self, sleep: Callable[[float], None]) -> None:
        self._sleep = sleep
        self._longest_announced = 0.0
        self._stopped = threading.Event()
        self._waiting = threading.Lock()

    def call(self, request: Callable[[], Result]) -> Result:
        """Return the response of a request. Errors: Problem, Stopped."""
        unavailable = 0
        while True:
            with self._waiting:  # free unless another request is waiting
                self._check()
            try:
                return request()
            except Refusal as refusal:
                unavailable += refusal.status == _UNAVAILABLE
                seconds = refusal.retry_after or _WITHOUT_RETRY_AFTER_SECONDS
                if (
                    refusal.status not in {_TOO_MANY_REQUESTS, _UNAVAILABLE}
                    or unavailable >= _UNAVAILABLE_TRIES
                    or seconds > LONGEST_WAIT_SECONDS
                ):
                    raise
            if self._waiting.acquire(blocking=False):
                try:
                    self._wait(seconds)
                finally:
                    self._waiting.release()

    def each(self, task: Callable[[T], None], over: Iterable[T]) -> None:
        """Run a task for each item, a few at a time. The first error or Ctrl-C ends it, once running tasks are done."""

        def run(item: T) -> None:
            try:
                task(item)
            except BaseException:
                self._stopped.set()  # at once, so that no other task sends what would also be refused
                raise

        with ThreadPoolExecutor(AT_ONCE) as pool:
            try:
                left = {pool.submit(run, item) for item in over}
                while left:
                    # The time-out lets Ctrl-C through, even if the system hands the signal to another thread.
                    finished, left = wait(left, timeout=_POLL_SECONDS, return_when=FIRST_EXCEPTION)
                    _raise_error(finished)
            except BaseException:
                self._stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _wait(self, seconds: float) -> None:
        self._check()
        # While an allowance refills, there is a wait after every few requests.
        if seconds > self._longest_announced:
            self._longest_announced = seconds
            note(f"The allowance is used up. Continuing in {seconds:.0f} s, and then as it refills.")
        while seconds > 0:
            self._check()
            self._sleep(min(seconds, 1.0))
            seconds -= 1.0

    def _check(self) -> None:
        if self._stopped.is_set():
            raise Stopped
