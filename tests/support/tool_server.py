"""A tool server on loopback that remembers its requests and answers with the bytes that a test gives."""

import hashlib
import hmac
import json
import socketserver
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from helpdesk.outbound.signing import tools_secret


@dataclass(frozen=True)
class Asked:
    """One request as it came in; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def call(self) -> dict[str, Any]:
        """The body of a call."""
        value: dict[str, Any] = json.loads(self.body)
        return value

    def is_signed_with(self, key: str) -> bool:
        """Whether the signature is the one that the specification describes, made with the key's secret."""
        parts = dict(part.split("=", 1) for part in self.headers["svc-signature"].split(","))
        signed = parts["t"].encode() + b"." + self.body
        expected = hmac.new(tools_secret(key).encode(), signed, hashlib.sha256).hexdigest()
        return hmac.compare_digest(expected, parts["v1"])


def response(content: bytes, status: int = 200, *headers: str) -> bytes:
    """Return an HTTP response with this body."""
    head = [f"HTTP/1.1 {status} Said", f"content-length: {len(content)}", "connection: close", *headers]
    return "\r\n".join([*head, "", ""]).encode() + content


def json_response(value: Any, status: int = 200) -> bytes:
    """Return an HTTP response with this value as its body."""
    return response(json.dumps(value).encode(), status, "content-type: application/json")


def tool(name: str, **changed: Any) -> dict[str, Any]:
    """Return a tool of a manifest: a harmless one with one text as its input, and what a test changes of it."""
    return {
        "name": name,
        "title": "Order status",
        "description": "Returns the state of an order.",
        "inputSchema": {
            "type": "object",
            "properties": {"order": {"type": "string"}},
            "required": ["order"],
            "additionalProperties": False,
        },
        "risk": "low",
        "requiresIdentity": False,
        **changed,
    }


def manifest(*tools: dict[str, Any]) -> bytes:
    """Return the response with a manifest of these tools."""
    return json_response({"version": 1, "tools": list(tools)})


@dataclass
class ToolServer:
    """Answers a GET with `manifest` and a POST with `answer`: raw bytes, or None to wait until the server ends.

    With `holds` the connection stays open after the bytes. `before` runs before an answer.
    """

    manifest: bytes | None = b""
    holds: bool = False
    before: Callable[[], object] = lambda: None
    answer: Callable[[Asked], bytes | None] = lambda _: json_response({"status": "shipped"})
    asked: list[Asked] = field(default_factory=list)

    def __enter__(self) -> Self:
        server, self._over = self, threading.Event()

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                method, path, _ = self.rfile.readline().decode().split(" ")
                headers: dict[str, str] = {}
                while line := self.rfile.readline().strip():
                    name, _, value = line.decode().partition(":")
                    headers[name.lower()] = value.strip()
                asked = Asked(method, path, headers, self.rfile.read(int(headers.get("content-length", 0))))
                server.asked.append(asked)
                server.before()
                raw = server.manifest if method == "GET" else server.answer(asked)
                if raw is None:
                    server._over.wait(30)
                    return
                try:
                    self.wfile.write(raw)
                except OSError:
                    return  # the client has read enough
                if server.holds:
                    server._over.wait(30)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/tools"

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls that came, in their order."""
        return [asked.call for asked in list(self.asked) if asked.method == "POST"]
