"""The tokens of language models: counted for each answer and for the month, and limited by the plan."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.quotas import errors
from helpdesk.accounts.quotas import service as quotas
from helpdesk.accounts.quotas.errors import Budget, TokensSpent
from helpdesk.agent import metered
from helpdesk.agent.converse import ModelBusy, ModelTimedOut, user_message
from helpdesk.agent.reasons import Reason
from helpdesk.api.admission.limits import Plan
from helpdesk.conversations.record import Conversation
from helpdesk.knowledge import retrieval
from helpdesk.platform import clock, metrics
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from tests.integration.agent.conftest import Desk
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.converse import HANGS, THROTTLED, refuses, says, scripted
from tests.support.interleaving import interleaved

type Make = Callable[..., NewOrganization]
MODEL = "anthropic.claude-3-5-haiku-20241022-v1:0"


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_MODEL_ID", MODEL)
    monkeypatch.setattr(retrieval, "find", lambda *_, **__: [])
    settings.cache_clear()
    quotas._plans.clear()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the plans allow 2,000, 4,000 and 6,000 tokens a month, all of them on one day."""
    for number, plan in enumerate(Plan, start=1):
        monkeypatch.setitem(errors.MODEL_TOKENS, plan, number * 2_000)
        monkeypatch.setitem(errors.MODEL_TOKENS_A_DAY, plan, number * 2_000)


def ask(organization: str, max_tokens: int = 800) -> str:
    turn = metered.turn(organization, MODEL, "Be Robin.", [user_message("Hi")], [], max_tokens=max_tokens)
    return turn.text


def used(made: NewOrganization, budget: str = "tokens") -> dict[str, int]:
    shown: dict[str, int] = Client(made.secret_key).get("/v1/billing/limits").body["model"][budget]
    return shown


def test_each_plan_has_its_tokens() -> None:
    assert errors.MODEL_TOKENS == {
        Plan.EXPLORE: 1_000_000,
        Plan.STANDARD: 25_000_000,
        Plan.PRO: 250_000_000,
    }
    assert errors.MODEL_TOKENS_A_DAY == {
        Plan.EXPLORE: 66_666,
        Plan.STANDARD: 1_666_666,
        Plan.PRO: 16_666_666,
    }
    assert errors.CONVERSATION_TOKENS_AN_HOUR == {
        Plan.EXPLORE: 33_333,
        Plan.STANDARD: 120_000,
        Plan.PRO: 120_000,
    }


def test_an_answer_keeps_its_tokens_and_the_month_counts_them(desk: Desk) -> None:
    job = desk.write("How long does a refund take?")
    with scripted(says("Five days.", inputTokens=700, cacheReadInputTokens=100, outputTokens=20)):
        assert desk.work(job) == []

    [_, answer] = table.query_all(
        Conversation.key_for(desk.organization, job["conversationId"]).pk, sk_prefix="MSG#"
    )
    assert (answer["body"], answer["tokensIn"], answer["tokensOut"]) == ("Five days.", 800, 20)
    assert desk.api.get("/v1/billing/limits").body["model"]["tokens"]["used"] == 820
    shown = desk.thread(job["conversationId"])[1]
    assert "tokensIn" not in shown


def test_past_the_quota_the_team_answers_and_no_model_is_asked(desk: Desk, small: None) -> None:
    organizations.set_plan(desk.organization, Plan.EXPLORE, api_limits=False, unlimited_api=False)
    first, second = (
        desk.write("How long does a refund take?"),
        desk.write("And by bank?", session="another-visitor"),
    )
    with scripted(says("Five days.", inputTokens=1_500)):
        assert desk.work(first) == []
        assert desk.work(second) == []

    conversation = desk.conversation(second["conversationId"])
    assert conversation["handledBy"] == "team"
    assert Reason.TOKENS_SPENT.value in desk.thread(second["conversationId"])[-1]["body"]


def test_a_caller_who_asks_a_model_past_a_budget_reads_when_to_ask_again(desk: Desk, small: None) -> None:
    noon = datetime(2026, 11, 29, 12, tzinfo=UTC)
    organizations.set_plan(desk.organization, Plan.EXPLORE, api_limits=False, unlimited_api=False)
    with clock.frozen(lambda: int(noon.timestamp() * 1_000_000)):
        quotas.charge_tokens(desk.organization, 1_500, organizations.plan_of)
        refused = desk.api.post("/v1/agent/test", {"question": "How long?"})
        assert (refused.status, refused.body["error"]["code"]) == (429, "budget_exceeded")
        assert "month" in refused.body["error"]["message"]
        assert refused.headers["retry-after"] == str(36 * 3_600)

        errors.MODEL_TOKENS[Plan.EXPLORE] = 1_000_000
        refused = desk.api.post("/v1/agent/test", {"question": "How long?"})
        assert "Today" in refused.body["error"]["message"]
        assert refused.headers["retry-after"] == str(12 * 3_600)


@pytest.mark.parametrize(
    ("budget", "plan", "room"),
    [
        (Budget.MESSAGE, Plan.PRO, 60_000),
        (Budget.CONVERSATION, Plan.EXPLORE, 33_333),
        (Budget.DAY, Plan.EXPLORE, 1_000),
        (Budget.MONTH, Plan.EXPLORE, 1_000),
    ],
)
def test_a_turn_can_fill_each_budget_and_one_token_more_is_refused_in_its_name(
    make_organization: Make, monkeypatch: pytest.MonkeyPatch, budget: Budget, plan: Plan, room: int
) -> None:
    if budget is Budget.DAY:
        monkeypatch.setitem(errors.MODEL_TOKENS_A_DAY, plan, room)
    if budget is Budget.MONTH:
        monkeypatch.setitem(errors.MODEL_TOKENS, plan, room)
    place = make_organization(plan).organization_id

    with pytest.raises(TokensSpent) as refused:
        quotas.charge_tokens(place, room + 1, organizations.plan_of)
    quotas.charge_tokens(place, room, organizations.plan_of)

    assert refused.value.budget is budget
    assert quotas.used(place).tokens == room


@pytest.mark.parametrize("budget", [errors.MODEL_TOKENS, errors.MODEL_TOKENS_A_DAY], ids=["month", "day"])
def test_turns_at_the_same_time_stay_within_a_budget_together(
    make_organization: Make, monkeypatch: pytest.MonkeyPatch, budget: dict[Plan, int]
) -> None:
    monkeypatch.setitem(budget, Plan.EXPLORE, 2_000)
    made = make_organization(Plan.EXPLORE)
    place = made.organization_id
    ended: list[str] = []

    def turn() -> None:
        try:
            ended.append(ask(place, max_tokens=700))
        except TokensSpent:
            ended.append("spent")

    with scripted() as model:
        model.script(*[lambda _: says("Hello.", inputTokens=100, outputTokens=600)] * 5)
        interleaved([turn] * 5, seed=7).all()
        answered = ended.count("Hello.")
        del model.replies[: 5 - answered]

    assert ended.count("spent") == 5 - answered
    assert answered == 2
    assert [used(made, each)["used"] for each in ("tokens", "tokensToday")] == [1_400, 1_400]


def test_a_busy_model_costs_nothing(make_organization: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    made = make_organization(Plan.STANDARD)
    with scripted(THROTTLED, THROTTLED), pytest.raises(ModelBusy):
        ask(made.organization_id)

    assert used(made) == {"used": 0, "limit": 25_000_000}


def test_a_turn_that_timed_out_counts_as_what_was_taken_for_it(
    make_organization: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    made = make_organization(Plan.STANDARD)
    with scripted(HANGS, HANGS), pytest.raises(ModelTimedOut):
        ask(made.organization_id, max_tokens=700)

    assert 700 < used(made)["used"] < 800


def test_a_model_that_refuses_the_request_hands_over_at_once(desk: Desk) -> None:
    job = desk.write("How long does a refund take?")
    with scripted(refuses("AccessDeniedException")):
        assert desk.work(job) == []

    assert desk.conversation(job["conversationId"])["handledBy"] == "team"
    assert Reason.MODEL_FAILED.value in desk.thread(job["conversationId"])[-1]["body"]


def test_a_throttled_message_stays_in_the_queue_and_the_next_try_answers_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    job = desk.write("How long does a refund take?")
    with scripted(THROTTLED, THROTTLED, says("Five days.")):
        assert desk.work(job) == ["message-0"]
        assert desk.answers(job["conversationId"]) == []
        assert desk.work(job, receives=2) == []
    assert desk.answers(job["conversationId"]) == ["Five days."]


def test_another_plan_has_its_quota_at_once_and_another_month_its_own(
    make_organization: Make, small: None
) -> None:
    made = make_organization(Plan.EXPLORE)
    place = made.organization_id
    with scripted(*[says("Hello.", inputTokens=1_500)] * 3):
        ask(place)
        with pytest.raises(TokensSpent):
            ask(place)
        organizations.set_plan(place, Plan.STANDARD, api_limits=False, unlimited_api=False)
        ask(place)
        assert used(made) == {"used": 3_082, "limit": 4_000}
        month_later = clock.now_us() + 32 * 86_400_000_000
        with clock.frozen(lambda: month_later):
            ask(place)
            assert quotas.used(place).tokens == 1_541


def test_another_day_has_a_budget_of_its_own(
    make_organization: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(errors.MODEL_TOKENS_A_DAY, Plan.STANDARD, 2_000)
    made = make_organization(Plan.STANDARD)
    late = datetime(2026, 11, 7, 23, 59, 59, tzinfo=UTC)
    with scripted(says("Hello.", inputTokens=1_500), says("Hello.", inputTokens=100)):
        with clock.frozen(lambda: int(late.timestamp() * 1_000_000)):
            ask(made.organization_id)
            with pytest.raises(TokensSpent, match="day"):
                ask(made.organization_id)
            assert used(made, "tokensToday") == {"used": 1_541, "limit": 2_000}
        with clock.frozen(lambda: int(late.timestamp() * 1_000_000) + 1_000_000):
            ask(made.organization_id)
            assert used(made, "tokensToday") == {"used": 141, "limit": 2_000}
            assert used(made)["used"] == 1_682


def test_a_refusal_for_the_day_counts_for_the_alarm(
    make_organization: Make, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    monkeypatch.setattr(metrics, "count", counted.append)
    with pytest.raises(TokensSpent):
        ask(make_organization(Plan.EXPLORE).organization_id, max_tokens=2_000)
    with pytest.raises(TokensSpent):
        ask(make_organization(Plan.PRO).organization_id, max_tokens=60_000)

    assert counted == ["ModelBudgetReached"]


def test_a_turn_costs_two_calls_of_the_table(make_organization: Make) -> None:
    made = make_organization(Plan.PRO)
    with scripted(says("Hello."), says("Hello.")):
        ask(made.organization_id)  # the first of a month reads the plan
        with recorded_calls() as calls:
            ask(made.organization_id)
    assert calls == ["dynamodb:UpdateItem", "dynamodb:UpdateItem"]
