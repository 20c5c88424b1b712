"""What an export shows of approvals, and what an erasure leaves of them and of runs: nothing."""

from typing import Any

import pytest

from helpdesk.agent import metered
from helpdesk.agent.auto_resolve import is_finished
from helpdesk.conversations import service as conversations
from tests.support import table as everything
from tests.support.agent_runs import ASK_REFUND, REFUND, Runs
from tests.support.api import function
from tests.support.converse import scripted
from tests.support.queues import sqs_event
from tests.support.suggestions import jobs
from tests.support.workers import LongContext, Workers


def test_an_export_has_the_approvals_and_an_erasure_removes_them_with_the_run(desk: Runs) -> None:
    desk.connect()
    conversation = desk.ask()
    customer = desk.api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]

    (exported,) = desk.api.get(f"/v1/customers/{customer}/export").body["conversations"]
    assert [one["input"] for one in exported["approvals"]] == [REFUND]

    assert desk.api.delete(f"/v1/customers/{customer}").status == 200
    Workers("search").run()
    left = [item["SK"] for item in everything.everything()]
    assert not [key for key in left if key.startswith(("APPROVAL#", "RUN#"))]
    assert desk.approvals() == []


def test_a_run_that_begins_while_its_customer_is_erased_is_not_stored(
    desk: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.connect("low")
    conversation = desk.write()
    customer = desk.api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]
    asked = metered.turn

    def erased_meanwhile(*given: Any, **options: Any) -> Any:
        turn = asked(*given, **options)
        assert desk.api.delete(f"/v1/customers/{customer}").status == 200
        Workers("search", "agent").run()
        return turn

    (job,) = jobs("agent")
    monkeypatch.setattr(metered, "turn", erased_meanwhile)
    with scripted(ASK_REFUND):
        function("agent_worker").handler(sqs_event(job, group=conversation), LongContext())
    assert desk.called() == []
    assert not [item["SK"] for item in everything.everything() if item["SK"].startswith("RUN#")]


def test_a_conversation_with_a_call_that_waits_is_not_finished(desk: Runs) -> None:
    desk.connect()
    waiting = conversations.get(desk.id, desk.ask())
    assert waiting.waiting_approvals == 1
    assert not is_finished(waiting)
    desk.decide("deny")
    decided = conversations.get(desk.id, waiting.id)
    assert decided.waiting_approvals == 0
    assert is_finished(decided)
