"""Calling a running stack over HTTP."""

import http.client
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.support.api import Answer


@dataclass
class Web:
    """A caller of a running stack; `base_url` is the address that /v1/… follows."""

    base_url: str
    credential: str | None = None
    timeout_seconds: float = 40

    def request(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send a request and return the answer."""
        parts = urlsplit(self.base_url)
        connection = http.client.HTTPConnection(
            parts.hostname or "", parts.port, timeout=self.timeout_seconds
        )
        sent = {"content-type": "application/json", **(headers or {})}
        if self.credential is not None:
            sent["authorization"] = f"Bearer {self.credential}"
        text = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        try:
            connection.request(method, parts.path + path, body=text, headers=sent)
            answer = connection.getresponse()
            raw = answer.read()
            answered = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, answered, json.loads(raw) if raw else None)
        finally:
            connection.close()

    def get(self, path: str) -> Answer:
        """GET."""
        return self.request("GET", path)

    def post(self, path: str, body: Any = None) -> Answer:
        """POST with a JSON body."""
        return self.request("POST", path, body)

    def patch(self, path: str, body: Any = None) -> Answer:
        """PATCH with a JSON body."""
        return self.request("PATCH", path, body)

    def delete(self, path: str) -> Answer:
        """DELETE."""
        return self.request("DELETE", path)


def eventually[T](look: Callable[[], T | None], seconds: float = 40) -> T:
    """Return what `look` finds, asking again until it finds something; fails when it does not in time."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, f"nothing found in {seconds} s"
        time.sleep(0.2)
