"""The schedule with its hops on a stack of its own: the deployed template, with time scaled by its parameters."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

from scripts.local import deployment
from scripts.local.emulator import Emulator
from scripts.local.operating import operate
from scripts.local.progress import Progress
from scripts.local.settings import LOCAL, StackSettings, settings_for
from tests.e2e.own_stack import free_port
from tests.support.receiver import Receiver
from tests.support.web import Web, eventually

DELAYS = (2, 3, 6, 12)
HOP = 3
HOPS = 1 + 1 + 2 + 4
LATE_SECONDS = 5.0  # the emulator looks at its queues once a second, on a machine that has other work
SIXTH_SECONDS = 4.0


@dataclass(frozen=True)
class Scaled:
    """A stack whose waits are short, and the API as an organization on it sees it."""

    settings: StackSettings
    api: Web

    def log(self) -> str:
        return Emulator(self.settings).log.read_text(encoding="utf-8")

    def retries_received(self) -> int:
        """How many messages the worker has had from the queue in which retries wait."""
        counts = re.findall(r"Delivery processed (\d+) SQS messages from \S+-Retry", self.log())
        return sum(int(count) for count in counts)


@pytest.fixture(scope="module")
def scaled() -> Iterator[Scaled]:
    """Without the demo organization and its guides, which take longer than everything else."""
    delays = ",".join(str(delay) for delay in DELAYS)
    parameters = f"RetryDelaysSeconds={delays} LongestHopSeconds={HOP}"
    settings = settings_for(free_port(), parameters, folder=LOCAL / "e2e-schedule", auth=True)
    settings.folder.mkdir(parents=True, exist_ok=True)
    emulator = Emulator(settings)
    emulator.stop()
    emulator.forget()
    emulator.log.unlink(missing_ok=True)
    try:
        emulator.start(Progress())
        deployment.deploy(settings, emulator.deployment_record, Progress())
        words = "--name Scaled --slug scaled --owner-name Olga --owner-email olga@example.com --plan pro"
        created = operate(settings, "create-organization", *words.split())
        yield Scaled(settings, Web(settings.base_url, created["secret_key"]))
    finally:
        emulator.stop()


def test_five_attempts_come_at_the_scheduled_gaps_by_hops_with_the_same_bytes_and_then_none(
    scaled: Scaled,
) -> None:
    with Receiver(answer=lambda _: 500) as receiver:
        body = {"url": receiver.url, "events": ["bug.created"]}
        endpoint_id = scaled.api.post("/v1/webhooks", body).body["id"]
        event_id = scaled.api.post(f"/v1/webhooks/{endpoint_id}/test").body["id"]

        requests = receiver.wait_for(5, sum(DELAYS) + len(DELAYS) * LATE_SECONDS)
        delivery = eventually(lambda: _failed(scaled.api, endpoint_id))
        time.sleep(SIXTH_SECONDS)

        assert len(receiver.received) == 5
    gaps = [later.at - earlier.at for earlier, later in pairwise(requests)]
    assert all(delay <= gap <= delay + LATE_SECONDS for gap, delay in zip(gaps, DELAYS, strict=True)), gaps
    assert len({request.body for request in requests}) == 1
    assert len({request.headers["svc-signature"] for request in requests}) == 5
    assert delivery["eventId"] == event_id
    assert delivery["nextAttemptAt"] is None
    assert [(each["attempt"], each["status"]) for each in delivery["attempts"]] == [
        (number, 500) for number in (1, 2, 3, 4, 5)
    ]
    # Each hop is one message: a wait of twelve seconds in hops of three takes four, or three that come late.
    assert HOPS - 2 <= scaled.retries_received() <= HOPS
    dropped = [line for line in scaled.log().splitlines() if '"message":"event_dropped"' in line]
    assert [f'"event":"{event_id}"' in line for line in dropped] == [True]
    kinds = [entry["kind"] for entry in scaled.api.get("/v1/logs").body["logs"]]
    assert kinds.count("webhook_stopped_answering") == 1


def _failed(api: Web, endpoint_id: str) -> dict[str, Any] | None:
    deliveries: list[dict[str, Any]] = api.get(f"/v1/webhooks/{endpoint_id}/deliveries").body["deliveries"]
    return next((each for each in deliveries if each["status"] == "failed"), None)
