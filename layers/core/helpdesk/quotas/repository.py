"""The items that count an organization's knowledge documents, and its new suggestions of a day.

A condition cannot add an attribute to a number, so the quota is a constant in each request: the request assumes a plan
and requires that the item has it.
"""

from helpdesk.admission.limits import Plan
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_MS, DAY_SECONDS
from helpdesk.quotas.errors import (
    KNOWLEDGE_QUOTAS,
    MAX_FILED_SIGNALS_A_DAY,
    MAX_FILED_SIGNALS_OF_CUSTOMER_A_DAY,
    MAX_NEW_SUGGESTIONS_A_DAY,
    SignalsOfDayReached,
    SuggestionsOfDayReached,
    quota_reached,
)
from helpdesk.storage import keys, table
from helpdesk.storage.item_key import ItemKey
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

_KEEP_DAY_SECONDS = 2 * DAY_SECONDS
_NAMES = {"#plan": "plan", "#documents": "documents", "#size": "size"}


class StalePlan(Exception):
    """The organization is on another plan than the request assumed; `plan` is None if the item does not name it."""

    def __init__(self, plan: Plan | None) -> None:
        self.plan = plan
        super().__init__(plan)


class KnowledgeUsage(Record):
    """The number of documents, and the bytes of their texts together."""

    documents: int
    size: int


class Used(Record):
    """What an organization has used of its quotas: `tokens` in this month, the others on this day (UTC)."""

    knowledge: KnowledgeUsage
    tokens: int
    tokens_today: int
    suggestions: int


def usage(organization: str) -> KnowledgeUsage:
    """Return what an organization keeps. One call."""
    item = table.get(keys.KnowledgeUsage(organization)) or {}
    return KnowledgeUsage(item.get("documents", 0), item.get("size", 0))


def count_suggestion(transaction: Transaction, organization: str, at: int) -> None:
    """Count a suggestion of the instant `at` (ms). The transaction raises SuggestionsOfDayReached."""
    _count_one(transaction, _day(organization, at), MAX_NEW_SUGGESTIONS_A_DAY, SuggestionsOfDayReached())


def count_signal(transaction: Transaction, organization: str, customer_id: str, at: int) -> None:
    """Count a signal that the agent files at an instant (ms). The transaction raises SignalsOfDayReached."""
    day = str(at // DAY_MS)
    of_customer = keys.FiledSignals(organization, day, customer_id)
    reached = SignalsOfDayReached(of_customer=True)
    _count_one(transaction, of_customer, MAX_FILED_SIGNALS_OF_CUSTOMER_A_DAY, reached)
    of_all = keys.FiledSignals(organization, day, "all")
    _count_one(transaction, of_all, MAX_FILED_SIGNALS_A_DAY, SignalsOfDayReached(of_customer=False))


def _count_one(transaction: Transaction, key: ItemKey, most: int, reached: Exception) -> None:
    transaction.update(
        key,
        "ADD #count :one SET expiresAt = :later",
        condition="attribute_not_exists(#count) OR #count < :most",
        names={"#count": "count"},
        values={":one": 1, ":most": most, ":later": clock.seconds_from_now(_KEEP_DAY_SECONDS)},
        on_failure=lambda _: reached,
    )


def _day(organization: str, at: int) -> keys.SuggestionDay:
    return keys.SuggestionDay(organization, str(at // DAY_MS))


def used(organization: str, month: str, day: str) -> Used:
    """Return what an organization keeps, the tokens of a month and a day of it, and today's suggestions. One call."""
    knowledge, model = keys.KnowledgeUsage(organization), keys.ModelUsage(organization, month)
    today = _day(organization, clock.now_ms())
    found = table.get_many([knowledge, model, today])
    item, counted = found.get(knowledge, {}), found.get(model, {})
    return Used(
        KnowledgeUsage(item.get("documents", 0), item.get("size", 0)),
        tokens=counted.get("counted", 0),
        tokens_today=counted.get(day, 0),
        suggestions=found.get(today, {}).get("count", 0),
    )


def count(
    transaction: Transaction,
    organization: str,
    plan: Plan,
    *,
    documents: int,
    size: int,
    within_quota: bool = True,
) -> None:
    """Add to an organization's numbers, or take from them.

    What grows must stay within the quota of the plan. The transaction raises StalePlan, PlanUpgradeRequired or
    DocumentLimit. What shrinks is always accepted, so that a knowledge base over its quota can be reduced; what existed
    before quotas is, too, without `within_quota`.
    """
    quota = KNOWLEDGE_QUOTAS[plan]
    conditions: list[str] = []
    names = {"#documents": "documents", "#size": "size"}
    values: Item = {":documents": documents, ":size": size}
    if within_quota and documents > 0:
        conditions.append("#documents <= :otherDocuments")
        values[":otherDocuments"] = quota.documents - documents
    if within_quota and size > 0:
        conditions.append("#size <= :otherSize")
        values[":otherSize"] = quota.size - size
    if conditions:
        conditions.append("#plan = :plan")
        names["#plan"], values[":plan"] = "plan", plan.value
    transaction.update(
        keys.KnowledgeUsage(organization),
        "ADD #documents :documents, #size :size",
        condition=" AND ".join(conditions) or None,
        names=names,
        values=values,
        on_failure=lambda found: _refusal(found, plan),
    )


def set_plan(transaction: Transaction, organization: str, plan: Plan) -> None:
    """Record the plan that limits an organization's documents; their numbers stay."""
    expression, values = _plan_update(plan)
    transaction.update(keys.KnowledgeUsage(organization), expression, names=_NAMES, values=values)


def add_plan(organization: str, plan: Plan) -> None:
    """Record the plan of an organization from before quotas, unless it has been recorded since. One call."""
    expression, values = _plan_update(plan)
    expression = expression.replace("#plan = :plan", "#plan = if_not_exists(#plan, :plan)")
    table.update(keys.KnowledgeUsage(organization), expression, names=_NAMES, values=values)


def _plan_update(plan: Plan) -> tuple[str, Item]:
    return (
        "SET #plan = :plan, #documents = if_not_exists(#documents, :zero), #size = if_not_exists(#size, :zero)",
        {":plan": plan.value, ":zero": 0},
    )


def _refusal(found: Item | None, plan: Plan) -> Exception:
    seen = (found or {}).get("plan")
    if seen == plan.value:
        return quota_reached(plan)
    return stale(seen)


def stale(seen: str | None) -> StalePlan:
    """Return the error for an item that names another plan than the request assumed, or none."""
    return StalePlan(Plan(seen) if seen in list(Plan) else None)
