"""GET /v1/openapi.json and /v1/docs: for anyone, at no cost to an allowance, and as written."""

import base64
import hashlib
import json
import re

import pytest
from jsonschema_rs import ValidationError

from tests.support import table
from tests.support.api import Client
from tests.support.described import require_described_event
from tests.support.template import ROOT


def test_the_document_is_served_as_written_without_a_credential(anonymous: Client) -> None:
    answer = anonymous.get("/v1/openapi.json")

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.body == json.loads((ROOT / "docs" / "openapi.json").read_text())


def test_any_page_may_read_the_document(anonymous: Client) -> None:
    assert anonymous.get("/v1/openapi.json").headers["access-control-allow-origin"] == "*"


def test_the_page_is_served_as_html_without_a_credential(anonymous: Client) -> None:
    answer = anonymous.get("/v1/docs")

    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<h1>Helpdesk API</h1>" in answer.body


def test_the_pages_policy_allows_its_own_style_sheet_and_nothing_else(anonymous: Client) -> None:
    answer = anonymous.get("/v1/docs")

    [style] = re.findall(r"<style>(.*?)</style>", answer.body, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert answer.headers["content-security-policy"] == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


def test_reading_the_description_counts_against_no_allowance(anonymous: Client, api: Client) -> None:
    before = table.of_kind("ALLOWANCE")
    for _ in range(3):
        anonymous.get("/v1/docs")
        api.get("/v1/openapi.json")

    assert table.of_kind("ALLOWANCE") == before
    assert "ratelimit" not in api.get("/v1/docs").headers


def test_events_are_as_the_document_describes_them(api: Client) -> None:
    sent = api.post("/v1/messages", {"session": "visitor-0001", "body": "Hello"})
    conversation = sent.body["conversationId"]
    api.post(f"/v1/conversations/{conversation}/reply", {"body": "Good day", "takeOver": True})
    api.post(f"/v1/conversations/{conversation}/resolve")

    # Reading them holds each to its description.
    assert table.kinds() == [
        "conversation.created",
        "message.created",
        "message.created",
        "conversation.updated",
    ]


def test_an_event_with_a_field_too_many_is_noticed(api: Client) -> None:
    api.post("/v1/messages", {"session": "visitor-0001", "body": "Hello"})
    [event, _] = table.events()

    event["data"]["conversation"]["internal"] = True

    with pytest.raises(ValidationError):
        require_described_event(event)
