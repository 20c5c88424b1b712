"""A call that a person decides: asked for, approved, denied, expired, interrupted (docs/guides/approvals.md)."""

import pytest

from helpdesk.agent import answers
from helpdesk.agent.answers import Answer
from helpdesk.conversations import service as conversations
from helpdesk.conversations.record import Conversation
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction
from helpdesk.tools import running
from helpdesk.tools import service as tools
from helpdesk.tools.approvals import lifecycle
from helpdesk.tools.approvals.errors import TooManyWaiting
from helpdesk.tools.record import Tool
from tests.support.agent_runs import LOOKUP, REFUND, Runs, results
from tests.support.api import Context, function
from tests.support.converse import calls, says

ASKED = "I've asked our team to confirm this. You will read the outcome here."
DONE = says("Your refund is on its way.")


@pytest.fixture
def waiting(desk: Runs) -> str:
    """A conversation in which a refund waits for the team."""
    desk.connect()
    return desk.ask()


def test_a_visitor_asks_a_teammate_approves_and_the_tool_runs_once(desk: Runs, waiting: str) -> None:
    assert desk.answers(waiting) == [ASKED]
    assert desk.called() == []
    (one,) = desk.approvals()
    assert (one["tool"], one["input"], one["risk"]) == ("refund", REFUND, "high")
    assert desk.lines(waiting) == [f"Assistant asks to call Refund an order (refund), approval {one['id']}."]
    assert desk.events(waiting) == [
        "conversation.created",
        "message.created",
        "message.created",
        "conversation.updated",
    ]

    assert desk.decide("approve", "Fine.").status == 200
    model = desk.work(DONE)

    (call,) = desk.called()
    assert call["input"] == REFUND
    assert call["context"]["conversationId"] == waiting
    assert results(model.requests[0]) == [
        {"status": "success", "state": "succeeded", "result": '{"status":"shipped"}'}
    ]
    assert desk.answers(waiting) == [ASKED, "Your refund is on its way."]
    shown = desk.api.get(f"/v1/approvals/{one['id']}").body["approval"]
    assert (shown["status"], shown["outcome"], shown["result"]) == (
        "approved",
        "succeeded",
        '{"status":"shipped"}',
    )
    assert desk.lines(waiting)[-1] == "Assistant called Refund an order (refund). It was done."
    assert desk.run()["state"] == "answered"
    desk.workers.run()
    assert len(desk.called()) == 1


def test_a_denial_and_its_note_go_back_to_the_model(desk: Runs, waiting: str) -> None:
    desk.decide("deny", "Older than 30 days.")
    model = desk.work(says("Sorry, that is not possible."))

    assert results(model.requests[0]) == [
        {"status": "error", "state": "denied", "result": "The team denied it: Older than 30 days."}
    ]
    assert desk.called() == []
    assert desk.answers(waiting)[-1] == "Sorry, that is not possible."


def test_an_expired_approval_is_not_run(desk: Runs, waiting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    later = clock.now_ms() + DAY_MS + 1
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    function("timers").handler({"run": "due"}, Context())
    model = desk.work(says("Nobody has confirmed it yet. Shall I ask again?"))

    assert results(model.requests[0])[0]["state"] == "expired"
    assert desk.called() == []
    assert len(desk.approvals("expired")) == 1


def test_the_visitor_writes_on_while_a_call_waits(desk: Runs, waiting: str) -> None:
    desk.write("Is it done?")
    again = calls(("refund", REFUND))
    model = desk.work(again, says("The team has not decided yet."))

    assert '<call tool="refund">{&quot;order&quot;:' in model.requests[0]["system"][0]["text"]
    assert results(model.requests[1])[0]["state"] == "rejected"
    assert len(desk.approvals()) == 1
    assert desk.answers(waiting) == [ASKED, "The team has not decided yet."]

    desk.decide("approve")
    model = desk.work(DONE)
    # What was written meanwhile follows the results.
    (since,) = (block["text"] for block in model.requests[0]["messages"][-1]["content"] if "text" in block)
    assert (
        '<message from="visitor">Is it done?</message>\n'
        '<message from="agent">The team has not decided yet.</message>'
    ) in since
    assert desk.answers(waiting)[-1] == "Your refund is on its way."
    assert len(desk.called()) == 1


def test_the_same_call_in_another_form_asks_no_second_approval(desk: Runs) -> None:
    desk.connect()
    desk.ask(LOOKUP, calls(("refund", {"order": "A-17", "amount": 12})))
    desk.write("Is it done?")
    model = desk.work(calls(("refund", {"amount": 12.0, "order": "A-17"})), says("Not yet."))

    assert results(model.requests[1])[0]["state"] == "rejected"
    assert len(desk.approvals()) == 1


def test_at_most_three_calls_wait_in_a_conversation_and_then_the_team_answers(desk: Runs) -> None:
    desk.connect()
    for number in range(3):
        desk.write()
        desk.work(calls(("refund", {"order": "A-17", "amount": number})))
    conversation = desk.write()
    desk.work(calls(("refund", {"order": "A-17", "amount": 4})))

    assert len(desk.approvals()) == 3
    assert desk.lines(conversation)[-1] == (
        "Assistant handed this conversation to the team: more calls of tools would wait for the team's decision than a "
        "conversation may have."
    )
    asked = desk.approvals()[0]["id"]
    assert desk.api.post(f"/v1/approvals/{asked}/approve", {}).status == 200
    desk.work()
    assert [call["input"]["amount"] for call in desk.called()] == [2]


def test_a_turn_with_more_calls_than_can_wait_asks_for_none(desk: Runs) -> None:
    desk.connect()
    conversation = desk.ask(calls(*[("refund", {"order": "A-17", "amount": number}) for number in range(12)]))

    assert desk.approvals() == []
    assert desk.run()["state"] == "handed over"
    assert {call["state"] for call in desk.run()["calls"]} == {"cancelled"}
    assert desk.api.get(f"/v1/conversations/{conversation}").body["conversation"]["handledBy"] == "team"


def test_two_messages_at_once_do_not_pass_the_limit_of_calls_that_wait(
    desk: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.connect()
    conversation = desk.write()
    desk.write("And order A-18, please.")
    seen = conversations.find(desk.id, conversation)
    assert seen is not None

    def asks(calls_waiting: int) -> bool:
        def require_room(_: Transaction, read: Conversation) -> None:
            lifecycle.require_room(read, calls_waiting)

        asking = Answer(answering=None, name="Assistant", body="I asked.", new_approvals=calls_waiting)
        return answers.write(seen, asking, extra_writes=require_room)

    assert asks(2)
    with pytest.raises(TooManyWaiting):  # although it was read before the others were asked for
        asks(2)
    assert asks(1)
    assert desk.api.get(f"/v1/conversations/{conversation}").body["conversation"]["pendingApprovals"] == 3


def test_after_a_take_over_an_approved_call_is_made_and_the_agent_stays_silent(
    desk: Runs, waiting: str
) -> None:
    desk.api.post(f"/v1/conversations/{waiting}/take-over")
    desk.decide("approve")
    desk.work()

    assert len(desk.called()) == 1
    assert desk.answers(waiting) == [ASKED]
    assert desk.lines(waiting)[-1] == "Assistant called Refund an order (refund). It was done."
    assert desk.run()["state"] == "stopped"


def test_a_resolution_ends_what_waits_and_the_run(desk: Runs, waiting: str) -> None:
    desk.api.post(f"/v1/conversations/{waiting}/resolve")
    desk.work()

    assert len(desk.approvals("expired")) == 1
    assert desk.run()["state"] == "stopped"
    assert desk.called() == []


def test_an_approved_call_is_not_made_once_the_conversation_is_resolved(desk: Runs, waiting: str) -> None:
    desk.decide("approve")
    desk.api.post(f"/v1/conversations/{waiting}/resolve")
    desk.work()

    assert desk.called() == []
    assert len(desk.approvals("expired")) == 1
    assert desk.run()["state"] == "stopped"


def test_an_approved_call_is_not_made_once_the_conversation_was_resolved_and_opened_again(
    desk: Runs, waiting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.decide("approve")
    line = "The call of Refund an order (refund) was not made: the conversation was resolved."

    def resolved_and_opened_again() -> None:
        for move in ("resolve", "reopen", "hand-back"):
            assert desk.api.post(f"/v1/conversations/{waiting}/{move}").status == 200

    # At the last moment: the worker has read the conversation, and is about to note that it makes the call.
    take = running.take

    def overtaken(organization: str, conversation_id: str, call_id: str) -> str:
        monkeypatch.setattr(running, "take", take)
        resolved_and_opened_again()
        return take(organization, conversation_id, call_id)

    monkeypatch.setattr(running, "take", overtaken)
    desk.work()

    assert desk.called() == []
    assert desk.answers(waiting) == [ASKED]
    assert len(desk.approvals("expired")) == 1
    assert desk.run()["state"] == "stopped"
    assert line in desk.lines(waiting)


def test_an_approved_call_of_a_tool_that_has_changed_expires(desk: Runs, waiting: str) -> None:
    table.update(
        Tool.key_for(desk.id, "refund"),
        "SET description = :text",
        values={":text": "Sends money to anybody."},
    )
    desk.decide("approve")
    model = desk.work(says("I could not do it."))

    assert desk.called() == []
    assert results(model.requests[0])[0]["state"] == "expired"
    assert len(desk.approvals("expired")) == 1
    assert "The call of Refund an order (refund) was not made: the tool has changed since" in "".join(
        desk.lines(waiting)
    )


def test_two_calls_of_one_turn_wait_until_both_are_decided(desk: Runs) -> None:
    desk.connect()
    other = {"order": "A-18", "amount": 3}
    conversation = desk.ask(calls(("order_status", {"order": "A-17"}), ("refund", REFUND), ("refund", other)))
    second, first = desk.approvals()
    assert desk.answers(conversation) == [ASKED]

    desk.api.post(f"/v1/approvals/{first['id']}/approve", {})
    desk.work()
    assert [call["input"] for call in desk.called()] == [REFUND]
    assert desk.answers(conversation) == [ASKED]

    desk.api.post(f"/v1/approvals/{second['id']}/deny", {})
    model = desk.work(DONE)
    assert [each["state"] for each in results(model.requests[0])] == ["succeeded", "succeeded", "denied"]
    assert len(desk.called()) == 1


def test_a_call_after_a_decision_can_wait_again(desk: Runs, waiting: str) -> None:
    desk.decide("deny", "Refund 5 at most.")
    desk.work(calls(("refund", {"order": "A-17", "amount": 5})))
    assert desk.answers(waiting) == [ASKED, ASKED]
    desk.decide("approve")
    desk.work(DONE)

    assert [call["input"]["amount"] for call in desk.called()] == [5]
    assert desk.answers(waiting)[-1] == "Your refund is on its way."


def test_without_tools_a_model_answers_as_before_and_no_run_is_stored(desk: Runs) -> None:
    assert desk.api.patch("/v1/agent", {"fileSignals": False}).status == 200
    conversation = desk.write("Hello?")
    model = desk.work(says("Hello! How can I help?"))

    assert desk.answers(conversation) == ["Hello! How can I help?"]
    assert [tool["toolSpec"]["name"] for tool in model.requests[0]["toolConfig"]["tools"]] == ["hand_to_team"]
    assert not [item for item in (table.scan(limit=500).items) if item["SK"].startswith("RUN#")]


def test_a_lookup_runs_unseen(desk: Runs) -> None:
    desk.connect()
    conversation = desk.ask(LOOKUP, says("It was shipped."))

    assert desk.answers(conversation) == ["It was shipped."]
    assert desk.lines(conversation) == []
    assert [call["input"] for call in desk.called("order_status")] == [{"order": "A-17"}]


def test_the_model_is_offered_no_more_tools_than_fit_and_the_team_sees_which(
    desk: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.connect()
    waiting = desk.ask()
    monkeypatch.setattr(tools, "MAX_OFFERED_TOOLS", 1)
    shown = {one["name"]: one["offered"] for one in desk.api.get("/v1/tools").body["tools"]}
    assert shown == {"order_status": True, "refund": False}

    desk.decide("approve")
    model = desk.work(calls(("refund", {"order": "A-18", "amount": 1})), says("It was refunded."))
    named = [one["toolSpec"]["name"] for one in model.requests[0]["toolConfig"]["tools"] if "toolSpec" in one]
    assert (named[0], named[-1], "refund" in named) == ("hand_to_team", "order_status", False)
    # What was approved before is made, and nothing new.
    assert [call["input"] for call in desk.called()] == [REFUND]
    assert results(model.requests[1])[0]["state"] == "rejected"
    assert desk.answers(waiting)[-1] == "It was refunded."
