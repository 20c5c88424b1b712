"""A webhook receiver on loopback that remembers what it was sent and answers as a test says."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import helpdesk_webhooks


@dataclass(frozen=True)
class Received:
    """One request as it came in; `at` in seconds."""

    body: bytes
    headers: dict[str, str]
    at: float

    def verified(self, key: str) -> dict[str, Any]:
        """Return the event, which must carry a valid signature made with the key's secret."""
        event: dict[str, Any] = helpdesk_webhooks.verify(
            self.body, self.headers["svc-signature"], helpdesk_webhooks.webhook_secret(key)
        )
        return event


@dataclass
class Receiver:
    """Answers the n-th request (from 1) of each event with the status that `answer` gives."""

    answer: Callable[[int], int] = lambda _: 200
    received: list[Received] = field(default_factory=list)

    def __enter__(self) -> Self:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.received.append(Received(body, headers, time.monotonic()))
                same = sum(1 for earlier in receiver.received if earlier.body == body)
                self.send_response(receiver.answer(same))
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Log nothing: the test reports failures."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/webhooks"

    def wait_for(self, count: int, seconds: float = 40) -> list[Received]:
        """Return what came, once there are `count` requests; fails when they do not come in time."""
        deadline = time.monotonic() + seconds
        while len(self.received) < count:
            assert time.monotonic() < deadline, (
                f"{len(self.received)} of {count} requests came in {seconds} s"
            )
            time.sleep(0.05)
        return list(self.received)

    def message(self, message_id: str, seconds: float = 40) -> dict[str, Any]:
        """Return a message from its event, once that event came; ignore earlier ones."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for received in list(self.received):
                message: dict[str, Any] = json.loads(received.body)["data"].get("message") or {}
                if message.get("id") == message_id:
                    return message
            time.sleep(0.05)
        raise AssertionError(f"no event of {message_id} came in {seconds} s")
