"""An agent's job that is replayed: the visitor reads one answer."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.agent.answerer import Outcome
from helpdesk.agent_runs import worker as agent
from helpdesk.conversations.jobs import AgentJob
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from scripts.replay import replay
from tests.integration.agent.conftest import Desk, desk, everything, stocked
from tests.integration.delivery.happening import MINUTE, Time, time
from tests.integration.fanout.test_fan_out import fan_out
from tests.support.interleaving import interleaved
from tests.support.table import outbox

__all__ = ["desk", "stocked", "time"]  # fixtures

KNOWN, UNKNOWN = "How do I get a refund?", "Do you sell umbrellas in Lisbon?"


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """The agent's jobs in the order in which they were queued, those too that the queue would know again."""
    found: list[dict[str, str]] = []

    def send(*, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:
        if QueueUrl == settings().agent_queue_url:
            found.extend(json.loads(entry["MessageBody"]) for entry in Entries)
        return {"Successful": [], "Failed": []}

    monkeypatch.setattr(clients.sqs(), "send_message_batch", send)
    return found


def replayed() -> int:
    return replay(0, clock.now_ms())["fannedOut"]


def outcome(desk: Desk, conversation: str) -> tuple[list[dict[str, Any]], int]:
    """Return what may not change any more: the whole thread, and how many events there are."""
    return desk.thread(conversation), len(outbox())


def nothing(_: Desk, __: str) -> None:
    return


def handed_back(desk: Desk, conversation: str) -> None:
    desk.move(conversation, "take-over")
    desk.move(conversation, "hand-back")


def replied(desk: Desk, conversation: str) -> None:
    assert (
        desk.api.post(f"/v1/conversations/{conversation}/reply", {"body": "Let me add to it."}).status == 200
    )


def resolved(desk: Desk, conversation: str) -> None:
    desk.move(conversation, "resolve")


def reopened(desk: Desk, conversation: str) -> None:
    desk.move(conversation, "resolve")
    desk.move(conversation, "reopen")


def went_on(desk: Desk, conversation: str) -> None:
    assert desk.work(desk.write("How long does a refund take?")) == []


@pytest.mark.parametrize("question", [KNOWN, UNKNOWN])
@pytest.mark.parametrize("meanwhile", [nothing, handed_back, replied, resolved, reopened, went_on])
def test_a_job_that_was_done_and_is_queued_again_changes_nothing(
    stocked: Desk,
    time: Time,
    queued: list[dict[str, str]],
    question: str,
    meanwhile: Callable[[Desk, str], None],
) -> None:
    job = stocked.write(question)
    assert fan_out(*outbox()) == {"batchItemFailures": []}
    assert queued == [job]
    assert stocked.work(job) == []
    assert len(stocked.answers(job["conversationId"])) == 1
    time.now += MINUTE
    meanwhile(stocked, job["conversationId"])
    before = outcome(stocked, job["conversationId"])
    time.now += 46 * MINUTE
    queued.clear()
    assert replayed() >= 1
    assert job in queued
    for found in queued:
        assert stocked.work(found) == []
    assert outcome(stocked, job["conversationId"]) == before


def test_a_job_that_was_lost_is_answered_once_however_often_it_is_found(
    stocked: Desk, time: Time, queued: list[dict[str, str]]
) -> None:
    job = stocked.write(KNOWN)
    for _ in range(3):
        time.now += 46 * MINUTE
        replayed()
    assert queued == [job] * 3
    for found in queued:
        assert stocked.work(found) == []
    assert len(stocked.answers(job["conversationId"])) == 1


def test_a_lost_job_of_a_message_that_another_followed_is_answered_with_it_and_once(
    stocked: Desk, time: Time, queued: list[dict[str, str]]
) -> None:
    lost = stocked.write(KNOWN)
    lost_at = time.now
    time.now += 44 * MINUTE
    later = stocked.write("How long does a refund take?")
    replay(0, lost_at)
    assert queued == [lost]
    for found in (lost, later, lost):
        assert stocked.work(found) == []
    assert len(stocked.answers(lost["conversationId"])) == 1


@pytest.mark.parametrize("team", ["hand-back", "reopen"])
def test_a_lost_job_and_the_one_that_a_move_of_the_team_makes_of_it_are_answered_once(
    stocked: Desk, time: Time, queued: list[dict[str, str]], team: str
) -> None:
    lost = stocked.write(KNOWN)
    time.now += MINUTE
    stocked.move(lost["conversationId"], "take-over" if team == "hand-back" else "resolve")
    stocked.move(lost["conversationId"], team)
    time.now += 46 * MINUTE
    replayed()
    assert queued == [lost, lost]
    for found in queued:
        assert stocked.work(found) == []
    assert len(stocked.answers(lost["conversationId"])) == 1


@pytest.mark.parametrize("seed", range(12))
def test_a_job_found_again_while_the_first_is_still_being_worked_on_is_answered_once(
    stocked: Desk, seed: int
) -> None:
    """The queue keeps a conversation in order; were it not to, the write at the end would."""
    written = stocked.write(UNKNOWN if seed % 2 else KNOWN)
    job = AgentJob(written["organization"], written["conversationId"], written["messageId"])
    outcomes = interleaved([lambda: agent.work(job, until=0, last_try=False)] * 3, seed=seed).all()
    done = [outcome for outcome in outcomes if outcome in {Outcome.ANSWERED, Outcome.HANDED_OFF}]
    assert len(done) == 1
    assert len(stocked.answers(written["conversationId"])) == 1
    assert (
        len([item for item in everything() if "onlyTo" not in item and item["SK"] == "EVENT"]) == 3 + seed % 2
    )
