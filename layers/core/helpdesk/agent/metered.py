"""Turns of a model within the organization's monthly quota of tokens (docs/decisions/0136)."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from helpdesk.agent import converse
from helpdesk.agent.converse import ModelTimedOut, ToolSpec, Turn
from helpdesk.organizations import service as organizations
from helpdesk.quotas import service as quotas

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
    max_tokens: int = converse.MAX_TOKENS,
    **options: Any,
) -> Turn:
    """Call a model once, as `converse.turn` does, and count its tokens for the organization.

    What the turn may need is taken before it, in a conditional write, so that turns at the same time stay within the
    quota together. A turn that timed out counts as what was taken for it, because Bedrock may charge for it. Two calls
    of DynamoDB. Raises TokensSpent before the model is called; ModelBusy, ModelTimedOut, ModelFailed.
    """
    taken = max_tokens + _estimate(system, messages, tools)
    month = quotas.take_tokens(organization, taken, organizations.plan_of)
    try:
        answered = converse.turn(model, system, messages, tools, max_tokens=max_tokens, **options)
    except ModelTimedOut:
        raise
    except Exception:
        quotas.return_tokens(organization, month, taken, tokens_in=0, tokens_out=0)
        raise
    spent = answered.usage
    quotas.return_tokens(organization, month, taken, tokens_in=spent.input, tokens_out=spent.output)
    return answered


def _estimate(system: str, messages: "Sequence[MessageTypeDef]", tools: Sequence[ToolSpec]) -> int:
    """Return how many tokens the model may read."""
    schemas = [[tool.name, tool.description, tool.input_schema] for tool in tools]
    text = system + json.dumps([messages, schemas], ensure_ascii=False, default=str)
    return len(text.encode()) // _BYTES_PER_TOKEN
