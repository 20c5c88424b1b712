"""Runs whose worker died at every try, and decisions whose job was lost: the timers find them."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.agent_runs import engine
from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage.shards import SHARDS
from tests.support.agent_runs import ASK_REFUND, LOOKUP, Runs
from tests.support.api import Context, function
from tests.support.aws import recorded_calls
from tests.support.converse import says, scripted
from tests.support.queues import sqs_event
from tests.support.suggestions import jobs
from tests.support.workers import LongContext

LATER_MS = 16 * MINUTE_MS


class Killed(BaseException):
    """The worker is gone; nothing catches it."""


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let time pass until what was lost is due, and run the timers."""
    now, passed = clock.now_ms, [0]
    monkeypatch.setattr(clock, "now_ms", lambda: now() + passed[0])

    def run() -> None:
        passed[0] += LATER_MS
        function("timers").handler({"run": "runs"}, Context())

    return run


def die(desk: Runs, conversation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the worker begin the run and die with each try of the job, which then is a dead letter."""
    (job,) = jobs("agent")
    with monkeypatch.context() as patched, scripted(ASK_REFUND):
        patched.setattr(engine, "_call", _killed)
        for receives in range(1, 6):
            with pytest.raises(Killed):
                function("agent_worker").handler(
                    sqs_event(job, group=conversation, receives=receives), LongContext()
                )


def _killed(*_: object, **__: object) -> Any:
    raise Killed


def resumes() -> list[dict[str, Any]]:
    return [job for job in jobs("agent") if job.get("kind") == "resume"]


def test_a_run_whose_worker_died_at_every_try_is_continued(
    desk: Runs, later: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.connect("low")
    conversation = desk.write()
    die(desk, conversation, monkeypatch)
    assert desk.run()["state"] == "calling"
    function("timers").handler({"run": "runs"}, Context())
    assert resumes() == []

    later()
    (job,) = resumes()
    with scripted(says("Your refund is on its way.")):
        function("agent_worker").handler(sqs_event(job, group=conversation), LongContext())
    assert desk.answers(conversation) == ["Your refund is on its way."]
    assert len(desk.called()) == 1
    later()
    assert len(resumes()) == 1


def test_a_run_that_kills_every_worker_goes_to_the_team(
    desk: Runs, later: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.connect("low")
    conversation = desk.write()
    die(desk, conversation, monkeypatch)
    for _ in range(4):
        later()
    given = [job.get("givesUp", False) for job in resumes()]
    assert given == [False, False, False, True]

    monkeypatch.setattr(engine, "advance", _killed)
    function("agent_worker").handler(sqs_event(resumes()[-1], group=conversation), LongContext())
    assert desk.run()["state"] == "handed over"
    assert desk.called() == []
    assert desk.api.get(f"/v1/conversations/{conversation}").body["conversation"]["handledBy"] == "team"

    for _ in range(4):
        later()
    assert len(resumes()) == 4


def test_a_decision_whose_job_was_lost_is_carried_out(desk: Runs, later: Callable[[], None]) -> None:
    desk.connect()
    conversation = desk.ask(LOOKUP, ASK_REFUND)
    later()
    assert resumes() == []  # it waits for the team

    desk.decide("approve")
    assert len(resumes()) == 1  # of which nothing becomes
    later()
    with scripted(says("Done.")):
        function("agent_worker").handler(sqs_event(resumes()[-1], group=conversation), LongContext())
    assert len(desk.called()) == 1


def test_looking_for_lost_runs_takes_the_same_calls_whatever_is_stored(
    desk: Runs, later: Callable[[], None]
) -> None:
    desk.connect("low")
    desk.write()
    desk.work(ASK_REFUND, says("Done."))
    with recorded_calls() as calls:
        later()
    assert len(calls) == SHARDS
