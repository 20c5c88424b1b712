"""The item that counts an organization's tokens of language models in a month.

`counted` is what the quota limits: the tokens used, and those taken by turns that have not ended. The quota is a
constant in each request, as for documents. The item names the plan, so that a request with another plan's fails.
"""

from datetime import UTC, datetime

from helpdesk.admission.limits import Plan
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.quotas.errors import MODEL_TOKENS, TokensSpent
from helpdesk.quotas.repository import stale
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_KEPT_SECONDS = 400 * DAY_SECONDS  # a year, and the month itself


def month() -> str:
    """Return the month (UTC) whose quota is used now: `2026-11`."""
    return datetime.fromtimestamp(clock.now_ms() / 1000, UTC).strftime("%Y-%m")


def take(organization: str, plan: Plan, tokens: int) -> str:
    """Count tokens before they are used and return the month. Raises TokensSpent, and StalePlan for another plan."""
    now = month()
    try:
        table.update(
            keys.ModelUsage(organization, now),
            "ADD #counted :tokens",
            condition="#plan = :plan AND #counted <= :others",
            names={"#counted": "counted", "#plan": "plan"},
            values={":tokens": tokens, ":plan": plan.value, ":others": MODEL_TOKENS[plan] - tokens},
        )
    except ConditionFailed as failed:
        seen = (failed.item or {}).get("plan")
        raise TokensSpent if seen == plan.value else stale(seen) from None
    return now


def correct(organization: str, taken_in: str, taken: int, *, tokens_in: int, tokens_out: int) -> None:
    """Count the tokens that a turn used, and no longer those taken for it in a month."""
    table.update(
        keys.ModelUsage(organization, taken_in),
        "ADD #counted :difference, tokensIn :in, tokensOut :out, turns :one",
        names={"#counted": "counted"},
        values={
            ":difference": tokens_in + tokens_out - taken,
            ":in": tokens_in,
            ":out": tokens_out,
            ":one": 1 if tokens_in else 0,
        },
    )


def add_plan(organization: str, plan: Plan) -> None:
    """Begin the month with a plan, unless that was done since. One call."""
    table.update(
        keys.ModelUsage(organization, month()),
        "SET #plan = if_not_exists(#plan, :plan), #counted = if_not_exists(#counted, :zero), expiresAt = :later",
        names={"#counted": "counted", "#plan": "plan"},
        values={":plan": plan.value, ":zero": 0, ":later": clock.seconds_from_now(_KEPT_SECONDS)},
    )


def set_plan(transaction: Transaction, organization: str, plan: Plan) -> None:
    """Record the plan that limits this month's tokens; their number stays."""
    transaction.update(
        keys.ModelUsage(organization, month()),
        "SET #plan = :plan, #counted = if_not_exists(#counted, :zero), expiresAt = :later",
        names={"#counted": "counted", "#plan": "plan"},
        values={":plan": plan.value, ":zero": 0, ":later": clock.seconds_from_now(_KEPT_SECONDS)},
    )
