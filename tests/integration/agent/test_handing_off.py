"""Whatever the reason, a handoff leaves a message for the visitor and its reason for the team."""

import pytest

from helpdesk.agent import embedded
from helpdesk.agent.answerer import HandOff
from helpdesk.agent.reasons import Reason
from tests.integration.agent.conftest import Desk
from tests.integration.agent.test_worker import HAND_OFF, events


@pytest.mark.parametrize("auto_resolve", [True, False])
def test_the_visitor_reads_a_hand_off_message_and_the_team_its_reason(
    stocked: Desk, monkeypatch: pytest.MonkeyPatch, auto_resolve: bool
) -> None:
    if auto_resolve:
        stocked.api.patch("/v1/agent", {"autoResolve": True})
    monkeypatch.setattr(embedded, "answer", lambda _: HandOff(Reason.NOTHING_FOUND))
    job = stocked.write("How do I get a refund?")
    before = len(events())

    stocked.work(job)

    _, message, line = stocked.thread(job["conversationId"])
    assert (message["kind"], message["body"]) == ("message", HAND_OFF)
    assert line["kind"] == "system"
    assert line["body"] == f"Assistant handed this conversation to the team: {Reason.NOTHING_FOUND.value}."
    assert [event["type"] for event in events()[before:]] == ["message.created", "conversation.updated"]
    found = stocked.conversation(job["conversationId"])
    assert (found["status"], found["handledBy"], found["awaitingHuman"]) == ("open", "team", True)
    history = stocked.api.get("/v1/messages?session=session-of-vera").body["conversations"][0]
    assert history["messages"][-1]["body"] == HAND_OFF
    assert history["awaitingHuman"] is True
