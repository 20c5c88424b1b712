"""What an export shows of approvals, and what an erasure leaves of them and of runs: nothing."""

from helpdesk.agent.auto_resolve import is_finished
from helpdesk.conversations import service as conversations
from tests.support import table as everything
from tests.support.agent_runs import REFUND, Runs
from tests.support.workers import Workers


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


def test_a_conversation_with_a_call_that_waits_is_not_finished(desk: Runs) -> None:
    desk.connect()
    waiting = conversations.get(desk.id, desk.ask())
    assert waiting.waiting_approvals == 1
    assert not is_finished(waiting)
    desk.decide("deny")
    decided = conversations.get(desk.id, waiting.id)
    assert decided.waiting_approvals == 0
    assert is_finished(decided)
