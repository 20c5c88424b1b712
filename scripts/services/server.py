"""The server: hands each request to the service of its host, remembers it, and fails on demand.

A request for `https://api.github.com/user` comes as `/api.github.com/user` (helpdesk.integrations.client.address).
"""

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, Self
from urllib.parse import parse_qs, unquote, urlsplit

KEPT = 10_000
"""How many requests are remembered."""


@dataclass(frozen=True)
class Asked:
    """A request as it came in; names of headers in lower case."""

    method: str
    host: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.body)

    @property
    def form(self) -> dict[str, str]:
        """The fields of a form that was sent."""
        if self._boundary:
            return {name: content.decode() for name, file, content in self._parts() if file is None}
        fields = parse_qs(self.body.decode(), keep_blank_values=True)
        return {name: values[-1] for name, values in fields.items()}

    @property
    def files(self) -> dict[str, bytes]:
        """The files of a form that was sent as multipart/form-data, by their paths."""
        return {file: content for _, file, content in self._parts() if file}

    @property
    def _boundary(self) -> str:
        kind, _, boundary = self.headers.get("content-type", "").partition("; boundary=")
        return boundary.strip('"') if kind == "multipart/form-data" else ""

    def _parts(self) -> list[tuple[str, str | None, bytes]]:
        """Return the parts of multipart/form-data (RFC 7578): the field, the file's path if it is one, the content."""
        if not self._boundary:
            return []
        found = []
        for part in self.body.split(b"--" + self._boundary.encode())[1:-1]:
            head, _, content = part.partition(b"\r\n\r\n")
            words = dict(re.findall(r'\b(name|filename)="([^"]*)"', head.decode()))
            found.append((words["name"], words.get("filename"), content.removesuffix(b"\r\n")))
        return found

    @property
    def bearer(self) -> str:
        """The token of the Authorization header; empty without one."""
        return self.headers.get("authorization", "").removeprefix("Bearer ")

    def __str__(self) -> str:
        return f"{self.method} {self.host}{self.path}"


@dataclass(frozen=True)
class Said:
    """A response."""

    status: int = 200
    json: Any = None
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Service(Protocol):
    """A service: the hosts that it has, and what it answers."""

    hosts: frozenset[str]

    def answer(self, asked: Asked) -> Said:
        """Answer a request."""
        ...


@dataclass
class Fault:
    """What happens to the next requests that `about` fits, instead of an answer, or after it.

    said       the answer in place of the service's own: a 5xx, a 429
    hangs_up   the connection ends without an answer; with `works` the service has done what it was asked for
    """

    about: Callable[[Asked], bool]
    said: Said | None = None
    hangs_up: bool = False
    works: bool = False
    left: int = 1


class Services:
    """The running server. `asked` has what came in, in order; `url` is its address."""

    def __init__(self, *services: Service, port: int = 0) -> None:
        self._by_host = {host: service for service in services for host in service.hosts}
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def fail(self, method: str = "", path: str = "", **how: Any) -> None:
        """Let the next requests with this method, whose path contains this text, fail."""
        self.faults.append(
            Fault(lambda asked: method in {"", asked.method} and path in f"{asked.host}{asked.path}", **how)
        )

    def said_to(self, method: str, part: str) -> list[Asked]:
        """Return the requests with a method whose address contains a text."""
        return [each for each in self.asked if each.method == method and part in f"{each.host}{each.path}"]

    def _answer(self, asked: Asked) -> Said | None:
        with self._lock:
            self.asked.append(asked)
            del self.asked[:-KEPT]
            fault = next((each for each in self.faults if each.left and each.about(asked)), None)
            if fault is not None:
                fault.left -= 1
                if not fault.works:
                    return None if fault.hangs_up else fault.said
            service = self._by_host.get(asked.host)
            said = Said(404, {"message": "Not Found"}) if service is None else service.answer(asked)
            if fault is not None:
                return None if fault.hangs_up else fault.said
            return said

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        services = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _any(self) -> None:
                parts = urlsplit(self.path)
                host, _, path = parts.path.lstrip("/").partition("/")
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.command, host, f"/{unquote(path)}", query, headers, body)
                said = services._answer(asked)
                self.close_connection = True
                if said is None:
                    return
                content = said.body if said.json is None else json.dumps(said.json).encode()
                self.send_response(said.status)
                for name, value in said.headers.items():
                    self.send_header(name, value)
                if said.json is not None:
                    self.send_header("content-type", "application/json; charset=utf-8")
                self.send_header("content-length", str(len(content)))
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _any  # noqa: N815 - the base class's names

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler
