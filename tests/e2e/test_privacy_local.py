"""Erasing on the deployed local stack, whose functions may do what template.yaml allows them and no more."""

import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from typing import Any

import boto3
import pytest

from tests.support.web import Web, eventually

WAIT_SECONDS = 90


@pytest.fixture
def api(stack: Mapping[str, str]) -> Web:
    return Web(stack["base_url"], stack["secret_key"])


def items_with(stack: Mapping[str, str], word: str) -> list[str]:
    """Return the keys of all items of the table in which a word occurs."""
    table = boto3.client(
        "dynamodb",
        endpoint_url=stack["endpoint_url"],
        region_name=stack["region"],
        aws_access_key_id="test",
        aws_secret_access_key="test",  # the emulator takes any
    )
    pages = table.get_paginator("scan").paginate(TableName=stack["table"])
    return [
        f"{item['PK']['S']} {item['SK']['S']}"
        for page in pages
        for item in page["Items"]
        if word in str(item).lower()
    ]


def finished(api: Web, erasure_id: str) -> dict[str, Any]:
    """Wait for an erasure to be finished; return its receipt."""

    def look() -> dict[str, Any] | None:
        receipt: dict[str, Any] = api.get(f"/v1/erasures/{erasure_id}").body["receipt"]
        return receipt if receipt["finishedAt"] is not None else None

    return eventually(look, WAIT_SECONDS)


def test_a_customer_is_exported_and_then_erased_with_all_that_is_kept(
    api: Web, stack: Mapping[str, str]
) -> None:
    mark = f"zephyrine{uuid.uuid4().hex[:12]}"
    session = f"session-{uuid.uuid4().hex}"
    address, plain = f"/v1/uploads?name={mark}.txt", {"content-type": "text/plain"}
    uploaded = api.request("POST", address, mark.encode(), plain).body
    sent = {
        "session": session,
        "body": f"I am {mark}",
        "user": {"name": mark, "email": f"{mark}@example.com"},
        "attachments": [{"id": uploaded["id"], "name": f"{mark}.txt"}],
    }
    conversation = api.post("/v1/messages", sent).body["conversationId"]
    customer = api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]
    assert api.post(f"/v1/customers/{customer}/facts", {"text": f"Is {mark}"}).status == 200
    assert api.post(f"/v1/conversations/{conversation}/note", {"body": f"On {mark}"}).status == 200
    assert api.post(f"/v1/conversations/{conversation}/resolve").status == 200
    rating = {"session": session, "conversationId": conversation, "stars": 5, "note": mark}
    assert api.post("/v1/messages/rating", rating).status == 200
    page = api.get(f"/v1/customers/{customer}/export").body
    assert page["customer"]["email"] == f"{mark}@example.com"
    assert page["conversations"][0]["ratings"][0]["note"] == mark
    assert len(items_with(stack, mark)) >= 6

    asked = api.delete(f"/v1/customers/{customer}")
    assert asked.status == 200, asked.body
    counts = finished(api, asked.body["receipt"]["id"])["counts"]
    assert (counts["customers"], counts["conversations"], counts["ratings"], counts["files"]) == (1, 1, 1, 1)
    assert items_with(stack, mark) == []
    assert api.get(f"/v1/customers?q={mark}").body["customers"] == []
    assert api.get(f"/v1/conversations?q={mark}").body["conversations"] == []
    with pytest.raises(urllib.error.HTTPError) as gone:
        urllib.request.urlopen(uploaded["url"], timeout=30)
    gone.value.close()
    assert gone.value.code == 404
    next_conversation = api.post("/v1/messages", {"session": session, "body": "Hello again"}).body[
        "conversationId"
    ]
    assert (
        api.get(f"/v1/conversations/{next_conversation}").body["conversation"]["customer"]["id"] != customer
    )
