"""The items that count an organization's documents, its tokens of language models, and what is new in a day.

A condition cannot add an attribute to a number, so the quota is a constant in each request: the request assumes a plan
and requires that the item has it.

The tokens of a month and of each of its days are one item, below 1 KB, and one write counts both. `counted` is what the
month's quota limits: the tokens used, and those charged for turns that have not ended. `day07` is the same for the
seventh day.
"""

from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any, NamedTuple

from helpdesk.accounts.quotas.errors import (
    KNOWLEDGE_QUOTAS,
    MAX_FILED_SIGNALS_A_DAY,
    MAX_FILED_SIGNALS_OF_CUSTOMER_A_DAY,
    MAX_NEW_SUGGESTIONS_A_DAY,
    MODEL_TOKENS,
    MODEL_TOKENS_A_DAY,
    Budget,
    SignalsOfDayReached,
    SuggestionsOfDayReached,
    TokensSpent,
    quota_reached,
)
from helpdesk.accounts.quotas.record import FiledSignals, KnowledgeUsage, ModelUsage, SuggestionDay
from helpdesk.api.admission.limits import Plan
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_MS, DAY_SECONDS
from helpdesk.storage import table
from helpdesk.storage.changes import below
from helpdesk.storage.stored import Key
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_KEEP_DAY_SECONDS = 2 * DAY_SECONDS
_KEEP_MONTH_SECONDS = 400 * DAY_SECONDS  # a year, and the month itself


class StalePlan(Exception):
    """The organization is on another plan than the request assumed: `plan`."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        super().__init__(plan)


class MonthNotBegun(Exception):
    """No turn of a model has used tokens in this month, so its item doesn't name the plan yet."""


class Used(Record):
    """What an organization has used of its quotas: `tokens` in this month, the others on this day (UTC)."""

    knowledge: KnowledgeUsage
    tokens: int
    tokens_today: int
    suggestions: int


def count_suggestion(transaction: Transaction, organization: str, at: int) -> None:
    """Count a suggestion of the instant `at` (ms). The transaction raises SuggestionsOfDayReached."""
    _count_one(transaction, _day(organization, at), MAX_NEW_SUGGESTIONS_A_DAY, SuggestionsOfDayReached())


def count_signal(transaction: Transaction, organization: str, customer_id: str, at: int) -> None:
    """Count a signal that the agent files at an instant (ms). The transaction raises SignalsOfDayReached."""
    day = str(at // DAY_MS)
    of_customer = FiledSignals.key_for(organization, day, customer_id)
    reached = SignalsOfDayReached(of_customer=True)
    _count_one(transaction, of_customer, MAX_FILED_SIGNALS_OF_CUSTOMER_A_DAY, reached)
    of_all = FiledSignals.key_for(organization, day, "all")
    _count_one(transaction, of_all, MAX_FILED_SIGNALS_A_DAY, SignalsOfDayReached(of_customer=False))


def _count_one(transaction: Transaction, key: Key, most: int, reached: Exception) -> None:
    transaction.change(
        key,
        set={"expires_at": clock.seconds_from_now(_KEEP_DAY_SECONDS)},
        add={"count": 1},
        require={"count": below(most)},
        or_new=True,
        on_failure=reached,
    )


def _day(organization: str, at: int) -> Key:
    return SuggestionDay.key_for(organization, str(at // DAY_MS))


def used(organization: str, month: str, day: str) -> Used:
    """Return what an organization keeps, the tokens of a month and a day of it, and today's suggestions. One call."""
    knowledge, model = KnowledgeUsage.key_for(organization), ModelUsage.key_for(organization, month)
    today = _day(organization, clock.now_ms())
    found = table.get_many([knowledge, model, today])
    counted = found.get(model, {})
    return Used(
        KnowledgeUsage.from_item(found[knowledge]),
        tokens=counted.get("counted", 0),
        tokens_today=counted.get(day, 0),
        suggestions=found.get(today, {}).get("count", 0),
    )


def count(transaction: Transaction, organization: str, plan: Plan, *, documents: int, size: int) -> None:
    """Add to an organization's numbers, or take from them.

    What grows must stay within the quota of the plan. The transaction raises StalePlan, PlanUpgradeRequired or
    DocumentLimit. What shrinks is always accepted, so that a knowledge base over its quota can be reduced.
    """
    quota = KNOWLEDGE_QUOTAS[plan]
    require: dict[str, Any] = {}
    if documents > 0:
        require["documents"] = below(quota.documents - documents + 1)
    if size > 0:
        require["size"] = below(quota.size - size + 1)
    if require:
        require["plan"] = plan
    transaction.change(
        KnowledgeUsage.key_for(organization),
        add={"documents": documents, "size": size},
        require=require,
        on_failure=lambda found: _refusal(found or {}, plan),
    )


def set_plan(transaction: Transaction, organization: str, plan: Plan) -> None:
    """Record the plan that limits an organization's documents; their numbers stay."""
    transaction.update(
        KnowledgeUsage.key_for(organization),
        "SET #plan = :plan, #documents = if_not_exists(#documents, :zero), #size = if_not_exists(#size, :zero)",
        names={"#plan": "plan", "#documents": "documents", "#size": "size"},
        values={":plan": plan.value, ":zero": 0},
    )


def _refusal(found: Item, plan: Plan) -> Exception:
    seen = Plan(found["plan"])
    return quota_reached(plan) if seen is plan else StalePlan(seen)


class Period(NamedTuple):
    """The month (UTC) whose quota a turn uses, such as `2026-11`, and the attribute that counts the day."""

    month: str
    day: str


def period_now() -> Period:
    """Return the month and the day (UTC) of this moment."""
    instant = _now()
    return Period(instant.strftime("%Y-%m"), instant.strftime("day%d"))


def seconds_left(budget: Budget) -> int:
    """Return the seconds until the next day (UTC), or for the month's budget until the next month."""
    instant = _now()
    today = instant.replace(hour=0, minute=0, second=0, microsecond=0)
    next_month = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
    end = next_month if budget is Budget.MONTH else today + timedelta(days=1)
    return ceil((end - instant).total_seconds())


def _now() -> datetime:
    return datetime.fromtimestamp(clock.now_ms() / 1000, UTC)


def charge_tokens(organization: str, plan: Plan, tokens: int) -> Period:
    """Charge tokens before they are used; return the month and day.

    Raises TokensSpent, StalePlan for another plan, and MonthNotBegun.
    """
    period = period_now()
    most, most_today = MODEL_TOKENS[plan] - tokens, MODEL_TOKENS_A_DAY[plan] - tokens
    # A day that has begun with no turn yet has no number.
    fits_today = (
        "(attribute_not_exists(#day) OR #day <= :othersToday)" if most_today >= 0 else "#day <= :othersToday"
    )
    try:
        table.update(
            ModelUsage.key_for(organization, period.month),
            "ADD #counted :tokens, #day :tokens",
            condition=f"#plan = :plan AND #counted <= :others AND {fits_today}",
            names={"#counted": "counted", "#plan": "plan", "#day": period.day},
            values={
                ":tokens": tokens,
                ":plan": plan.value,
                ":others": most,
                ":othersToday": most_today,
            },
        )
    except ConditionFailed as failed:
        found = failed.item
        if found is None:
            raise MonthNotBegun from None
        if found["plan"] != plan.value:
            raise StalePlan(Plan(found["plan"])) from None
        raise TokensSpent(Budget.MONTH if found["counted"] > most else Budget.DAY) from None
    return period


def settle_tokens(
    organization: str, period: Period, charged: int, *, tokens_in: int, tokens_out: int
) -> None:
    """Count the tokens that a turn used in place of those charged for it in a month and on a day."""
    table.update(
        ModelUsage.key_for(organization, period.month),
        "ADD #counted :difference, #day :difference, tokensIn :in, tokensOut :out, turns :one",
        names={"#counted": "counted", "#day": period.day},
        values={
            ":difference": tokens_in + tokens_out - charged,
            ":in": tokens_in,
            ":out": tokens_out,
            ":one": 1 if tokens_in else 0,
        },
    )


def begin_month(organization: str, plan: Plan) -> None:
    """Begin the month with a plan, unless that was done since. One call."""
    table.update(
        ModelUsage.key_for(organization, period_now().month),
        "SET #plan = if_not_exists(#plan, :plan), #counted = if_not_exists(#counted, :zero), expiresAt = :later",
        names={"#counted": "counted", "#plan": "plan"},
        values={":plan": plan.value, ":zero": 0, ":later": clock.seconds_from_now(_KEEP_MONTH_SECONDS)},
    )


def set_token_plan(transaction: Transaction, organization: str, plan: Plan) -> None:
    """Record the plan that limits this month's tokens; their number stays."""
    transaction.update(
        ModelUsage.key_for(organization, period_now().month),
        "SET #plan = :plan, #counted = if_not_exists(#counted, :zero), expiresAt = :later",
        names={"#counted": "counted", "#plan": "plan"},
        values={":plan": plan.value, ":zero": 0, ":later": clock.seconds_from_now(_KEEP_MONTH_SECONDS)},
    )
