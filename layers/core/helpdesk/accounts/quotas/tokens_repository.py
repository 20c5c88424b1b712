"""The item that counts an organization's tokens of language models in a month, and on each of its days.

`counted` is what the month's quota limits: the tokens used, and those charged for turns that have not ended. `day07` is
the same for the seventh day. One write counts both, and the item stays below 1 KB. The quotas are constants in each
request, as for documents. The item names the plan, so that a request with another plan's fails.
"""

from datetime import UTC, datetime, timedelta
from math import ceil
from typing import NamedTuple

from helpdesk.accounts.quotas.errors import MODEL_TOKENS, MODEL_TOKENS_A_DAY, Budget, TokensSpent
from helpdesk.accounts.quotas.record import ModelUsage
from helpdesk.accounts.quotas.repository import stale
from helpdesk.api.admission.limits import Plan
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_KEPT_SECONDS = 400 * DAY_SECONDS  # a year, and the month itself


class Period(NamedTuple):
    """The month (UTC) whose quota a turn uses, such as `2026-11`, and the attribute that counts the day."""

    month: str
    day: str


def now() -> Period:
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


def charge(organization: str, plan: Plan, tokens: int) -> Period:
    """Charge tokens before they are used; return the month and day. Raises TokensSpent, StalePlan for another plan."""
    period = now()
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
        found = failed.item or {}
        if found.get("plan") != plan.value:
            raise stale(found.get("plan")) from None
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


def add_plan(organization: str, plan: Plan) -> None:
    """Begin the month with a plan, unless that was done since. One call."""
    table.update(
        ModelUsage.key_for(organization, now().month),
        "SET #plan = if_not_exists(#plan, :plan), #counted = if_not_exists(#counted, :zero), expiresAt = :later",
        names={"#counted": "counted", "#plan": "plan"},
        values={":plan": plan.value, ":zero": 0, ":later": clock.seconds_from_now(_KEPT_SECONDS)},
    )


def set_plan(transaction: Transaction, organization: str, plan: Plan) -> None:
    """Record the plan that limits this month's tokens; their number stays."""
    transaction.update(
        ModelUsage.key_for(organization, now().month),
        "SET #plan = :plan, #counted = if_not_exists(#counted, :zero), expiresAt = :later",
        names={"#counted": "counted", "#plan": "plan"},
        values={":plan": plan.value, ":zero": 0, ":later": clock.seconds_from_now(_KEPT_SECONDS)},
    )
