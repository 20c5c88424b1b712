"""Runs the command line in this process, with a test transport and a clock that never waits."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from click.testing import CliRunner, Result

from helpdesk_cli.main import main
from helpdesk_cli.session import Session
from helpdesk_cli.settings import SettingsFile
from tests.support.api import gateway_event, invoke
from tests.support.described import require_described

BASE_URL = "http://127.0.0.1:4566/helpdesk"


@dataclass
class Clock:
    """A clock that sleeping moves forward; `before_sleep` runs before each sleep."""

    at: float = 1_790_000_000.0
    slept: list[float] = field(default_factory=list)
    before_sleep: Callable[[float], None] = lambda _: None

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.before_sleep(seconds)
        self.slept.append(seconds)
        self.at += seconds


@dataclass
class Cli:
    """The program, run by one user."""

    transport: httpx.BaseTransport
    folder: Path
    base_url: str | None = BASE_URL
    clock: Clock = field(default_factory=Clock)
    environment: dict[str, str] = field(default_factory=dict)
    opened: list[str] = field(default_factory=list)

    @property
    def file(self) -> SettingsFile:
        return SettingsFile(self.folder / "helpdesk")

    def _open_browser(self, address: str) -> bool:
        self.opened.append(address)
        return True

    def run(self, *words: str, stdin: str | None = None, color: bool = False) -> Result:
        """Run a command and return what came of it, whatever its exit status."""
        environment: dict[str, str | None] = dict.fromkeys(
            ("HELPDESK_TOKEN", "HELPDESK_BASE_URL", "NO_COLOR")
        )
        environment |= {"XDG_CONFIG_HOME": str(self.folder), "TERM": "xterm", **self.environment}
        if self.base_url is not None:
            environment.setdefault("HELPDESK_BASE_URL", None)
            environment["HELPDESK_BASE_URL"] = environment["HELPDESK_BASE_URL"] or self.base_url
        runner = CliRunner(mix_stderr=False)
        session = Session(
            transport=self.transport,
            now=self.clock.now,
            sleep=self.clock.sleep,
            open_browser=self._open_browser,
            file=self.file,
        )
        return runner.invoke(main, words, obj=session, input=stdin, env=environment, color=color)

    def ok(self, *words: str, stdin: str | None = None) -> str:
        """Run a command that is to succeed and return its stdout."""
        result = self.run(*words, stdin=stdin)
        assert result.exit_code == 0, (words, result.stdout, result.stderr, result.exception)
        return result.stdout

    def json(self, *words: str) -> Any:
        """Run a command with --json and return what it wrote, which must be one JSON value."""
        return json.loads(self.ok(*words, "--json"))


class Handlers(httpx.BaseTransport):
    """The real handlers as a server, with API Gateway's part in this process. Checks responses against the schema.

    Requests run one at a time, because the table in memory is not made for threads.
    """

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.refusals: list[httpx.Response] = []
        """Answers to give before any request reaches a handler."""
        self._one_at_a_time = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with self._one_at_a_time:
            return self._handle(request)

    def _handle(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.requests.append(request)
        if self.refusals:
            return self.refusals.pop(0)
        url = request.url.raw_path.decode().removeprefix("/helpdesk")
        event = gateway_event(
            request.method,
            url,
            body=request.content.decode() or None,
            headers={name: value for name, value in request.headers.items() if name != "host"},
        )
        raw = invoke(event)
        headers = [(name, value) for name, values in raw["multiValueHeaders"].items() for value in values]
        body: str = raw["body"] or ""
        content = base64.b64decode(body) if raw.get("isBase64Encoded") else body.encode()
        response = httpx.Response(raw["statusCode"], headers=headers, content=content)
        if response.headers.get("content-type", "").startswith("application/json"):
            require_described(
                request.method, event["path"], response.status_code, dict(response.headers), response.json()
            )
        return response


def answering(answers: Mapping[str, Any]) -> httpx.MockTransport:
    """Return a server with fixed responses by "METHOD /v1/path": an object, a response or a function."""

    def handle(request: httpx.Request) -> httpx.Response:
        answer = answers[f"{request.method} {request.url.path.removeprefix('/helpdesk')}"]
        given = answer(request) if callable(answer) else answer
        return given if isinstance(given, httpx.Response) else httpx.Response(200, content=json.dumps(given))

    return httpx.MockTransport(handle)


def refusal(status: int, code: str, message: str = "No.", **headers: str) -> httpx.Response:
    """Return the API's error object as a response."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json={"error": {"code": code, "message": message}}, headers=named)


def oauth_error(status: int, error: str, **headers: str) -> httpx.Response:
    """Return an OAuth error as a response."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json={"error": error, "error_description": "As it is."}, headers=named)
