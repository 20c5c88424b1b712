"""A tool server on loopback, and the routes of tool endpoints as most tests call them."""

from collections.abc import Iterator
from typing import Any

import pytest

from helpdesk.platform.settings import settings
from tests.support.api import Answer, Client
from tests.support.tool_server import ToolServer, manifest, tool
from tests.support.workers import Workers

URL = "https://93.184.215.14/tools"


@pytest.fixture(autouse=True)
def _loopback(aws: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAGE", "local")
    monkeypatch.setenv("ALLOW_LOOPBACK_URLS", "true")
    settings.cache_clear()


@pytest.fixture
def workers() -> Workers:
    return Workers("search")


@pytest.fixture
def server() -> Iterator[ToolServer]:
    """A server whose manifest declares one harmless tool."""
    with ToolServer(manifest(tool("order_status"))) as running:
        yield running


def add(api: Client, url: str = URL) -> str:
    answer = api.put("/v1/tool-endpoints", {"url": url})
    assert answer.status == 200, answer
    assert answer.body.keys() == {"ok", "id"}
    return str(answer.body["id"])


def listed(api: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.get("/v1/tool-endpoints").body["toolEndpoints"]
    return found


def said(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.code
