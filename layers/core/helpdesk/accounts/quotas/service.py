"""The rules of quotas: counting what an organization keeps, by the plan that this process last saw."""

from collections.abc import Callable
from typing import NamedTuple

from helpdesk.accounts.quotas import repository
from helpdesk.accounts.quotas.errors import (
    CONVERSATION_TOKENS_AN_HOUR,
    HIGHEST_PLAN,
    RUN_TOKENS,
    Budget,
    BudgetExceeded,
    TokensSpent,
)
from helpdesk.accounts.quotas.repository import (
    MonthNotBegun,
    Period,
    StalePlan,
    Used,
    count_signal,
    count_suggestion,
    set_plan,
    settle_tokens,
)
from helpdesk.api.admission.limits import Plan
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction

__all__ = [
    "NOTHING",
    "Period",
    "Spent",
    "StalePlan",
    "Used",
    "budget_exceeded",
    "change_plan",
    "charge_tokens",
    "count_documents",
    "count_signal",
    "count_suggestion",
    "set_plan",
    "settle_tokens",
    "uncount_documents",
    "used",
    "with_plan",
]

_MOST_REMEMBERED = 10_000
_plans: dict[str, Plan] = {}


def with_plan[T](organization: str, work: Callable[[Plan], T]) -> T:
    """Run work that is within a quota, with the organization's plan.

    The plan is the one that this process saw last, the highest before that. If it is another, the work raises StalePlan
    and runs again: one more call. Raises Conflict, and what the work raises.
    """
    plan = _plans.get(organization, HIGHEST_PLAN)

    def attempt() -> T:
        nonlocal plan
        try:
            return work(plan)
        except StalePlan as stale:
            plan = stale.plan
            if len(_plans) >= _MOST_REMEMBERED:
                _plans.clear()
            _plans[organization] = plan
            raise

    return repeat_when_stale(attempt, StalePlan)


class Spent(NamedTuple):
    """The tokens that a visitor's message has used so far, and its conversation in this hour, those included."""

    message: int = 0
    conversation: int = 0


NOTHING = Spent()


def charge_tokens(
    organization: str, tokens: int, plan_of: Callable[[str], Plan], spent: Spent = NOTHING
) -> Period:
    """Charge the tokens that a turn of a model may need; return the month and day, for `settle_tokens`.

    They must fit into what is left for the message, the conversation's hour, the day and the month. One call; one more
    if the process saw another plan last, and two more in the month's first turn. Raises TokensSpent, and Conflict.
    """
    if spent.message + tokens > RUN_TOKENS:
        raise TokensSpent(Budget.MESSAGE)

    def charge(plan: Plan) -> Period:
        if spent.conversation + tokens > CONVERSATION_TOKENS_AN_HOUR[plan]:
            # Nothing has checked the plan yet.
            present = plan_of(organization)
            raise TokensSpent(Budget.CONVERSATION) if present is plan else StalePlan(present)
        try:
            return repository.charge_tokens(organization, plan, tokens)
        except MonthNotBegun:
            present = plan_of(organization)
            repository.begin_month(organization, present)
            raise StalePlan(present) from None

    return with_plan(organization, charge)


def budget_exceeded(spent: TokensSpent) -> BudgetExceeded:
    """Return the error for a caller whose request would ask a model."""
    message = None
    if spent.budget is Budget.MONTH:
        message = (
            "This month's model tokens are used up. Wait for the seconds in Retry-After, or ask your operator to "
            "change the plan. GET /v1/billing/limits shows the budgets."
        )
    return BudgetExceeded(message, headers={"retry-after": str(repository.seconds_left(spent.budget))})


def count_documents(
    transaction: Transaction, organization: str, plan: Plan, *, documents: int, size: int
) -> None:
    """Add documents and bytes of text to the organization's numbers within its quota; what shrinks always fits.

    For the work of `with_plan`. The transaction raises PlanUpgradeRequired or DocumentLimit.
    """
    if documents or size:
        repository.count(transaction, organization, plan, documents=documents, size=size)


def uncount_documents(transaction: Transaction, organization: str, *, documents: int, size: int) -> None:
    """Take documents and bytes of text from the organization's numbers."""
    if documents or size:
        repository.count(transaction, organization, HIGHEST_PLAN, documents=-documents, size=-size)


def change_plan(transaction: Transaction, organization: str, plan: Plan) -> None:
    """Apply another plan's quotas from the commit of the transaction on, that of this month's tokens included."""
    set_plan(transaction, organization, plan)
    repository.set_token_plan(transaction, organization, plan)


def used(organization: str) -> Used:
    """Return what the organization has used of its quotas. One call."""
    return repository.used(organization, *repository.period_now())
