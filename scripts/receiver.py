"""An example receiver of webhooks: prints every delivery, and whether it verifies.

    python -m scripts.receiver

It listens on 127.0.0.1 only, takes the secret key from the running local stack (`.local/stack.json`) or from
`--key`, and registers itself there for all events. It returns 200 if the signature is valid and 400 if not.
With `--fail N` it returns 500 to the first N deliveries of each event, to show retries. Ctrl-C ends it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NoReturn
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

_ROOT = Path(__file__).resolve().parents[1]
# Nothing need be installed: a clone of the repository is enough.
sys.path += [str(_ROOT / "clients" / "python" / "src"), str(_ROOT / "layers" / "core")]

from helpdesk.events.kinds import WebhookEvent  # noqa: E402 - after the line above
from helpdesk_webhooks import SIGNATURE_HEADER, VerificationError, verify, webhook_secret  # noqa: E402

DEFAULT_PORT = 8787
STACK_FILE = _ROOT / ".local" / "stack.json"
PATH = "/webhooks"
EVENTS = tuple(kind.value for kind in WebhookEvent)
# A delivered body holds one message of at most 4,000 characters and little else.
MAX_BODY_BYTES = 1_000_000
API_TIMEOUT_SECONDS = 20
TEXT_WIDTH = 200


class Problem(Exception):
    """A problem that the person at the terminal can correct, reported in one line."""


@dataclass(frozen=True)
class Stack:
    """Where the API is, and the key to it."""

    base_url: str | None
    key: str | None

    @classmethod
    def find(cls, key: str | None, base_url: str | None, file: Path) -> Stack:
        """Return the options of the command line, completed from the local stack's file."""
        found: dict[str, str] = {}
        if file.exists() and not (key and base_url):
            try:
                found = json.loads(file.read_text(encoding="utf-8"))
            except ValueError as problem:
                raise Problem(
                    f"{file} is not readable ({problem}). Start the stack again: make up"
                ) from problem
        return cls(base_url=base_url or found.get("base_url"), key=key or found.get("secret_key"))


@dataclass
class Seen:
    """The deliveries of one event ID: how many, and the digest of the first body."""

    deliveries: int = 0
    digest: str = ""


@dataclass
class Journal:
    """Counts deliveries by event id and prints one block for each."""

    secret: str | None
    fail: int = 0
    events: dict[str, Seen] = field(default_factory=dict)
    total: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, body: bytes, header: str | None, now: int) -> HTTPStatus:
        """Check and print one delivery; return the status to respond with. `now` is in milliseconds."""
        verdict, verified = self._check(body, header, now)
        event = _parse(body)
        event_id = str(event.get("id", "without an id"))
        digest = hashlib.sha256(body).hexdigest()
        with self._lock:
            seen = self.events.setdefault(event_id, Seen(digest=digest))
            seen.deliveries += 1
            self.total += 1
            if not verified:
                status = HTTPStatus.BAD_REQUEST
            elif seen.deliveries <= self.fail:
                status = HTTPStatus.INTERNAL_SERVER_ERROR
            else:
                status = HTTPStatus.OK
            lines = [
                f"{_clock(now)}  {_plain(event.get('type', 'unknown event'))}  {_plain(event_id)}",
                f"  delivery      {_delivery(seen, digest)}; {len(body)} bytes",
                f"  times         {_times(event, header, now)}",
                f"  signature     {verdict}",
                *_main_points(event),
                f"  answered      {status.value}{' on purpose' if status >= 500 else ''}",
            ]
            print("\n".join(lines), end="\n\n", flush=True)
        return status

    def _check(self, body: bytes, header: str | None, now: int) -> tuple[str, bool]:
        if self.secret is None:
            return "not checked, because no key is known", True
        try:
            verify(body, header, self.secret, now=now)
        except VerificationError as problem:
            return f"REFUSED, {type(problem).__name__}: {problem}", False
        return "verified", True


class Receiver(ThreadingHTTPServer):
    """The HTTP server; `journal` is what its handlers write to."""

    daemon_threads = True

    def __init__(self, port: int, journal: Journal) -> None:
        self.journal = journal
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as problem:
            raise Problem(
                f"Port {port} of 127.0.0.1 cannot be used ({problem.strerror}). "
                "Choose another: make receiver RECEIVER_PORT=8788"
            ) from problem

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002 - the base class's
        """Print one line without a stack trace for a caller that closed the connection early."""
        print(f"{_clock(_now_ms())}  a request broke off: {sys.exception()}\n", flush=True)

    @property
    def url(self) -> str:
        """The address to register as an endpoint."""
        return f"http://127.0.0.1:{self.server_address[1]}{PATH}"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver
    timeout = 30  # seconds; a caller that sends nothing must not hold a thread forever

    def do_POST(self) -> None:
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()):
            self._answer(HTTPStatus.LENGTH_REQUIRED)
        elif int(length) > MAX_BODY_BYTES:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            body = self.rfile.read(int(length))
            self._answer(self.server.journal.take(body, self.headers.get(SIGNATURE_HEADER), _now_ms()))

    def do_GET(self) -> None:
        self._answer(HTTPStatus.OK, b"An example receiver. POST webhooks here.\n")

    def _answer(self, status: HTTPStatus, text: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Log nothing: the journal prints each delivery."""


class Api:
    """The few calls of the API that registering needs."""

    def __init__(self, base_url: str, key: str) -> None:
        self._base_url = base_url.rstrip("/")
        self._key = key
        # The stack is on this machine; a proxy from the environment would not find it.
        self._opener = build_opener(ProxyHandler({}))

    def register(self, url: str) -> str:
        """Register `url` for every event, or update its endpoint. Return what was done."""
        endpoints = self._call("GET", "/v1/webhooks")["webhooks"]
        mine = next((endpoint for endpoint in endpoints if endpoint["url"] == url), None)
        if mine is None:
            created = self._call("POST", "/v1/webhooks", {"url": url, "events": list(EVENTS)})
            return f"registered as {created['id']} for all events"
        if set(mine["events"]) != set(EVENTS):
            self._call("PATCH", f"/v1/webhooks/{mine['id']}", {"url": url, "events": list(EVENTS)})
            return f"was registered as {mine['id']}, now for all events"
        return f"was registered already, as {mine['id']}"

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        request = Request(  # noqa: S310 - the address is the stack's own
            self._base_url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"authorization": f"Bearer {self._key}", "content-type": "application/json"},
        )
        try:
            with self._opener.open(request, timeout=API_TIMEOUT_SECONDS) as answer:
                return json.load(answer)
        except HTTPError as refusal:
            raise Problem(f"{method} {path} answered {refusal.code}: {_refusal(refusal.read())}") from refusal
        except (URLError, OSError, ValueError) as problem:
            raise Problem(
                f"The API at {self._base_url} does not answer ({problem}). Is the stack running? make up"
            ) from problem


def _refusal(body: bytes) -> str:
    try:
        error = json.loads(body)["error"]
        return f"{error['code']}: {error['message']}"
    except (ValueError, KeyError, TypeError):
        return _plain(body.decode("utf-8", "replace"))


def _parse(body: bytes) -> dict[str, Any]:
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


def _delivery(seen: Seen, digest: str) -> str:
    if seen.deliveries == 1:
        return "first of this event"
    same = "the same bytes as the first" if digest == seen.digest else "OTHER BYTES than the first"
    return f"number {seen.deliveries} of this event, {same}"


def _times(event: dict[str, Any], header: str | None, now: int) -> str:
    facts = []
    if isinstance(event.get("createdAt"), int):
        facts.append(f"happened {_ago(now - event['createdAt'])}")
    signed = (header or "").partition("t=")[2].partition(",")[0]
    if signed.isascii() and signed.isdigit() and len(signed) <= 15:
        facts.append(f"signed {_ago(now - int(signed))}")
    return ", ".join(facts) or "no details"


def _main_points(event: dict[str, Any]) -> list[str]:
    """Return a summary of the event, one line for each part."""
    data = event.get("data")
    if not isinstance(data, dict):
        return []
    lines = []
    for name, thing in data.items():
        if not isinstance(thing, dict):
            continue
        if name == "message":
            text = f"{_speaker(thing)}: {thing.get('body')}"
        elif name == "conversation":
            waiting = "waiting for a person" if thing.get("awaitingHuman") else "not waiting for a person"
            text = f"{thing.get('id')}, {thing.get('status')}, {waiting}"
        else:
            parts = (thing.get("id"), thing.get("title"), thing.get("status"), _reporters(thing))
            text = ", ".join(str(each) for each in parts if each)
        lines.append(f"  {_plain(name):<13} {_plain(text)}")
    return lines


def _reporters(thing: dict[str, Any]) -> str:
    count = thing.get("reporterCount")
    return f"reporterCount {count}" if isinstance(count, int) else ""


def _speaker(message: dict[str, Any]) -> str:
    agent = message.get("agent")
    if isinstance(agent, dict):
        return f"{agent.get('name')} ({agent.get('kind')})"
    return str(message.get("sender"))


def _plain(text: object) -> str:
    """Return one line of printable text: a delivery must not control the terminal."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return line if len(line) <= TEXT_WIDTH else line[: TEXT_WIDTH - 1] + "…"


def _ago(milliseconds: int) -> str:
    if abs(milliseconds) < 10_000:
        return f"{milliseconds} ms ago"
    return f"{milliseconds / 1000:.0f} s ago"


def _clock(now: int) -> str:
    return datetime.fromtimestamp(now / 1000).astimezone().strftime("%H:%M:%S.%f")[:-3]


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.receiver", description="Print every webhook and whether it verifies."
    )
    parser.add_argument(
        "--port",
        type=int,
        default=os.environ.get("PORT") or DEFAULT_PORT,
        help=f"port on 127.0.0.1 (default: the variable PORT, else {DEFAULT_PORT})",
    )
    parser.add_argument("--key", help="secret key that registered the endpoint (default: the local stack's)")
    parser.add_argument("--base-url", help="address that /v1/… follows (default: the local stack's)")
    parser.add_argument(
        "--register",
        action=argparse.BooleanOptionalAction,
        help="register this receiver for all events first (default: when a local stack is known)",
    )
    parser.add_argument(
        "--fail",
        type=int,
        default=0,
        metavar="N",
        help="respond with 500 to the first N deliveries of each event",
    )
    parser.add_argument("--stack-file", type=Path, default=STACK_FILE, help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def _secret_of(key: str | None) -> str | None:
    try:
        return webhook_secret(key) if key else None
    except ValueError as problem:
        raise Problem(str(problem)) from problem


def _register(url: str, stack: Stack) -> str:
    if stack.key is None or stack.base_url is None:
        raise Problem("No local stack is known here. Start it first (make up), or give --key and --base-url.")
    return Api(stack.base_url, stack.key).register(url)


def run(arguments: argparse.Namespace) -> None:
    """Listen until interrupted. Raises Problem."""
    stack = Stack.find(arguments.key, arguments.base_url, arguments.stack_file)
    journal = Journal(secret=_secret_of(stack.key), fail=arguments.fail)
    with Receiver(arguments.port, journal) as receiver:
        if arguments.register is not False:
            try:
                print(f"{receiver.url} {_register(receiver.url, stack)}.")
            except Problem as problem:
                if arguments.register:
                    raise
                print(f"Not registered. {problem}")
        if stack.key is None:
            print("No key is known, so signatures are not checked: start the stack (make up) or give --key.")
        print(f"Waiting for webhooks at {receiver.url}. Ctrl-C ends.\n", flush=True)
        try:
            receiver.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            print(f"\nReceived: {journal.total} deliveries, {len(journal.events)} events.", flush=True)


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    arguments = _arguments(argv)
    try:
        run(arguments)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    # A shell starts background commands with SIGINT ignored; ending must work there too.
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    sys.exit(main())
