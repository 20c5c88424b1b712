"""A local time, and a server that keeps what the inbox's commands send."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.cli import Cli

NOW_MS = 1_790_000_000_000  # 2026-09-21 23:13:20 in Tokyo
BILLING = {"id": "team_billing", "name": "Billing", "memberIds": ["usr_ada"]}
ADA = {"userId": "usr_ada", "name": "Ada Admin", "email": "Ada@Example.com"}


@pytest.fixture
def _tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time is Tokyo's."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


class Service:
    """A server with fixed responses that keeps the requests. Everything not listed succeeds with {"ok": true}."""

    def __init__(self, folder: Path, **answers: Any) -> None:
        known = {"members": {"members": [ADA], "nextCursor": None}, "teams": {"teams": [BILLING]}}
        self.answers: dict[str, Any] = {**known, **answers}
        self.requests: list[httpx.Request] = []
        self.cli = Cli(httpx.MockTransport(self._handle), folder, environment={"HELPDESK_TOKEN": "svc_oat_x"})
        self.cli.clock.at = NOW_MS / 1000

    def _handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        path = request.url.path.removeprefix("/helpdesk/v1/")
        if request.url.host == "storage.example":
            return self.answers[str(request.url)](request)  # type: ignore[no-any-return]
        answer = self.answers.get(path, {"ok": True})
        if callable(answer):
            answer = answer(json.loads(request.content))
        return answer if isinstance(answer, httpx.Response) else httpx.Response(200, json=answer)

    def sent(self) -> list[tuple[str, str, Any]]:
        """Method, path and body of the requests."""
        return [
            (
                request.method,
                request.url.path.removeprefix("/helpdesk/v1/"),
                json.loads(request.content) if request.content else None,
            )
            for request in self.requests
            if request.url.host != "storage.example"
        ]
