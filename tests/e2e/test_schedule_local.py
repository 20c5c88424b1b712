"""The schedule of attempts on the deployed local stack, with waits of seconds that take messages of a second each."""

import time
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from tests.e2e.own_stack import RETRY_DELAYS_SECONDS
from tests.support.receiver import Receiver
from tests.support.web import Web, eventually

LATE_SECONDS = 5.0  # the emulator looks at its queues once a second, on a machine that has other work
SIXTH_SECONDS = 4.0


def test_five_attempts_come_at_the_scheduled_gaps_with_the_same_bytes_and_then_none(
    stack: Mapping[str, str],
) -> None:
    api = Web(stack["base_url"], stack["secret_key"])
    with Receiver(answer=lambda _: 500) as receiver:
        endpoint_id = api.post("/v1/webhooks", {"url": receiver.url, "events": ["bug.created"]}).body["id"]
        event_id = api.post(f"/v1/webhooks/{endpoint_id}/test").body["id"]

        latest = sum(RETRY_DELAYS_SECONDS) + len(RETRY_DELAYS_SECONDS) * LATE_SECONDS
        requests = receiver.wait_for(5, latest)
        delivery = eventually(lambda: _failed(api, endpoint_id))
        time.sleep(SIXTH_SECONDS)

        assert len(receiver.received) == 5
    gaps = [later.at - earlier.at for earlier, later in pairwise(requests)]
    due = zip(gaps, RETRY_DELAYS_SECONDS, strict=True)
    assert all(delay <= gap <= delay + LATE_SECONDS for gap, delay in due), gaps
    assert len({request.body for request in requests}) == 1
    assert len({request.headers["svc-signature"] for request in requests}) == 5
    assert delivery["eventId"] == event_id
    assert delivery["nextAttemptAt"] is None
    assert [(each["attempt"], each["status"]) for each in delivery["attempts"]] == [
        (number, 500) for number in (1, 2, 3, 4, 5)
    ]
    logged = [
        entry
        for entry in api.get("/v1/logs").body["logs"]
        if entry["detail"].get("endpointId") == endpoint_id
    ]
    assert [entry["kind"] for entry in logged] == ["webhook_stopped_answering", "webhook_created"]
    assert api.delete(f"/v1/webhooks/{endpoint_id}").status == 200


def _failed(api: Web, endpoint_id: str) -> dict[str, Any] | None:
    deliveries: list[dict[str, Any]] = api.get(f"/v1/webhooks/{endpoint_id}/deliveries").body["deliveries"]
    return next((each for each in deliveries if each["status"] == "failed"), None)
