"""Syncs that were lost: queued again by the timers a few times, then failed."""

from typing import Any

import pytest

from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage.shards import SHARDS
from tests.support.api import Client, Context, function
from tests.support.aws import recorded_calls
from tests.support.table import everything
from tests.support.tool_server import ToolServer
from tests.support.workers import Workers


@pytest.fixture(autouse=True)
def later(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How much time has passed (ms)."""
    now, passed = clock.now_ms, [0]
    monkeypatch.setattr(clock, "now_ms", lambda: now() + passed[0])
    return passed


def look() -> None:
    function("timers").handler({"run": "syncs"}, Context())


def endpoint(api: Client) -> dict[str, Any]:
    (found,) = api.get("/v1/tool-endpoints").body["toolEndpoints"]
    return dict(found)


def scheduled() -> int:
    items = [item for item in everything() if item.get("entity") == "outbox"]
    return sum(job["body"].get("kind") == "sync" for item in items for job in item["jobs"])


def test_a_lost_sync_is_queued_again_and_one_that_ended_is_not(
    api: Client, server: ToolServer, workers: Workers, later: list[int]
) -> None:
    api.put("/v1/tool-endpoints", {"url": server.url})
    look()
    assert scheduled() == 1
    later[0] += 16 * MINUTE_MS
    look()
    look()
    assert scheduled() == 2

    workers.run()
    assert endpoint(api)["status"] == "synced"
    later[0] += 16 * MINUTE_MS
    with recorded_calls() as calls:
        look()
    assert len(calls) == SHARDS
    assert scheduled() == 2


def test_a_sync_that_is_lost_again_and_again_fails(
    api: Client, server: ToolServer, workers: Workers, later: list[int]
) -> None:
    api.put("/v1/tool-endpoints", {"url": server.url})
    for _ in range(5):
        later[0] += 16 * MINUTE_MS
        look()
    assert scheduled() == 4
    found = endpoint(api)
    assert found["status"] == "failed"
    assert (
        found["problem"]
        == "The manifest could not be read: the service failed each time it tried. Sync again."
    )

    api.post("/v1/tools/sync")
    later[0] += 16 * MINUTE_MS
    look()
    workers.run()
    assert endpoint(api)["status"] == "synced"
