"""The example tool servers in Python (WSGI, ASGI) and JavaScript, with the service's own signed requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from helpdesk.outbound.exchange import Reply
from helpdesk.tools import manifest, schema_rules
from helpdesk.tools.record import Risk
from helpdesk.tools.results import CallOutcome, CallResult, of_response
from helpdesk_webhooks import tools_secret
from tests.clients.tool_servers import SERVERS, a_call, send

OTHER_SECRET = tools_secret("svc_key_01jd3kr0000000000000000000_HYp6NevCTk1IZq7OfwDUl2Jar8PgxEVm3Kbs9QhyFWn")
TEN_MINUTES = 600_000


@pytest.fixture(scope="module", params=list(SERVERS))
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with SERVERS[request.param](tmp_path_factory.mktemp(request.param)) as address:
        yield address


def read(reply: Reply) -> Any:
    return json.loads(reply.body)


def call(url: str, tool: str, given: Any, **options: Any) -> CallResult:
    """Make a call and return what the service makes of the response."""
    reply = send(url, a_call(tool, given, **options))
    assert reply.status is not None
    return of_response(reply.status, reply.body, 0, too_large=reply.too_large, output_schema=None)


def test_the_manifest_has_three_tools_that_the_service_accepts(url: str) -> None:
    reply = send(url, None)

    assert reply.status == 200
    declared = manifest.read(reply.body)
    assert [(tool.name, tool.title, tool.risk, tool.requires_identity) for tool in declared] == [
        ("find_order", "Find order", Risk.LOW, True),
        ("change_address", "Change an order's address", Risk.MEDIUM, True),
        ("refund", "Refund", Risk.HIGH, True),
    ]
    schema = declared[2].input_schema
    assert schema_rules.problems(schema, {"number": "A-1001", "amount": 1}) == []
    assert schema_rules.problems(schema, {"number": "A-1001", "amount": 0})
    assert schema_rules.problems(schema, {"number": "A-1001", "amount": 1, "to": "me"})


def test_a_request_without_a_right_signature_gets_nothing(url: str) -> None:
    for body in (None, a_call("find_order", {"number": "A-1001"}, call_id="unsigned")):
        for refused in (send(url, body, secret=OTHER_SECRET), send(url, body, age=TEN_MINUTES)):
            assert refused.status == 400
            assert set(read(refused)) == {"error"}
    assert call(url, "find_order", {"number": "A-1001"}, call_id="unsigned").outcome is CallOutcome.SUCCEEDED


def test_a_visitor_finds_their_own_orders_and_no_others(url: str) -> None:
    found = call(url, "find_order", {"number": "A-1002"}, call_id="find-1", visitor="customer-2")
    assert found.result is not None
    order = json.loads(found.result)
    assert (order["status"], order["total"], order["address"]["city"]) == ("sent", 1_250, "York")

    strange = call(url, "find_order", {"number": "A-1002"}, call_id="find-2", visitor="customer-1")
    assert (strange.outcome, strange.error) == (
        CallOutcome.REFUSED,
        "The tool refused: The visitor has no order A-1002.",
    )
    nobody = call(url, "find_order", {"number": "A-1002"}, call_id="find-3", visitor=None)
    assert (nobody.outcome, nobody.error) == (
        CallOutcome.REFUSED,
        "The tool refused: The visitor is not known.",
    )
    by_address = call(url, "find_order", {"number": "A-1002"}, call_id="find-4", visitor="")
    assert by_address.error == "The tool refused: The visitor is not signed in."


def test_an_address_changes_until_the_order_is_sent(url: str) -> None:
    address = {"street": "2 Oak Road", "city": "Hull", "postcode": "HU1 1AA"}
    changed = call(url, "change_address", {"number": "A-1001", "address": address}, call_id="move-1")
    assert changed.result is not None
    assert json.loads(changed.result)["address"] == address

    sent = call(
        url,
        "change_address",
        {"number": "A-1002", "address": address},
        call_id="move-2",
        visitor="customer-2",
    )
    assert sent.error == "The tool refused: The order was sent already. Offer to pass this to the team."


def test_a_refund_that_comes_many_times_at_once_is_made_once(url: str) -> None:
    body = a_call("refund", {"number": "A-1001", "amount": 900}, call_id="refund-1")
    with ThreadPoolExecutor(4) as senders:
        replies = list(senders.map(lambda _: send(url, body), range(8)))

    assert {(reply.status, reply.body) for reply in replies} == {(200, replies[0].body)}
    assert read(replies[0])["refunded"] == 900
    assert read(send(url, a_call("find_order", {"number": "A-1001"}, call_id="after")))["refunded"] == 900
    too_much = call(url, "refund", {"number": "A-1001", "amount": 4_001}, call_id="refund-2")
    assert too_much.error == "The tool refused: Only 4000 cents can be refunded."


def test_what_is_no_call_fails_with_its_reason(url: str) -> None:
    unknown = call(url, "delete_everything", {}, call_id="bad-1")
    assert unknown.outcome is CallOutcome.FAILED
    assert unknown.error is not None
    assert "This server has no such tool." in unknown.error
    for body in (b"{}", b"[]", b"nul", b"\xff", a_call("find_order", "A-1001", call_id="bad-2")):
        assert send(url, body).status == 400
    send(url, a_call("find_order", {"number": "A-1001"}, call_id="bad-3"))
    assert send(url, a_call("find_order", {"number": "A-1002"}, call_id="bad-3")).status == 409


def test_a_call_survives_a_crash_of_the_server(tmp_path: Path) -> None:
    for name in ("wsgi", "javascript"):
        folder = tmp_path / name
        body = a_call("refund", {"number": "A-1001", "amount": 100}, call_id="crash-1")
        folder.mkdir()
        with SERVERS[name](folder) as first:
            before = send(first, body)
        with SERVERS[name](folder) as second:
            assert send(second, body).body == before.body
            order = read(send(second, a_call("find_order", {"number": "A-1001"}, call_id="crash-2")))
            assert (
                order["refunded"] == 0
            )  # the example's orders are in memory, and the refund did not run again
