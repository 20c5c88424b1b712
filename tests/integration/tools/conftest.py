from collections.abc import Iterator

import pytest

from helpdesk.platform.settings import settings
from tests.support.tool_server import ToolServer, manifest, tool
from tests.support.workers import Workers


@pytest.fixture(autouse=True)
def _loopback(aws: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAGE", "local")
    monkeypatch.setenv("ALLOW_LOOPBACK_URLS", "true")
    settings.cache_clear()


@pytest.fixture
def workers() -> Workers:
    return Workers()


@pytest.fixture
def server() -> Iterator[ToolServer]:
    """A server whose manifest declares one harmless tool."""
    with ToolServer(manifest(tool("order_status"))) as running:
        yield running
