"""What overtakes a run, each with its one end (docs/guides/agent-runs.md): a later message, a person, a resolution."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.agent_runs import deciding, making
from helpdesk.agent_runs.record import Run
from helpdesk.storage import table
from helpdesk.storage.stored import Key
from helpdesk.tools import running
from helpdesk.tools.approvals.record import Approval
from tests.support import table as everything
from tests.support.agent_runs import ASK_REFUND, LOOKUP, Runs, results
from tests.support.api import Context, function
from tests.support.converse import THROTTLED, calls, refuses, says, scripted
from tests.support.queues import sqs_event
from tests.support.suggestions import jobs
from tests.support.tool_server import Asked, json_response
from tests.support.workers import LongContext


def meanwhile(desk: Runs, do: Callable[[], object]) -> None:
    """Let something happen while the first call of a tool runs."""
    todo = [do]

    def answer(_: Asked) -> bytes:
        while todo:
            todo.pop()()
        return json_response({"status": "shipped"})

    desk.server.answer = answer


def test_a_take_over_while_a_tool_runs_ends_the_run_after_the_call(desk: Runs) -> None:
    desk.connect("medium")
    conversation = desk.write()
    meanwhile(desk, lambda: desk.api.post(f"/v1/conversations/{conversation}/take-over"))
    amounts = [{"order": "A-17", "amount": number} for number in range(5)]
    desk.work(calls(*[("refund", one) for one in amounts]))

    # Three run at once; the other two were not begun.
    assert sorted(call["input"]["amount"] for call in desk.called()) == [0, 1, 2]
    assert desk.answers(conversation) == []
    assert desk.lines(conversation).count("Assistant called Refund an order (refund). It was done.") == 3
    run = desk.run()
    assert run["state"] == "stopped"
    assert [call["state"] for call in run["calls"]] == ["succeeded"] * 3 + ["cancelled"] * 2


def test_a_resolution_while_a_tool_runs_stops_the_run(desk: Runs) -> None:
    desk.connect()
    conversation = desk.write()
    meanwhile(desk, lambda: desk.api.post(f"/v1/conversations/{conversation}/resolve"))
    desk.work(calls(("order_status", {"order": "A-17"}), ("refund", {"order": "A-17", "amount": 1})))

    assert desk.answers(conversation) == []
    assert desk.approvals() == []
    assert desk.run()["state"] == "stopped"


def test_a_message_while_a_tool_runs_is_answered_after_the_first(desk: Runs) -> None:
    desk.connect()
    conversation = desk.write()
    meanwhile(desk, lambda: desk.write("And where is order A-18?"))
    desk.work(LOOKUP, says("A-17 was shipped."), says("A-18, too."))

    assert desk.answers(conversation) == ["A-17 was shipped.", "A-18, too."]
    assert len(desk.called("order_status")) == 1


def test_a_worker_without_time_hands_the_run_on(desk: Runs) -> None:
    desk.connect("low")
    conversation = desk.write()
    (job,) = jobs("agent")
    event = sqs_event(job, group=conversation)
    with scripted(ASK_REFUND):
        assert function("agent_worker").handler(event, Context()) == {"batchItemFailures": []}
    assert desk.called() == []
    assert [one["kind"] for one in jobs("agent") if "kind" in one] == ["resume"]

    desk.work(says("Your refund is on its way."))
    assert len(desk.called()) == 1
    assert desk.answers(conversation) == ["Your refund is on its way."]


def test_a_call_that_was_decided_for_an_earlier_risk_is_cancelled(desk: Runs) -> None:
    desk.connect("low")
    conversation = desk.write()
    (job,) = jobs("agent")
    with scripted(ASK_REFUND):  # this worker has no time to make the call
        function("agent_worker").handler(sqs_event(job, group=conversation), Context())
    assert desk.api.patch("/v1/tools/refund", {"risk": "high"}).status == 200

    model = desk.work(ASK_REFUND)
    assert desk.called() == []
    assert results(model.requests[0])[0]["state"] == "cancelled"
    assert len(desk.approvals()) == 1


def test_a_run_that_is_given_up_after_a_take_over_stops_and_makes_no_call_later(
    desk: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.connect("low")
    conversation = desk.write()

    def taken_over(*_: Any) -> None:
        desk.api.post(f"/v1/conversations/{conversation}/take-over")
        raise RuntimeError

    last = sqs_event(asked()[0], group=conversation, receives=5)
    with monkeypatch.context() as patched, scripted(LOOKUP):
        patched.setattr(making, "make", taken_over)
        function("agent_worker").handler(last, LongContext())
    run = desk.run()
    assert (run["state"], [call["state"] for call in run["calls"]]) == ("stopped", ["cancelled"])


def test_an_approval_that_is_no_longer_in_force_ends_with_the_team(
    desk: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.connect()
    conversation = desk.ask()
    desk.decide("approve")
    (job,) = (one for one in jobs("agent") if "kind" in one)
    (approval,) = desk.approvals("approved")
    key = Approval.key_for(desk.id, approval["id"])
    monkeypatch.setattr(deciding, "expire_unfit", _expired_meanwhile(key))

    first, last = (sqs_event(job, group=conversation, receives=each) for each in (1, 5))
    assert function("agent_worker").handler(first, LongContext())["batchItemFailures"] != []
    assert function("agent_worker").handler(last, LongContext())["batchItemFailures"] == []
    assert desk.called() == []
    assert desk.run()["state"] == "handed over"


def _expired_meanwhile(key: Key) -> Callable[..., Run]:
    def expire(run: Run, *_: object, **__: object) -> Run:
        table.update(key, "SET #s = :expired", names={"#s": "status"}, values={":expired": "expired"})
        return run

    return expire


def asked() -> list[dict[str, Any]]:
    """Return the jobs of visitors' messages, in their order."""
    return [job for job in jobs("agent") if "kind" not in job]


def put() -> list[dict[str, Any]]:
    """Return the jobs that came without an event, in their order."""
    items = [
        item for item in everything.everything() if item["PK"].startswith("ORG#") and "#JOB#" in item["PK"]
    ]
    in_order = sorted(items, key=lambda item: str(item["id"]))
    return [job["body"] for item in in_order for job in item["jobs"] if job["queue"] == "agent"]


def test_a_later_message_continues_the_run_before_it_first(desk: Runs) -> None:
    desk.connect("low")
    conversation = desk.write()
    with scripted(ASK_REFUND):
        function("agent_worker").handler(sqs_event(asked()[0], group=conversation), Context())
    desk.write("And where is order A-18?")
    later = asked()[-1]

    # The queue hands it out before the job that was to continue the run.
    with scripted(says("Refunded."), says("A-18 was shipped.")) as model:
        function("agent_worker").handler(sqs_event(later, group=conversation), LongContext())
    assert desk.answers(conversation) == ["Refunded.", "A-18 was shipped."]
    assert len(model.requests) == 2
    desk.workers.run()
    assert len(desk.called()) == 1

    # Without time for the earlier run, the later message waits behind it.
    desk.write("And A-19?", session="session-of-another")
    first = asked()[-1]
    with scripted(LOOKUP):
        function("agent_worker").handler(sqs_event(first, group="other"), Context())
    desk.write("And A-20?", session="session-of-another")
    second = asked()[-1]
    function("agent_worker").handler(sqs_event(second, group="other"), Context())
    assert [job.get("kind", job["messageId"]) for job in jobs("agent")[-2:]] == [
        "resume",
        second["messageId"],
    ]


def test_three_running_tools_of_a_conversation_let_the_job_come_back(desk: Runs) -> None:
    desk.connect("low")
    conversation = desk.write()
    (job,) = jobs("agent")
    many = calls(*[("order_status", {"order": str(number)}) for number in range(4)])
    with scripted(many), running.slot(desk.id, conversation, "call_of_a_test"):
        answer = function("agent_worker").handler(sqs_event(job, group=conversation), LongContext())
    assert answer["batchItemFailures"] != []
    assert desk.called("order_status") == []
    desk.work(says("Four orders."))
    assert len(desk.called("order_status")) == 4


def test_a_run_that_the_last_try_cannot_continue_goes_to_the_team(desk: Runs) -> None:
    desk.connect("low")
    conversation = desk.write()
    last = sqs_event(asked()[0], group=conversation, receives=5)
    with scripted(LOOKUP, THROTTLED, THROTTLED):
        assert function("agent_worker").handler(last, LongContext()) == {"batchItemFailures": []}

    assert desk.run()["state"] == "handed over"
    assert "the model could not be reached" in desk.lines(conversation)[-1]


def test_a_run_whose_model_refuses_the_request_goes_to_the_team_at_the_first_try(desk: Runs) -> None:
    desk.connect("low")
    conversation = desk.write()
    first = sqs_event(asked()[0], group=conversation)
    with scripted(LOOKUP, refuses("ValidationException")):
        assert function("agent_worker").handler(first, LongContext()) == {"batchItemFailures": []}

    assert desk.run()["state"] == "handed over"
    assert "the model could not be reached" in desk.lines(conversation)[-1]
