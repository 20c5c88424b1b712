"""Several pieces of work at once, in an order that a seed decides.

Each piece runs in a thread of its own and stops before every call to DynamoDB; one of those that wait is drawn and
goes on to its next call. So a call is atomic, as it is in DynamoDB, the order of calls is any that could happen, and
a failing order happens again with the same seed.
"""

import queue
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from helpdesk.platform import clients

_PATIENCE_SECONDS = 30


@dataclass
class Outcomes[T]:
    """What came of the pieces, in the order in which they were given.

    `commits` names the piece of each transaction that was written, in the order of writing.
    """

    results: list[T | None]
    errors: list[Exception | None]
    commits: list[int] = field(default_factory=list)

    def all(self) -> list[T]:
        """Return every result; raise the first error where there is one."""
        for error in self.errors:
            if error is not None:
                raise error
        return [result for result in self.results if result is not None]


class _Turns:
    """Gives the pieces their turns."""

    def __init__(self, pieces: int, commits: list[int]) -> None:
        self._here = threading.local()
        self._gates = [threading.Semaphore(0) for _ in range(pieces)]
        self._reports: queue.Queue[tuple[int, bool]] = queue.Queue()
        self._commits = commits

    def begin(self, number: int) -> None:
        """Say which piece runs in this thread."""
        self._here.number = number

    def end(self, number: int) -> None:
        """Say that a piece has finished."""
        self._reports.put((number, False))

    def before_call(self, **_: Any) -> None:
        """Wait for the piece's turn."""
        number = getattr(self._here, "number", None)
        if number is not None:
            self._reports.put((number, True))
            assert self._gates[number].acquire(timeout=_PATIENCE_SECONDS)

    def after_call(self, http_response: Any, model: Any, **_: Any) -> None:
        """Note a transaction that was written."""
        number = getattr(self._here, "number", None)
        if number is not None and model.name == "TransactWriteItems" and http_response.status_code == 200:
            self._commits.append(number)

    def deal(self, rng: random.Random) -> None:
        """Let one piece at a time go on until all have finished."""
        waiting: list[int] = []
        running = len(self._gates)
        while running or waiting:
            for _ in range(running):
                number, waits = self._reports.get(timeout=_PATIENCE_SECONDS)
                if waits:
                    waiting.append(number)
            running = 1 if waiting else 0
            if waiting:
                waiting.sort()
                self._gates[waiting.pop(rng.randrange(len(waiting)))].release()


def interleaved[T](pieces: Sequence[Callable[[], T]], seed: int) -> Outcomes[T]:
    """Run the pieces at once in the order that the seed gives."""
    outcomes = Outcomes[T]([None] * len(pieces), [None] * len(pieces))
    turns = _Turns(len(pieces), outcomes.commits)

    def run(number: int) -> None:
        turns.begin(number)
        try:
            outcomes.results[number] = pieces[number]()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            outcomes.errors[number] = error
        finally:
            turns.end(number)

    registry = clients.dynamodb().meta.events
    registry.register("before-call", turns.before_call)
    registry.register("after-call", turns.after_call)
    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(len(pieces))]
    try:
        for thread in threads:
            thread.start()
        turns.deal(random.Random(seed))
        for thread in threads:
            thread.join(_PATIENCE_SECONDS)
    finally:
        registry.unregister("before-call", turns.before_call)
        registry.unregister("after-call", turns.after_call)
    return outcomes
