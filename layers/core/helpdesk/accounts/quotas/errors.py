"""Errors of quotas, and the quotas of each plan (docs/decisions/0117) and of each day."""

from enum import StrEnum
from typing import NamedTuple

from helpdesk.api.admission.limits import Plan
from helpdesk.platform.errors import AppError, BadRequestError


class KnowledgeQuota(NamedTuple):
    """How many documents an organization may keep, and how many bytes of text they may have together."""

    documents: int
    size: int


KNOWLEDGE_QUOTAS = {
    Plan.EXPLORE: KnowledgeQuota(documents=100, size=20_000_000),
    Plan.STANDARD: KnowledgeQuota(documents=2_000, size=200_000_000),
    Plan.PRO: KnowledgeQuota(documents=20_000, size=2_000_000_000),
}
HIGHEST_PLAN = Plan.PRO
MAX_NEW_SUGGESTIONS_A_DAY = 20
"""On every plan. A day begins at midnight UTC."""

MAX_FILED_SIGNALS_A_DAY = 50
MAX_FILED_SIGNALS_OF_CUSTOMER_A_DAY = 3
"""How many signals the agent files, on every plan: for the organization, and for one customer."""

MODEL_TOKENS = {Plan.EXPLORE: 1_000_000, Plan.STANDARD: 25_000_000, Plan.PRO: 250_000_000}
"""The tokens of language models, in and out together, that each plan includes in a calendar month (UTC)."""

MODEL_TOKENS_A_DAY = {plan: 2 * tokens // 30 for plan, tokens in MODEL_TOKENS.items()}
"""How many of them one day (UTC) can use: twice a thirtieth of the month's."""

CONVERSATION_TOKENS_AN_HOUR = {plan: min(120_000, tokens // 2) for plan, tokens in MODEL_TOKENS_A_DAY.items()}
"""How many of them one conversation can use in a clock hour, so that no visitor uses up a day alone."""

RUN_TOKENS = 60_000
"""How many of them the agent can use for one message of a visitor, the reviews of its calls included."""


class Budget(StrEnum):
    """What limits the tokens of language models."""

    MESSAGE = "message"
    CONVERSATION = "conversation"
    DAY = "day"
    MONTH = "month"


class TokensSpent(Exception):
    """A turn of a model does not fit into a budget; the agent hands over to the team (docs/decisions/0136)."""

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget.value)
        self.budget = budget


class BudgetExceeded(AppError):
    """A budget of the plan is used up."""

    status, code = 429, "budget_exceeded"
    message = (
        "Today's budget of model tokens is used up. Wait for the seconds in Retry-After, or ask your operator to "
        "change the plan. GET /v1/billing/limits shows the budgets."
    )


class PlanUpgradeRequired(BadRequestError):
    """The plan does not include this, or its quota is reached and a higher plan has a larger one."""

    code = "upgrade_required"
    message = (
        "The knowledge base has reached the quota of your plan. Delete documents, or ask your operator to change the "
        "plan. GET /v1/billing/limits shows the quota."
    )


class DocumentLimit(BadRequestError):
    code = "document_limit"
    message = (
        "The knowledge base has reached its maximum size. Delete documents first. GET /v1/billing/limits shows "
        "the quota."
    )


class SuggestionsOfDayReached(Exception):
    """The organization has reached its daily limit of new suggestions."""


class SignalsOfDayReached(Exception):
    """The agent has reached its daily limit of filed signals, in all or for one customer (`of_customer`)."""

    def __init__(self, *, of_customer: bool) -> None:
        super().__init__()
        self.of_customer = of_customer


def quota_reached(plan: Plan) -> AppError:
    """Return the error for a knowledge base that is full on a plan; its message has the plan's numbers."""
    quota = KNOWLEDGE_QUOTAS[plan]
    most = f"{quota.documents:,} documents with {quota.size // 1_000_000:,} MB of text together"
    if plan is HIGHEST_PLAN:
        return DocumentLimit(f"The knowledge base can hold at most {most}. Delete documents first.")
    return PlanUpgradeRequired(
        f"The {plan.capitalize()} plan allows up to {most}. Delete documents, or ask your operator to change the plan."
    )


KNOWLEDGE_IS_FULL = (PlanUpgradeRequired, DocumentLimit)
"""What adding a document raises where the quota is reached."""
