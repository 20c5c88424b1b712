"""No visitor's message is left to nobody, and none is answered twice by two."""

from typing import Any

from helpdesk.agent import answers
from helpdesk.conversations import repository
from tests.support import table as whole_table
from tests.support.api import Client


def write(api: Client, body: str = "Where is my invoice?") -> dict[str, Any]:
    answer = api.post("/v1/messages", {"session": "session-1", "body": body})
    assert answer.status == 200, answer
    return dict(answer.body)


def jobs() -> list[str]:
    """Return the messages that the agent was asked to answer, in order."""
    return [job["body"]["messageId"] for job in whole_table.jobs("agent")]


def test_handing_back_lets_the_agent_answer_what_was_written_meanwhile(
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


def test_reopening_lets_the_agent_answer_what_it_had_not_answered(api: Client) -> None:
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
    now = repository.get(organization.organization_id, first["conversationId"])
    assert not answers.write(
        now, answering=first["messageId"], name="Assistant", body="Late.", hand_off_reason=None
    )
