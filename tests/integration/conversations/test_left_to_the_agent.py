"""Every visitor's message has someone to answer it, and none is answered twice."""

from typing import Any

from helpdesk.agent import answers
from helpdesk.agent.answerer import Outcome
from helpdesk.agent.answers import Answer
from helpdesk.agent_runs.worker import work
from helpdesk.conversations import repository
from helpdesk.conversations.jobs import AgentJob
from helpdesk.platform import clock
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.aws import recorded_calls


def write(api: Client, body: str = "Where is my invoice?") -> dict[str, Any]:
    answer = api.post("/v1/messages", {"session": "session-1", "body": body})
    assert answer.status == 200, answer
    return dict(answer.body)


def jobs() -> list[str]:
    """Return the messages that the agent was asked to answer, in order."""
    return [job["body"]["messageId"] for job in whole_table.jobs("agent")]


def test_handing_back_lets_the_agent_answer_messages_written_meanwhile(
    api: Client,
) -> None:
    first = write(api)
    path = f"/v1/conversations/{first['conversationId']}"
    api.post(f"{path}/take-over")
    second = write(api, "Hello?")
    assert jobs() == [first["messageId"]]
    api.post(f"{path}/hand-back")
    assert jobs() == [first["messageId"], second["messageId"]]


def test_handing_back_after_a_reply_starts_no_agent_job(api: Client) -> None:
    first = write(api)
    path = f"/v1/conversations/{first['conversationId']}"
    api.post(f"{path}/reply", {"body": "Here it is.", "takeOver": True})
    api.post(f"{path}/hand-back")
    assert jobs() == [first["messageId"]]


def test_reopening_lets_the_agent_answer_unanswered_messages(api: Client) -> None:
    first = write(api)
    path = f"/v1/conversations/{first['conversationId']}"
    api.post(f"{path}/resolve")
    api.post(f"{path}/reopen")
    assert jobs() == [first["messageId"], first["messageId"]]


def test_an_agent_that_prepares_an_answer_drops_it_once_a_teammate_has_answered(
    api: Client, organization: Any
) -> None:
    first = write(api)
    path = f"/v1/conversations/{first['conversationId']}"
    api.post(f"{path}/reply", {"body": "Under Account, Billing."})
    write(api, "Great, thanks!")
    now = repository.conversations.get(organization.organization_id, first["conversationId"])
    assert not answers.write(now, Answer(answering=first["messageId"], name="Assistant", body="Late."))


def test_handing_back_lets_the_agent_answer_a_message_that_came_before_the_answer_to_an_earlier_one(
    api: Client, organization: Any
) -> None:
    first, second = write(api), write(api, "And how much is it?")
    now = repository.conversations.get(organization.organization_id, first["conversationId"])
    assert answers.write(now, Answer(answering=first["messageId"], name="Assistant", body="Here."))
    path = f"/v1/conversations/{first['conversationId']}"
    api.post(f"{path}/take-over")
    api.post(f"{path}/hand-back")
    assert jobs() == [first["messageId"], second["messageId"], second["messageId"]]


def test_handing_back_reads_no_message(api: Client) -> None:
    path = f"/v1/conversations/{write(api)['conversationId']}"
    api.post(f"{path}/take-over")
    with recorded_calls() as calls:
        api.post(f"{path}/hand-back")
    assert "dynamodb:Query" not in calls


def test_a_message_is_answered_although_a_clock_that_is_ahead_dated_the_reply_before_it_later(
    api: Client, organization: Any
) -> None:
    first = write(api)
    path = f"/v1/conversations/{first['conversationId']}"
    ahead = (clock.now_ms() + 2_000) * 1_000
    with clock.frozen(lambda: ahead):
        api.post(f"{path}/reply", {"body": "Here it is."})
    second = write(api, "Thanks, and where is the other one?")
    assert second["conversationId"] == first["conversationId"]

    job = AgentJob(organization.organization_id, second["conversationId"], second["messageId"])
    assert work(job, until=0, last_try=False) is Outcome.HANDED_OFF
    thread = api.get(path).body["messages"]
    assert [entry["sender"] for entry in thread if entry["kind"] == "message"] == [
        *("visitor", "agent", "visitor", "agent")
    ]
