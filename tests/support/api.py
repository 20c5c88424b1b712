"""Calling the real handlers with API Gateway's events."""

import base64
import copy
import gzip
import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.described import require_described
from tests.support.permissions import running
from tests.support.template import ROOT

_GROUPS = {
    "messages": "messages",
    "conversations": "conversations",
    "approvals": "conversations",
    "customers": "customers",
    "erasures": "customers",
    "board": "board",
    "knowledge": "knowledge",
    "agent": "agent_settings",
    "widget": "agent_settings",
    "analytics": "analytics",
    "live": "live",
    "tool-endpoints": "tools",
    "tools": "tools",
    "signals": "signals",
    "tasks": "tasks",
    "commits": "tasks",
    "integrations": "integrations",
    "connect": "connect",
    "hooks": "hooks",
    "webhooks": "webhooks",
    "events": "webhooks",
    "billing": "organizations",
    "logs": "organizations",
    "uploads": "files",
    "files": "files",
    "openapi.json": "docs",
    "docs": "docs",
    "keys": "keys",
    "me": "people",
    "organizations": "people",
    "members": "people",
    "teams": "people",
    "tags": "conversations",
    "replies": "conversations",
    "grants": "people",
    "invites": "people",
    "organization": "organizations",
    "site": "site_settings",
    "oauth": "oauth",
    ".well-known": "oauth",
    "invite": "oauth",
}
_PAGES = {"sign-in": "site_sign_in", "search": "site_search"}


@cache
def function(name: str) -> ModuleType:
    """Import functions/<name>/app.py under a name of its own, as Lambda does in a process of its own.

    What its handler asks of AWS is held against the function's role.
    """
    path = ROOT / "functions" / name / "app.py"
    spec = importlib.util.spec_from_file_location(f"functions_{name}_app", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module)["handler"] = running(name, module.handler)
    return module


class Context:
    """What Powertools reads of a Lambda context."""

    function_name = "test"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:eu-west-1:123456789012:function:test"
    aws_request_id = "6d1f9f0e-0000-4000-8000-00000000000a"

    def get_remaining_time_in_millis(self) -> int:
        return 20_000


@dataclass(frozen=True)
class Answer:
    """An answer as the caller gets it."""

    status: int
    headers: dict[str, str]
    body: Any

    @property
    def code(self) -> str:
        """The error's code; fails where the answer is none."""
        return str(self.body["error"]["code"])

    @property
    def message(self) -> str:
        """The error's message."""
        return str(self.body["error"]["message"])


@cache
def _sample() -> dict[str, Any]:
    event: dict[str, Any] = json.loads((ROOT / "events" / "messages-request.json").read_text())
    return event


def gateway_event(
    method: str, url: str, *, body: Any = None, headers: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return the event of a request; `body` is sent as JSON, text and bytes as they are."""
    parts = urlsplit(url)
    query = parse_qs(parts.query, keep_blank_values=True)
    event = copy.deepcopy(_sample())
    event["path"], event["httpMethod"] = parts.path, method
    event["requestContext"] |= {"httpMethod": method, "path": "/local" + parts.path}
    event["headers"] = headers or {}
    event["multiValueHeaders"] = {name: [value] for name, value in event["headers"].items()}
    event["queryStringParameters"] = {name: values[-1] for name, values in query.items()} or None
    event["multiValueQueryStringParameters"] = query or None
    event["body"] = body if body is None or isinstance(body, str) else json.dumps(body)
    return event


def invoke(event: dict[str, Any]) -> dict[str, Any]:
    """Hand an event to the function that serves its path and return what the function returns."""
    parts = str(event["path"]).split("/")
    group = _GROUPS.get(parts[2], "not_found") if len(parts) > 2 and parts[1] == "v1" else "not_found"
    if len(parts) > 2 and parts[1] == "site":
        group = _PAGES.get("/".join(parts[3:4]), "site")
    if parts[1] == "console":
        group = "console"
    handler: Callable[..., dict[str, Any]] = function(group).handler
    return handler(event, Context())


def text_of(raw: dict[str, Any]) -> str:
    """Return the text of a function's result, as a client reads it that the gateway sent its bytes to."""
    if not raw["isBase64Encoded"]:
        return str(raw["body"])
    content = base64.b64decode(raw["body"], validate=True)
    if raw["multiValueHeaders"].get("content-encoding") == ["gzip"]:
        content = gzip.decompress(content)
    return content.decode()


@dataclass
class Client:
    """A caller of the API with one credential."""

    credential: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def request(self, method: str, url: str, body: Any = None, **headers: str) -> Answer:
        """Send a request to the function that serves its path and return the answer."""
        sent = {**({} if body is None else {"content-type": "application/json"}), **self.headers, **headers}
        if self.credential is not None:
            sent["Authorization"] = f"Bearer {self.credential}"
        return self.answer_to(gateway_event(method, url, body=body, headers=sent))

    def answer_to(self, event: dict[str, Any]) -> Answer:
        """Hand an event to the function that serves its path and return the answer."""
        raw = invoke(event)
        answered = {name.lower(): values[-1] for name, values in raw["multiValueHeaders"].items()}
        is_json = answered.get("content-type", "").startswith("application/json")
        body = text_of(raw)
        answer = Answer(raw["statusCode"], answered, json.loads(body) if is_json else body)
        require_described(event["httpMethod"], event["path"], answer.status, answer.headers, answer.body)
        return answer

    def get(self, url: str, **headers: str) -> Answer:
        """GET."""
        return self.request("GET", url, **headers)

    def post(self, url: str, body: Any = None, **headers: str) -> Answer:
        """POST with a JSON body."""
        return self.request("POST", url, body, **headers)

    def put(self, url: str, body: Any = None, **headers: str) -> Answer:
        """PUT."""
        return self.request("PUT", url, body, **headers)

    def patch(self, url: str, body: Any = None, **headers: str) -> Answer:
        """PATCH with a JSON body."""
        return self.request("PATCH", url, body, **headers)

    def delete(self, url: str, **headers: str) -> Answer:
        """DELETE."""
        return self.request("DELETE", url, **headers)
