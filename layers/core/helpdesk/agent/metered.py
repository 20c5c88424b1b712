"""Turns of a model within the budgets of tokens (docs/decisions/0136)."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.quotas import service as quotas
from helpdesk.accounts.quotas.errors import Budget, TokensSpent
from helpdesk.accounts.quotas.service import NOTHING, Spent
from helpdesk.agent import converse
from helpdesk.agent.converse import ModelTimedOut, ToolSpec, Turn
from helpdesk.api.logs import service as logs
from helpdesk.platform import metrics
from helpdesk.platform.logging import logger

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime.type_defs import MessageTypeDef

_BYTES_PER_TOKEN = 3  # fewer than in any language that was measured, so the estimate is rather too high


def turn(
    organization: str,
    model: str,
    system: str,
    messages: "Sequence[MessageTypeDef]",
    tools: Sequence[ToolSpec],
    *,
    spent: Spent = NOTHING,
    max_tokens: int = converse.MAX_TOKENS,
    **options: Any,
) -> Turn:
    """Call a model once, as `converse.turn` does, and count its tokens for the organization.

    What the turn may need is charged before it, in a conditional write, so that turns at the same time stay within the
    budgets together. `spent` is what its message and conversation have used. A turn that times out is not refunded,
    because Bedrock may charge for it. Two calls of DynamoDB. Raises TokensSpent before
    the model is called; ModelBusy, ModelTimedOut, ModelFailed.
    """
    charged = max_tokens + _estimate(system, messages, tools)
    try:
        period = quotas.charge_tokens(organization, charged, organizations.plan_of, spent)
    except TokensSpent as refused:
        logger.warning(
            "model_tokens_spent", extra={"organization": organization, "budget": refused.budget.value}
        )
        if refused.budget in {Budget.DAY, Budget.MONTH}:
            metrics.count("ModelBudgetReached")
            summary = f"The agent did not ask its model: the tokens of this {refused.budget} are used up."
            logs.record_agent_limit(organization, f"model_tokens_{refused.budget}", summary)
        raise
    try:
        answered = converse.turn(model, system, messages, tools, max_tokens=max_tokens, **options)
    except ModelTimedOut:
        raise
    except Exception:
        quotas.settle_tokens(organization, period, charged, tokens_in=0, tokens_out=0)
        raise
    used = answered.usage
    quotas.settle_tokens(organization, period, charged, tokens_in=used.input, tokens_out=used.output)
    return answered


def _estimate(system: str, messages: "Sequence[MessageTypeDef]", tools: Sequence[ToolSpec]) -> int:
    """Return how many tokens the model may read."""
    schemas = [[tool.name, tool.description, tool.input_schema] for tool in tools]
    text = system + json.dumps([messages, schemas], ensure_ascii=False, default=str)
    return len(text.encode()) // _BYTES_PER_TOKEN
