"""History, redelivery, the second signature and the feed of events, on the deployed local stack with its policies."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from standardwebhooks import Webhook

from tests.support.receiver import Receiver
from tests.support.web import Web, eventually


@pytest.fixture
def api(stack: Mapping[str, str]) -> Iterator[Web]:
    """The API as the demo organization's key sees it; endpoints that a test adds are gone after it."""
    web = Web(stack["base_url"], stack["secret_key"])
    yield web
    for webhook in web.get("/v1/webhooks").body["webhooks"]:
        web.delete(f"/v1/webhooks/{webhook['id']}")


def history(api: Web, endpoint_id: str, status: str) -> dict[str, Any]:
    """Wait until the endpoint's newest delivery has this status, and return it."""

    def look() -> dict[str, Any] | None:
        found = api.get(f"/v1/webhooks/{endpoint_id}/deliveries").body["deliveries"]
        return found[0] if found and found[0]["status"] == status else None

    return eventually(look)


def test_a_test_event_is_signed_twice_listed_in_the_history_and_redelivered(
    api: Web, stack: Mapping[str, str]
) -> None:
    with Receiver(answer=lambda attempt: 200 if attempt == 1 else 500) as receiver:
        body = {"url": receiver.url, "events": ["bug.created"]}
        endpoint_id = str(api.post("/v1/webhooks", body).body["id"])
        secrets = [api.post(f"/v1/webhooks/{endpoint_id}/secret").body["secret"] for _ in range(2)]
        event_id = api.post(f"/v1/webhooks/{endpoint_id}/test").body["id"]
        (first,) = receiver.wait_for(1)
        assert first.verified(stack["secret_key"])["id"] == event_id
        for secret in secrets:
            assert Webhook(secret).verify(first.body, dict(first.headers))["type"] == "webhook.test"
        delivered = history(api, endpoint_id, "delivered")
        assert [attempt["status"] for attempt in delivered["attempts"]] == [200]
        path = f"/v1/webhooks/{endpoint_id}/deliveries/{event_id}/redeliver"
        assert api.post(path).body == {"ok": True}
        failed = history(api, endpoint_id, "failed")
        assert [attempt["attempt"] for attempt in failed["attempts"]] == [1, 1, 2, 3, 4, 5]
        assert {request.body for request in receiver.wait_for(6)} == {first.body}
        assert api.delete(f"/v1/webhooks/{endpoint_id}/secret").body == {"ok": True}


def test_the_feed_lists_a_message_once_its_order_is_final(api: Web) -> None:
    started = time.time_ns() // 1_000_000
    sent = api.post("/v1/messages", {"session": f"visitor-{started}", "body": "Is this in the feed?"}).body

    def look() -> list[dict[str, Any]] | None:
        page = api.get(f"/v1/events?from={started}&types=message.created,conversation.created").body
        found = [e for e in page["events"] if e["data"]["conversation"]["id"] == sent["conversationId"]]
        return found if len(found) >= 2 else None

    events = eventually(look, 40)
    assert [event["type"] for event in events[:2]] == ["conversation.created", "message.created"]
    assert events[1]["data"]["message"]["id"] == sent["messageId"]
