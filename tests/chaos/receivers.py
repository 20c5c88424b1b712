"""Twenty webhook receivers on loopback, most of which misbehave in some way."""

import json
import socket
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random

from tests.chaos.in_flight import InFlightRequests

HANG_SECONDS = 20  # longer than an attempt may last
THINKING_MS = range(50, 201)


class Kind(StrEnum):
    """How a receiver behaves."""

    HEALTHY = "answers at once"
    THINKING = "answers after 50 to 200 ms"
    STUMBLING = "answers 500 to the first request of each event"
    HANGING = "hangs for 20 s at the first request of each tenth event"
    LATE = "refuses connections for the first 10 s"
    BROKEN = "always answers 500"
    CLOSED = "always refuses connections"

    @property
    def gets_everything(self) -> bool:
        """Whether each event has to reach it."""
        return self not in {Kind.BROKEN, Kind.CLOSED}


MIX = (
    [Kind.HEALTHY] * 4
    + [Kind.THINKING] * 6
    + [Kind.STUMBLING] * 4
    + [Kind.HANGING] * 2
    + [Kind.LATE] * 2
    + [Kind.BROKEN, Kind.CLOSED]
)


@dataclass
class ChaoticReceiver:
    """One receiver; `requests` counts what reached it, by event."""

    kind: Kind
    in_flight: InFlightRequests
    requests: Counter[str] = field(default_factory=Counter)
    answered: set[str] = field(default_factory=set)
    _server: ThreadingHTTPServer | None = None

    def __post_init__(self) -> None:
        """Take a port; a socket that is bound and does not listen refuses connections."""
        self._lock = threading.Lock()
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])

    def open(self) -> None:
        """Begin to listen on the port."""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                event_id = json.loads(self.rfile.read(int(self.headers["content-length"])))["id"]
                with receiver.in_flight.track(event_id, self.client_address[1], receiver.port):
                    status = receiver.take(event_id)
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Log nothing: the report shows what arrived."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_: object) -> None:
                """Log nothing about a sender that died."""

        self._server = Server(("127.0.0.1", self.port), Handler, bind_and_activate=False)
        self._server.socket.close()
        self._server.socket = self._socket
        self._server.server_activate()
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def take(self, event_id: str) -> int:
        """Count a request of an event and return the status that answers it."""
        with self._lock:
            self.requests[event_id] += 1
            first = self.requests[event_id] == 1
        if self.kind is Kind.BROKEN or (self.kind is Kind.STUMBLING and first):
            return 500
        if self.kind is Kind.THINKING:
            time.sleep(THINKING_MS[_number_of(event_id) % len(THINKING_MS)] / 1_000)
        if first and self._hangs_at(event_id):
            time.sleep(HANG_SECONDS)
        self.answered.add(event_id)
        return 200

    def needed(self, event_id: str) -> int:
        """Return how many requests it takes this receiver to take an event, when no worker dies."""
        return 2 if self.kind is Kind.STUMBLING or self._hangs_at(event_id) else 1

    def _hangs_at(self, event_id: str) -> bool:
        return self.kind is Kind.HANGING and _number_of(event_id) % 10 == 0

    def close(self) -> None:
        """Stop."""
        if self._server is not None:
            self._server.shutdown()
        self._socket.close()


def _number_of(event_id: str) -> int:
    return int(event_id[-8:], 16)


def mixed(random: Random, in_flight: InFlightRequests) -> list[ChaoticReceiver]:
    """Return the receivers in an order that the seed decides, all closed."""
    kinds = list(MIX)
    random.shuffle(kinds)
    return [ChaoticReceiver(kind, in_flight) for kind in kinds]
