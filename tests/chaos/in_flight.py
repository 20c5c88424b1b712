"""The requests in flight: received and not answered. Receivers report them, and the killer of workers reads them."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

TOO_OLD_SECONDS = 10  # the sender of one that hangs gives up after 15


@dataclass(eq=False)
class InFlightRequest:
    """A request in flight: its event, its connection, and since when."""

    event_id: str
    client_port: int
    server_port: int
    since: float = field(default_factory=time.monotonic)
    answered: threading.Event = field(default_factory=threading.Event)


class InFlightRequests:
    """The requests that are in flight at all receivers together."""

    def __init__(self) -> None:
        self._requests: set[InFlightRequest] = set()
        self._lock = threading.Lock()
        self._arrived = threading.Condition(self._lock)

    @contextmanager
    def track(self, event_id: str, client_port: int, server_port: int) -> Iterator[None]:
        """Hold a request in flight. The answer is written after this, so while `frozen` holds, it is not written."""
        request = InFlightRequest(event_id, client_port, server_port)
        with self._arrived:
            self._requests.add(request)
            self._arrived.notify_all()
        try:
            yield
        finally:
            with self._lock:
                self._requests.discard(request)
            request.answered.set()

    def wait(self, random: Random, seconds: float) -> InFlightRequest | None:
        """Return any request in flight, waiting for one; nothing when none comes in time."""
        with self._arrived:
            if not self._arrived.wait_for(self._young, seconds):
                return None
            return random.choice(self._young())

    @contextmanager
    def frozen(self, request: InFlightRequest) -> Iterator[bool]:
        """Say whether a request is still in flight, and let none be answered meanwhile."""
        with self._lock:
            yield request in self._requests

    def _young(self) -> list[InFlightRequest]:
        since = time.monotonic() - TOO_OLD_SECONDS
        return sorted((each for each in self._requests if each.since > since), key=lambda each: each.since)
