"""One call of a tool: what is sent, and what each kind of response or failure means."""

import json
from collections.abc import Callable
from functools import partial

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.outbound import addresses
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.tools import calling, running
from helpdesk.tools.calling import CallOutcome, CallResult, Visitor
from helpdesk.tools.errors import TooManyRunning
from helpdesk.tools.record import Tool, ToolEndpoint
from tests.support.interleaving import interleaved
from tests.support.tool_server import Asked, ToolServer, json_response, response
from tests.support.tools import connected, declaration

DECLARED = declaration("order_status")


def call(organization: NewOrganization, tool: Tool, visitor: Visitor | None = None) -> CallResult:
    return calling.call(
        organization.organization_id,
        tool,
        {"order": "ä-7"},
        call_id="call_1",
        visitor=visitor,
        conversation_id="conv_1",
        test=False,
    )


def test_a_call_is_one_signed_request_with_the_input_and_its_context(organization: NewOrganization) -> None:
    with ToolServer() as server:
        (tool,) = connected(organization, server.url, DECLARED)
        result = call(organization, tool, Visitor("customer-1", "Vera", None))

    assert (result.outcome, result.result, result.error) == (
        CallOutcome.SUCCEEDED,
        '{"status":"shipped"}',
        None,
    )
    (asked,) = server.asked
    assert asked.is_signed_with(organization.secret_key)
    assert (asked.method, asked.path, asked.headers["content-type"]) == ("POST", "/tools", "application/json")
    assert asked.call == {
        "id": "call_1",
        "tool": "order_status",
        "input": {"order": "ä-7"},
        "context": {
            "visitor": {"externalId": "customer-1", "name": "Vera", "email": None},
            "conversationId": "conv_1",
            "test": False,
        },
    }


def test_an_unknown_visitor_is_sent_as_null(organization: NewOrganization) -> None:
    with ToolServer() as server:
        call(organization, connected(organization, server.url, DECLARED)[0])

    assert server.calls[0]["context"]["visitor"] is None


def _too_large(_: Asked) -> bytes:
    return response(json.dumps("x" * 257 * 1024).encode())


def _endless(_: Asked) -> bytes:
    """Return the first of 100 MB, more than is read."""
    return b"HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n" + b"x" * 1_000_000


def _compressed(_: Asked) -> bytes:
    return response(b"\x1f\x8b", 200, "content-encoding: gzip")


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (lambda _: None, CallOutcome.UNKNOWN),
        (lambda _: b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{", CallOutcome.UNKNOWN),
        (lambda _: b"", CallOutcome.UNKNOWN),
        (lambda _: b"SSH-2.0-OpenSSH_9.6\r\n", CallOutcome.UNKNOWN),
        (lambda _: b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 5_000, CallOutcome.UNKNOWN),
        (lambda _: b"HTTP/1.1 500 No\r\ncontent-length: 50\r\n\r\n{", CallOutcome.FAILED),
        (lambda _: response(b"", 302, "location: http://169.254.169.254/"), CallOutcome.FAILED),
        (lambda _: json_response({"error": "no"}, 422), CallOutcome.FAILED),
        (lambda _: json_response({"ok": False}), CallOutcome.REFUSED),
        (_too_large, CallOutcome.UNKNOWN),
        (_endless, CallOutcome.UNKNOWN),
        (_compressed, CallOutcome.UNKNOWN),
    ],
    ids=range(12),
)
def test_a_hostile_server_gets_one_request_and_the_call_has_the_outcome_in_the_table(
    organization: NewOrganization,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[Asked], bytes | None],
    outcome: CallOutcome,
) -> None:
    monkeypatch.setattr(calling, "CALL_SECONDS", 0.4)
    with ToolServer(answer=answer) as server:
        result = call(organization, connected(organization, server.url, DECLARED)[0])

    assert result.outcome is outcome
    assert result.error
    assert len(server.asked) == 1


def test_a_request_that_cannot_be_sent_has_failed(
    organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ToolServer() as gone:
        closed = gone.url
    private = "https://10.0.0.7/tools"
    tools = [*connected(organization, closed, DECLARED), *connected(organization, private, DECLARED)]
    monkeypatch.setattr(addresses, "resolve", lambda _: ["127.0.0.1"])

    results = [call(organization, tool) for tool in tools]

    assert {result.outcome for result in results} == {CallOutcome.FAILED}
    assert "accepts no connection" in (results[0].error or "")
    assert "not public" in (results[1].error or "") or "URL" in (results[1].error or "")


def test_a_tool_whose_endpoint_was_removed_is_not_called(organization: NewOrganization) -> None:
    with ToolServer() as server:
        (tool,) = connected(organization, server.url, DECLARED)
        table.delete(ToolEndpoint.key_for(organization.organization_id, tool.endpoint_id))

        assert call(organization, tool).outcome is CallOutcome.FAILED
    assert server.asked == []


def test_a_tool_of_another_organization_is_not_reached(
    organization: NewOrganization, other_organization: NewOrganization
) -> None:
    with ToolServer() as server:
        (tool,) = connected(organization, server.url, DECLARED)

        assert call(other_organization, tool).outcome is CallOutcome.FAILED
    assert server.asked == []


def test_at_most_three_tools_run_in_a_conversation(organization: NewOrganization) -> None:
    of = organization.organization_id

    def take(number: int) -> str:
        try:
            return running.take(of, "conv_1", f"call_{number}")
        except TooManyRunning as error:
            return error.code

    outcomes = interleaved([partial(take, number) for number in range(6)], seed=1).all()

    assert sorted(outcomes) == ["slot1", "slot2", "slot3", *["too_many_running"] * 3]
    running.release(of, "conv_1", "slot2", f"call_{outcomes.index('slot2')}")
    running.release(of, "conv_1", "slot1", "call_99")
    assert (take(7), take(8)) == ("slot2", "too_many_running")
    assert running.take(of, "conv_2", "call_9") == "slot1"


def test_a_slow_tool_keeps_its_slot_and_a_dead_workers_is_free_after_a_minute(
    organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, begun = organization.organization_id, clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: begun)
    for number in range(3):
        running.take(of, "conv_1", f"call_{number}")
    monkeypatch.setattr(clock, "now_ms", lambda: begun + 45_000)  # three times what a call takes at most
    with pytest.raises(TooManyRunning):
        running.take(of, "conv_1", "call_3")

    monkeypatch.setattr(clock, "now_ms", lambda: begun + 60_000)
    assert running.take(of, "conv_1", "call_4") == "slot1"
    running.release(of, "conv_1", "slot1", "call_0")  # the dead worker's, late
    assert running.take(of, "conv_1", "call_5") == "slot2"


def test_a_slot_whose_worker_died_is_free_after_its_time(
    organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = organization.organization_id
    monkeypatch.setattr(running, "SLOT_MS", 0)
    for number in range(4):
        assert running.take(of, "conv_1", f"call_{number}") == "slot1"
