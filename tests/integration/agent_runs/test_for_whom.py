"""A call is made for the customer, and by the rules, that it was asked and decided for, or not at all.

See docs/guides/approvals.md. The customer and the tool can change at any moment, also while a model takes its turn.
"""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.agent.answerer import Outcome
from helpdesk.agent_runs import worker
from helpdesk.customers.record import Customer
from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import table
from helpdesk.tools import running
from helpdesk.tools.approvals.jobs import ResumeJob
from helpdesk.tools.errors import TooManyRunning
from helpdesk.tools.record import Tool
from tests.support.agent_runs import ASK_REFUND, LOOKUP, Runs, results
from tests.support.converse import Reply, Request, calls, says, scripted

ALICE = {"name": "Alice", "email": "alice@example.com", "metadata": {"externalId": "alice-1"}}
CHANGED = "the customer's identity has changed since the agent asked for it."
NOT_MADE = f"The call of Refund an order (refund) was not made: {CHANGED}"
ALLOWED = calls(("decide", {"decision": "run", "reason": "It was asked for."}))


def _has_no_room(*_: str) -> str:
    raise TooManyRunning


OTHERS: dict[str, dict[str, Any]] = {
    "another ID": {"metadata": {"externalId": "bob-2"}},
    "another address": {"email": "bob@example.com"},
    "another name": {"name": "Bob"},
}


@pytest.mark.parametrize("changed", OTHERS.values(), ids=OTHERS)
def test_an_approved_call_expires_if_the_customer_is_another_one_by_then(
    desk: Runs, changed: dict[str, Any]
) -> None:
    desk.connect()
    conversation = desk.write(user=ALICE)
    desk.work(LOOKUP, ASK_REFUND)
    desk.write("Hello", user=changed)
    desk.work(says("Hello."))

    (asked,) = desk.approvals()
    assert asked["identity"] == {
        "externalId": "alice-1", "name": "Alice", "email": "alice@example.com", "emailVerified": True
    }  # fmt: skip
    assert desk.decide("approve").status == 200
    model = desk.work(says("I could not do it."))

    assert desk.called() == []
    assert results(model.requests[0])[0]["state"] == "expired"
    assert "identity has changed" in results(model.requests[0])[0]["result"]
    assert [one["id"] for one in desk.approvals("expired")] == [asked["id"]]
    assert desk.lines(conversation)[-1] == NOT_MADE
    entry = desk.api.get("/v1/logs?kind=tool_call_expired").body["logs"][0]
    assert entry["summary"] == f"A call of the tool refund expired: {CHANGED}"
    assert entry["detail"] == {
        "approvalId": asked["id"], "conversationId": conversation, "tool": "refund"
    }  # fmt: skip


def test_an_address_that_is_no_longer_proven_is_another_identity(desk: Runs) -> None:
    desk.connect()
    conversation = desk.write(user=ALICE)
    desk.work(LOOKUP, ASK_REFUND)
    customer = desk.api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]
    key = Customer.key_for(desk.id, customer)
    table.update(key, "SET emailIsUnproven = :yes", values={":yes": True})

    desk.decide("approve")
    desk.work(says("I could not do it."))

    assert desk.called() == []


def test_a_call_is_made_for_the_customer_whom_it_was_asked_for(desk: Runs) -> None:
    desk.connect()
    desk.write(user=ALICE)
    desk.work(LOOKUP, ASK_REFUND)
    desk.write("Is it done?", user=ALICE)
    desk.work(says("Not yet."))

    desk.decide("approve")
    desk.work(says("Done."))

    (call,) = desk.called()
    assert call["context"]["visitor"] == {
        "externalId": "alice-1", "name": "Alice", "email": "alice@example.com"
    }  # fmt: skip


@pytest.mark.parametrize("risk", ["medium", "reviewed"])
def test_a_call_that_nobody_approves_is_not_made_for_another_customer_either(
    desk: Runs, monkeypatch: pytest.MonkeyPatch, risk: str
) -> None:
    desk.connect(risk)
    conversation = desk.write(user=ALICE)
    review = [ALLOWED] * (risk == "reviewed")
    with monkeypatch.context() as patch:  # the call is decided, and three others run at this moment
        patch.setattr(running, "take", _has_no_room)
        desk.work(ASK_REFUND, *review)
    desk.write("Hello", user={**ALICE, "metadata": {"externalId": "bob-2"}})
    job = ResumeJob(desk.id, conversation, desk.run()["SK"].removeprefix("RUN#"))
    with scripted(says("I could not do it.")) as model:
        assert worker.resume(job, until=clock.now_ms() + MINUTE_MS, last_try=False) is Outcome.ANSWERED

    assert desk.called() == []
    assert results(model.requests[0])[0]["state"] == "cancelled"
    assert desk.lines(conversation) == [NOT_MADE]
    assert len(desk.api.get("/v1/logs?kind=tool_call_expired").body["logs"]) == 1


type Change = Callable[[], Any]


def _meanwhile(change: Change, reply: Reply) -> Callable[[Request], Reply]:
    """Return a turn of a model during which something changes."""

    def turn(_: Request) -> Reply:
        change()
        return reply

    return turn


def _turns(change: Change, *, during: str) -> list[Reply | Callable[[Request], Reply]]:
    """Return the turns up to a call that may be made, with a change during the model's or the reviewer's."""
    if during == "the model's turn":
        return [_meanwhile(change, ASK_REFUND)]
    return [ASK_REFUND, _meanwhile(change, ALLOWED)]


TURNS = pytest.mark.parametrize(
    ("risk", "during"), [("medium", "the model's turn"), ("reviewed", "the reviewer's turn")]
)


@TURNS
def test_a_call_is_not_made_if_the_customer_changes_during_a_turn(desk: Runs, risk: str, during: str) -> None:
    desk.connect(risk)
    conversation = desk.write(user=ALICE)

    def change() -> None:
        desk.write("Hello", user={**ALICE, "metadata": {"externalId": "bob-2"}})

    desk.work(*_turns(change, during=during), says("I could not do it."), says("Hello."))

    assert desk.called() == []
    assert desk.lines(conversation) == [NOT_MADE]


@TURNS
def test_a_call_whose_tool_gets_a_higher_risk_during_a_turn_is_asked_for_again_and_waits_for_the_team(
    desk: Runs, risk: str, during: str
) -> None:
    desk.connect(risk)
    desk.write()

    def change() -> None:
        assert desk.api.patch("/v1/tools/refund", {"risk": "high"}).status == 200

    desk.work(*_turns(change, during=during), ASK_REFUND)

    assert desk.called() == []
    assert [one["risk"] for one in desk.approvals()] == ["high"]


@TURNS
def test_a_call_is_not_made_if_its_tool_is_switched_off_during_a_turn(
    desk: Runs, risk: str, during: str
) -> None:
    desk.connect(risk)
    desk.write()

    def change() -> None:
        assert desk.api.patch("/v1/tools/refund", {"enabled": False}).status == 200

    model = desk.work(*_turns(change, during=during), says("I could not do it."))

    assert desk.called() == []
    assert results(model.requests[-1])[0]["state"] == "failed"
    offered = model.requests[-1]["toolConfig"]["tools"]
    assert "refund" not in {one["toolSpec"]["name"] for one in offered if "toolSpec" in one}


@TURNS
def test_a_call_is_not_made_if_its_definition_changes_during_a_turn(
    desk: Runs, risk: str, during: str
) -> None:
    desk.connect(risk)
    desk.write()

    def change() -> None:
        described = {":other": "Pays out everything."}
        table.update(Tool.key_for(desk.id, "refund"), "SET description = :other", values=described)

    model = desk.work(*_turns(change, during=during), says("I could not do it."))

    assert desk.called() == []
    assert results(model.requests[-1])[0]["state"] == "cancelled"
