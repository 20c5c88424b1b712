"""The routes of tools: listing, switching off, raising a risk, and the test call."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission import waits
from helpdesk.api.admission.limits import Tier
from helpdesk.platform import clock
from helpdesk.tools import running
from tests.integration.tools.conftest import said
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.table import everything
from tests.support.tool_server import ToolServer, json_response
from tests.support.tools import connected, declaration

TEST = "/v1/tools/order_status/test"
INPUT = {"input": {"order": "7"}}


@pytest.fixture
def connected_server(organization: NewOrganization, server: ToolServer) -> ToolServer:
    """The server, as the endpoint of two tools."""
    connected(organization, server.url, declaration("order_status"), declaration("refund", risk="reviewed"))
    return server


def test_tools_are_listed_by_name_and_in_pages(
    member: Client, organization: NewOrganization, stranger: Client
) -> None:
    names = [f"t{number:02}" for number in range(7)]
    connected(organization, "https://example.com/", *map(declaration, names))

    first = member.get("/v1/tools?limit=4").body
    second = member.get(f"/v1/tools?limit=4&cursor={first['nextCursor']}").body

    assert [each["name"] for each in first["tools"] + second["tools"]] == names
    assert second["nextCursor"] is None
    assert first["tools"][0] == {
        "name": "t00",
        "title": "Order status",
        "description": "Returns the state of an order.",
        "inputSchema": declaration("t00").input_schema,
        "outputSchema": None,
        "risk": "low",
        "declaredRisk": "low",
        "requiresIdentity": False,
        "enabled": True,
        "inForce": True,
        "offered": True,
        "endpointId": first["tools"][0]["endpointId"],
        "changeId": None,
        "waiting": None,
    }
    assert stranger.get("/v1/tools").body == {"tools": [], "nextCursor": None}
    foreign = stranger.get(f"/v1/tools?cursor={first['nextCursor']}")
    assert said(foreign) == (400, "invalid_cursor")


@pytest.mark.usefixtures("connected_server")
def test_a_risk_may_be_raised_and_the_raise_taken_back_but_not_lowered(api: Client, admin: Client) -> None:
    def risks() -> tuple[str, str]:
        [tool] = [each for each in api.get("/v1/tools").body["tools"] if each["name"] == "refund"]
        return tool["risk"], tool["declaredRisk"]

    refund = "/v1/tools/refund"
    assert admin.patch(refund, {"risk": "high"}).body == {"ok": True}
    assert risks() == ("high", "reviewed")
    lower = api.patch(refund, {"risk": "low"})
    assert said(lower) == (400, "invalid_request")
    assert "reviewed" in lower.message
    assert risks() == ("high", "reviewed")
    assert api.patch(refund, {"risk": "reviewed"}).status == 200
    assert risks() == ("reviewed", "reviewed")
    entry = api.get("/v1/logs?kind=tool_changed").body["logs"][0]
    assert (entry["detail"]["tool"], entry["detail"]["risk"]) == ("refund", None)


@pytest.mark.usefixtures("connected_server")
def test_a_tool_can_be_switched_off_and_on(api: Client) -> None:
    path = "/v1/tools/order_status"
    assert api.patch(path, {"enabled": False}).body == {"ok": True}
    assert api.get("/v1/tools").body["tools"][0]["enabled"] is False
    assert api.patch(path, {}).body == {"ok": True}
    assert api.patch(path, {"enabled": True}).body == {"ok": True}
    assert api.get("/v1/tools").body["tools"][0]["enabled"] is True
    assert said(api.patch(path, {"risk": "none"})) == (400, "invalid_request")


def test_a_test_calls_the_tool_once_and_adds_nothing(
    member: Client, organization: NewOrganization, connected_server: ToolServer
) -> None:
    before = {item["PK"] for item in everything()}

    answer = member.post(TEST, INPUT)

    assert answer.status == 200
    assert answer.body == {
        "ok": True,
        "result": '{"status":"shipped"}',
        "error": None,
        "risk": "low",
        "conversationId": answer.body["conversationId"],
    }
    assert answer.body["conversationId"].startswith("test_")
    [asked] = connected_server.asked
    assert asked.is_signed_with(organization.secret_key)
    assert asked.call["context"] == {
        "visitor": None,
        "conversationId": answer.body["conversationId"],
        "test": True,
    }
    of = f"ORG#{organization.organization_id}"
    noted = {f"{of}#TOOLTESTS", f"{of}#LOG", f"{of}#BUCKET", "WAITS#paid_others"}
    assert {item["PK"] for item in everything()} == before | noted


def test_the_log_says_who_tests_which_tool_for_whom_before_the_call_is_made(
    member: Client, api: Client, connected_server: ToolServer
) -> None:
    seen: list[Any] = []
    connected_server.before = lambda: seen.extend(api.get("/v1/logs?kind=tool_tested").body["logs"])

    tested = member.post(TEST, {**INPUT, "as": "customer-7"}).body

    [entry] = seen
    assert (entry["actor"], entry["summary"]) == ("Max Member", "The tool order_status was tested.")
    assert entry["detail"] == {
        "tool": "order_status",
        "as": "customer-7",
        "conversationId": tested["conversationId"],
        "callId": connected_server.calls[0]["id"],
    }


def test_a_tool_that_is_switched_off_is_not_tested(api: Client, connected_server: ToolServer) -> None:
    assert api.patch("/v1/tools/order_status", {"enabled": False}).status == 200

    refused = api.post(TEST, INPUT)

    assert said(refused) == (400, "invalid_request")
    assert refused.message == (
        "This tool is disabled. An admin or owner can enable it with PATCH /v1/tools/{name}."
    )
    assert (connected_server.asked, api.get("/v1/logs?kind=tool_tested").body["logs"]) == ([], [])


@pytest.mark.parametrize("raised", [None, "high"])
def test_a_tool_whose_calls_are_decided_is_tested_by_admins_and_keys_alone(
    api: Client, admin: Client, member: Client, connected_server: ToolServer, raised: str | None
) -> None:
    name = "refund" if raised is None else "order_status"
    if raised is not None:
        assert api.patch(f"/v1/tools/{name}", {"risk": raised}).status == 200
    path = f"/v1/tools/{name}/test"

    assert said(member.post(path, INPUT)) == (403, "forbidden")
    assert connected_server.asked == []
    assert [each.post(path, INPUT).status for each in (admin, api)] == [200, 200]


def test_a_test_may_be_for_a_customer_of_the_callers_own(api: Client, connected_server: ToolServer) -> None:
    assert api.post(TEST, {**INPUT, "as": "customer-7"}).body["ok"] is True
    assert connected_server.calls[0]["context"]["visitor"] == {
        "externalId": "customer-7",
        "name": None,
        "email": None,
    }


def test_a_test_may_be_for_the_visitor_of_a_conversation_to_which_nothing_is_added(
    api: Client, stranger: Client, connected_server: ToolServer
) -> None:
    def conversation(session: str, user: dict[str, Any]) -> str:
        body = {"session": session, "body": "Hello", "user": user}
        return str(api.post("/v1/messages", body).body["conversationId"])

    known = conversation("session-1", {"name": "Vera", "metadata": {"externalId": "c-7"}})
    named = conversation("session-2", {"name": "Somebody"})
    before = everything()

    answer = api.post(TEST, {**INPUT, "conversationId": known})
    api.post(TEST, {**INPUT, "conversationId": named})

    assert answer.body["conversationId"] == known
    assert [call["context"] for call in connected_server.calls] == [
        {
            "visitor": {"externalId": "c-7", "name": "Vera", "email": None},
            "conversationId": known,
            "test": True,
        },
        {"visitor": None, "conversationId": named, "test": True},
    ]
    added = [item["SK"] for item in everything() if item["PK"] not in {each["PK"] for each in before}]
    assert {key.partition("#")[0] for key in added} == {"RUNNING", "TEST", "BUCKET", "WAITS"}
    for other in (stranger, api):
        wrong = {**INPUT, "conversationId": known if other is stranger else "conv_#"}
        assert other.post(TEST, wrong).status == 404
    assert said(api.post(TEST, {**INPUT, "conversationId": "conv_1"})) == (404, "conversation_not_found")


def test_a_test_in_a_conversation_that_is_archived_or_has_three_running_tools_is_refused(
    api: Client, organization: NewOrganization, connected_server: ToolServer
) -> None:
    identifier = api.post("/v1/messages", {"session": "session-1", "body": "Hello"}).body["conversationId"]
    body = {**INPUT, "conversationId": identifier}
    for number in range(3):
        running.take(organization.organization_id, identifier, f"call_{number}")
    assert said(api.post(TEST, body)) == (400, "too_many_running")
    running.release(organization.organization_id, identifier, "slot2", "call_1")
    assert api.post(TEST, body).body["ok"] is True
    assert api.post(TEST, body).body["ok"] is True  # the first gave its place back
    assert api.post(f"/v1/conversations/{identifier}/archive").status == 200
    assert said(api.post(TEST, body)) == (400, "conversation_archived")
    assert len(connected_server.asked) == 2


def test_a_test_is_refused_while_too_many_requests_wait_for_other_servers(
    api: Client, connected_server: ToolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tier in Tier:
        monkeypatch.setitem(waits.WAITS, tier, 0)

    answer = api.post(TEST, INPUT)

    assert (said(answer), answer.headers["retry-after"]) == ((429, "rate_limited"), "5")
    assert [each.path for each in connected_server.asked if each.method == "POST"] == []


def test_an_input_that_does_not_fit_is_refused_and_an_empty_body_is_an_empty_input(
    api: Client, organization: NewOrganization, connected_server: ToolServer
) -> None:
    unfit: list[Any] = [None, {}, {"input": {}}, {"input": {"order": 7}}, {"input": {"order": "7", "x": 1}}]
    for body in unfit:
        answer = api.post(TEST, body)
        assert said(answer) == (400, "invalid_input")
        assert "order" in answer.message or "x" in answer.message
    for wrong in ({"as": ""}, {"as": "x" * 201}):
        assert said(api.post(TEST, wrong)) == (400, "invalid_request")
    both = {**INPUT, "as": "customer-7", "conversationId": "conv_1"}
    assert said(api.post(TEST, both)) == (400, "invalid_request")
    assert connected_server.asked == []
    connected(organization, connected_server.url + "?2", declaration("ping", inputSchema={"type": "object"}))
    assert api.post("/v1/tools/ping/test").body["ok"] is True


def test_a_refusal_and_a_failure_of_the_tool_are_results_of_the_test(
    api: Client, connected_server: ToolServer
) -> None:
    connected_server.answer = lambda _: json_response({"ok": False, "reason": "no such order"})
    refused = api.post(TEST, INPUT)
    connected_server.answer = lambda _: json_response({"message": "try later"}, 503)
    failed = api.post(TEST, INPUT)

    assert (refused.status, refused.body["ok"]) == (200, False)
    assert json.loads(refused.body["result"]) == {"ok": False, "reason": "no such order"}
    assert refused.body["error"] == "The tool refused: no such order"
    assert (failed.status, failed.body["ok"], failed.body["result"]) == (200, False, None)
    assert failed.body["error"] == "The tool endpoint answered with HTTP 503: try later"


def test_a_repeated_test_with_an_idempotency_key_calls_the_tool_once(
    api: Client, connected_server: ToolServer
) -> None:
    first = api.post(TEST, INPUT, **{"Idempotency-Key": "a"})
    second = api.post(TEST, INPUT, **{"Idempotency-Key": "a"})

    assert first.body == second.body
    assert len(connected_server.asked) == 1


def test_the_call_of_a_request_that_died_has_the_same_id_in_its_repeat(
    api: Client, member: Client, connected_server: ToolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Death(BaseException):
        """The process is gone."""

    def die(*_: object) -> None:
        raise Death

    key = {"Idempotency-Key": "a"}
    with monkeypatch.context() as patch:
        patch.setattr("helpdesk.tools.calling._result", die)
        with pytest.raises(Death):
            api.post(TEST, INPUT, **key)
    now = clock.now_ms() + 60_000
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    assert api.post(TEST, INPUT, **key).body["ok"] is True
    assert member.post(TEST, INPUT, **key).body["ok"] is True
    api.post(TEST, INPUT)

    died, repeated, of_another, without = [call["id"] for call in connected_server.calls]
    assert died == repeated
    assert len({died, of_another, without}) == 3


@pytest.fixture
def standing() -> Iterator[None]:
    """Let no time pass, so that a wait gives back all its seconds, and the next one finds the buckets full."""
    now = clock.now_us()
    with clock.frozen(lambda: now):
        yield


@pytest.mark.usefixtures("connected_server", "standing")
def test_a_test_in_a_conversation_takes_a_slot_and_gives_it_back(api: Client) -> None:
    write, read = "dynamodb:UpdateItem", "dynamodb:GetItem"
    identifier = api.post("/v1/messages", {"session": "session-1", "body": "Hello"}).body["conversationId"]
    with recorded_calls() as calls:
        api.post(TEST, {**INPUT, "conversationId": identifier})

    # The seconds of the wait are taken from two buckets before the call, and given back to both after it.
    logged = noted = "dynamodb:PutItem"
    call = [write, write, logged, "dynamodb:BatchGetItem", read, write, write]
    slot = write
    assert calls == [write, read, read, read, read, slot, *call, slot, noted]
