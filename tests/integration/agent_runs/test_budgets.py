"""What one message, one conversation and one day of an organization can cost in tokens of the model."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.quotas import errors
from helpdesk.accounts.quotas import service as quotas
from helpdesk.api.admission.limits import Plan
from helpdesk.conversations.record import Conversation
from helpdesk.knowledge import retrieval
from helpdesk.platform import clock
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import table
from tests.support.agent_runs import ASK_REFUND, LOOKUP, REFUND, Runs
from tests.support.converse import Reply, Request, ScriptedModel, calls, says, scripted
from tests.support.tool_server import json_response

HANDED = "Assistant handed this conversation to the team: "


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieval, "find", lambda *_, **__: [])
    quotas._plans.clear()


def size(request: Request) -> int:
    """Return the bytes of a request."""
    return len(json.dumps([request["system"], request["messages"]], ensure_ascii=False).encode())


def reading(reply: Callable[[], Reply]) -> Callable[[Request], Reply]:
    """Return a reply that costs what Bedrock would charge for its request: a token for each four bytes."""

    def answer(request: Request) -> Reply:
        made = reply()
        assert made.response is not None
        made.response["usage"] |= {"inputTokens": size(request) // 4, "outputTokens": 800}
        made.response["usage"]["totalTokens"] = size(request) // 4 + 800
        return made

    return answer


def lengthy(desk: Runs) -> str:
    """Let the visitor write as much as a thread shows; return the conversation's id."""
    return [desk.write(f"{number:02d}" + "x" * 3_990) for number in range(15)][-1]


def work(desk: Runs, reply: Callable[[], Reply], most: int = 40) -> ScriptedModel:
    """Let the agent work with a model that always replies the same."""
    with scripted(*[reading(reply)] * most) as model:
        desk.workers.run()
        model.replies.clear()
    return model


def tokens(desk: Runs) -> int:
    shown: int = desk.api.get("/v1/billing/limits").body["model"]["tokens"]["used"]
    return shown


def test_a_message_of_a_visitor_who_wants_much_costs_at_most_60_000_tokens(desk: Runs) -> None:
    desk.server.answer = lambda _: json_response("y" * 20_000)
    desk.connect("low")
    conversation = lengthy(desk)
    numbers = iter(range(100))
    model = work(desk, lambda: calls(*[("order_status", {"order": f"A-{next(numbers)}"}) for _ in range(2)]))

    assert max(map(size, model.requests)) <= 80_000
    assert tokens(desk) <= 60_000
    assert desk.lines(conversation)[-1].startswith(HANDED)


def test_a_message_past_its_budget_goes_to_the_team_with_a_word_to_the_visitor(
    desk: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "RUN_TOKENS", 3_500)
    desk.connect("low")
    conversation = desk.ask(*[LOOKUP] * 2)

    assert desk.answers(conversation) == [
        "I'm passing this to our team. Someone will answer you here as soon as possible."
    ]
    assert desk.lines(conversation) == [
        f"{HANDED}the question took more tokens of the language model than one message may use."
    ]
    assert desk.run()["state"] == "handed over"


def test_the_reviews_of_calls_draw_from_the_messages_budget(
    desk: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "RUN_TOKENS", 4_000)
    desk.connect("reviewed")
    allowed = calls(("decide", {"decision": "run", "reason": "Asked for."}), inputTokens=1_000)
    conversation = desk.ask(
        calls(("refund", REFUND), ("refund", {**REFUND, "amount": 2}), inputTokens=1_500), allowed
    )

    assert len(desk.called()) == 1
    assert [each["reason"] for each in desk.approvals()] == ["the review did not come to a decision"]
    assert desk.lines(conversation) != []


def test_a_conversation_that_used_its_hour_goes_to_the_team_and_another_one_is_answered(
    desk: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(errors.CONVERSATION_TOKENS_AN_HOUR, Plan.STANDARD, 5_000)
    organizations.set_plan(desk.id, Plan.STANDARD, api_limits=False, unlimited_api=False)
    conversation = desk.write("One?")
    desk.work(says("First.", inputTokens=2_000))
    desk.write("Two?")
    desk.work(says("Second.", inputTokens=2_000))
    desk.write("Three?")
    desk.work()
    desk.write("And I?", session="session-of-another")
    desk.work(says("Yes."))

    assert desk.answers(conversation)[:2] == ["First.", "Second."]
    assert desk.lines(conversation) == [
        f"{HANDED}this conversation has used up its tokens of the language model for this hour."
    ]


def test_the_next_hour_is_the_conversations_own(desk: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(errors.CONVERSATION_TOKENS_AN_HOUR, Plan.STANDARD, 4_000)
    organizations.set_plan(desk.id, Plan.STANDARD, api_limits=False, unlimited_api=False)
    conversation = desk.write("One?")
    desk.work(says("First.", inputTokens=3_000))
    later = clock.now_ms() + HOUR_MS
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    desk.write("Two?")
    desk.work(says("Second.", inputTokens=3_000))

    assert desk.answers(conversation) == ["First.", "Second."]


def test_a_run_that_waits_for_the_team_counts_in_its_conversation_once(
    desk: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.connect()
    conversation = desk.ask(ASK_REFUND)
    asked = desk.run()["tokensIn"] + desk.run()["tokensOut"]
    assert hour_tokens(desk, conversation) == asked == 853
    desk.decide("approve")
    desk.work(says("Done."))

    assert hour_tokens(desk, conversation) == 2 * 853


def hour_tokens(desk: Runs, conversation: str) -> int:
    found: dict[str, Any] = table.get(Conversation.key_for(desk.id, conversation)) or {}
    return int(found["hourTokens"])
