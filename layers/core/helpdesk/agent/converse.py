"""Calls of a language model: Amazon Bedrock's Converse, one turn at a time.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html

A turn is one request and one response, without streaming. What the caller keeps between turns (`Turn.message`, the
messages made here) is plain JSON. A busy model raises ModelBusy, and the job waits in its queue: a function that sleeps
is billed.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    HTTPClientError,
    NoCredentialsError,
)
from botocore.exceptions import ConnectionError as BrokenConnection

from helpdesk.platform import clients
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime.type_defs import (
        ContentBlockTypeDef,
        ConverseResponseTypeDef,
        MessageTypeDef,
        SystemContentBlockTypeDef,
        ToolChoiceTypeDef,
        ToolConfigurationTypeDef,
        ToolTypeDef,
    )

MAX_TOKENS = 800
TEMPERATURE = 0.2

_FINISHED = {"end_turn", "stop_sequence"}

# What passes by itself: the limits of the account or the model, and failures of the service. The codes of Converse.
_BUSY = {
    "ThrottlingException",
    "ServiceUnavailableException",
    "ModelNotReadyException",
    "ModelTimeoutException",
    "ModelErrorException",
    "InternalServerException",
    "ExpiredTokenException",  # the role's next credentials are valid
}

# Model ids, after the region of an inference profile (`eu.`). Claude from 3.7 on, and 3.5 Haiku, cache tools, system
# prompt and messages; Nova caches neither tools nor a message after a tool's result. Other models refuse cache points.
# https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
_CACHES_ALL = re.compile(r"anthropic\.claude-(3-7-sonnet|3-5-haiku|(opus|sonnet|haiku)-\d)")
_CACHES_SYSTEM = re.compile(r"amazon\.nova-(micro|lite|pro|premier)-")
_CACHE_POINT: Any = {"cachePoint": {"type": "default"}}


class ModelTrouble(Exception):
    """The model did not answer; the message is the error's code."""


class ModelBusy(ModelTrouble):
    """The model is throttled, overloaded or slow. The same request may succeed later: the job returns to its queue."""


class ModelTimedOut(ModelBusy):
    """No whole answer came, though the request may have reached the model: Bedrock may charge for its tokens."""


class ModelFailed(ModelTrouble):
    """Bedrock refuses the request: no access, no such model, or a request that the model does not take.

    The same request fails again, so nobody waits: the team answers.
    """


class ToolSpec(Record):
    """A tool that the model may call: its name, when to use it, and the JSON Schema of its input."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


class ToolUse(Record):
    """A call that the model asks for.

    `input` is what the model wrote: an object if the model keeps to the schema, else any JSON value.
    """

    id: str
    name: str
    input: Any


class ToolResult(Record):
    """The result of a call, for the model: text, or an object of JSON."""

    id: str
    content: str | Mapping[str, Any]
    is_error: bool = False


class Usage(Record):
    """The tokens of a turn. `input` counts those that Bedrock read from or wrote to its cache, too."""

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0

    @property
    def total(self) -> int:
        """The tokens that were read and written."""
        return self.input + self.output


class Turn(Record):
    """What the model answered.

    `stop_reason` is Converse's own, or one that is not known yet. `text` has the text blocks, joined. `message` is the
    assistant's message, which the next request must hold before the results of its tool calls.
    """

    stop_reason: str
    text: str
    tool_uses: Sequence[ToolUse]
    usage: Usage
    message: "MessageTypeDef"

    @property
    def is_finished(self) -> bool:
        """Whether `text` is a whole answer. Otherwise it was cut off or withheld, or the model waits for results."""
        return self.stop_reason in _FINISHED and not self.tool_uses

    @property
    def wants_tools(self) -> bool:
        """Whether the model waits for the results of `tool_uses`; calls of a turn that was cut off are not whole."""
        return self.stop_reason == "tool_use" and bool(self.tool_uses)


def turn(
    model: str,
    system: str,
    messages: "Sequence[MessageTypeDef]",
    tools: Sequence[ToolSpec],
    *,
    tool_choice: "ToolChoiceTypeDef | None" = None,
    max_tokens: int = MAX_TOKENS,
    temperature: float = TEMPERATURE,
    cached: bool = True,
) -> Turn:
    """Call a model once. At most 95 s: 2 s to connect and 45 s to read, and one more try within a second.

    `messages` begin and end with the user's and alternate. `cached` sets cache points where the model has them, so that
    the next turn reads tools, system prompt and messages for a tenth of their price; writing them costs a quarter more,
    so a call that no other follows goes without. The deployment's guardrail applies, if it has one. Raises ModelBusy
    and ModelFailed.
    """
    request: dict[str, Any] = {
        "modelId": model,
        "system": _system(model, system, cached=cached),
        "messages": _messages(model, messages, cached=cached),
        "inferenceConfig": {"maxTokens": max_tokens, "temperature": temperature},
    }
    if tools:
        request["toolConfig"] = _tool_config(model, tools, tool_choice, cached=cached)
    if guardrail := settings().guardrail_id:
        request["guardrailConfig"] = {
            "guardrailIdentifier": guardrail,
            "guardrailVersion": settings().guardrail_version,
        }
    return _read(_send(request))


def user_message(text: str) -> "MessageTypeDef":
    """Return a message of the user."""
    return {"role": "user", "content": [{"text": text}]}


def results_message(results: Sequence[ToolResult]) -> "MessageTypeDef":
    """Return the user's message with the results of all calls of one turn, as Converse requires them together."""
    return {"role": "user", "content": [_result(result) for result in results]}


def _result(result: ToolResult) -> "ContentBlockTypeDef":
    content: Any = (
        # A blank text block is refused.
        {"text": result.content if result.content.strip() else "(empty)"}
        if isinstance(result.content, str)
        else {"json": dict(result.content)}
    )
    return {
        "toolResult": {
            "toolUseId": result.id,
            "content": [content],
            "status": "error" if result.is_error else "success",
        }
    }


def _send(request: dict[str, Any]) -> "ConverseResponseTypeDef":
    try:
        return clients.bedrock().converse(**request)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        is_busy = code in _BUSY or error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500
        trouble: type[ModelTrouble] = ModelBusy if is_busy else ModelFailed
        trouble = ModelTimedOut if code == "ModelTimeoutException" else trouble
    except (BrokenConnection, NoCredentialsError, CredentialRetrievalError) as error:  # nothing was sent
        code, trouble = type(error).__name__, ModelBusy
    except HTTPClientError as error:
        code, trouble = type(error).__name__, ModelTimedOut
    except BotoCoreError as error:
        code, trouble = type(error).__name__, ModelFailed
    log = logger.error if trouble is ModelFailed else logger.warning
    log("model_failed", extra={"error": code, "model": request["modelId"]})
    raise trouble(code)


def _system(model: str, text: str, *, cached: bool) -> "list[SystemContentBlockTypeDef]":
    blocks: list[SystemContentBlockTypeDef] = [{"text": text}]
    if cached and (_CACHES_ALL.search(model) or _CACHES_SYSTEM.search(model)):
        blocks.append(_CACHE_POINT)
    return blocks


def _messages(
    model: str, messages: "Sequence[MessageTypeDef]", *, cached: bool
) -> "Sequence[MessageTypeDef]":
    """Return the messages, with a cache point at the end of a run that goes on: one with a tool's result last."""
    *earlier, last = messages
    if not (cached and _CACHES_ALL.search(model) and any("toolResult" in block for block in last["content"])):
        return list(messages)
    return [*earlier, {"role": last["role"], "content": [*last["content"], _CACHE_POINT]}]


def _tool_config(
    model: str, tools: Sequence[ToolSpec], choice: "ToolChoiceTypeDef | None", *, cached: bool
) -> "ToolConfigurationTypeDef":
    entries: list[ToolTypeDef] = [_tool(tool) for tool in tools]
    if cached and _CACHES_ALL.search(model):
        entries.append(_CACHE_POINT)
    return {"tools": entries, "toolChoice": choice} if choice else {"tools": entries}


def _tool(tool: ToolSpec) -> "ToolTypeDef":
    return {
        "toolSpec": {
            "name": tool.name,
            "description": tool.description or tool.name,  # an empty description is refused
            "inputSchema": {"json": dict(tool.input_schema)},
        }
    }


def _read(response: "ConverseResponseTypeDef") -> Turn:
    """Return the response as a turn. Raises ModelTimedOut if a part is missing, as from a proxy's page of its own."""
    try:
        stopped, usage = response["stopReason"], response["usage"]
        content: Sequence[Any] = response["output"].get("message", {}).get("content", [])
        cache_read, cache_write = (
            usage.get("cacheReadInputTokens", 0),
            usage.get("cacheWriteInputTokens", 0),
        )
        spent = Usage(
            usage["inputTokens"] + cache_read + cache_write, usage["outputTokens"], cache_read, cache_write
        )
    except KeyError as error:
        logger.warning("model_response_incomplete", extra={"missing": str(error)})
        raise ModelTimedOut("IncompleteResponse") from None
    texts = [block["text"] for block in content if block.get("text", "").strip()]
    uses = [block["toolUse"] for block in content if "toolUse" in block]
    if stopped not in _FINISHED and stopped != "tool_use":
        logger.warning("model_stopped", extra={"reason": stopped})
    return Turn(
        stop_reason=stopped,
        text="\n\n".join(texts).strip(),
        tool_uses=[ToolUse(use["toolUseId"], use["name"], use.get("input")) for use in uses],
        usage=spent,
        # The model's reasoning stays out: it is not needed without its thinking mode, and its bytes are no JSON.
        message={
            "role": "assistant",
            "content": [block for block in content if block.get("text", "").strip() or "toolUse" in block],
        },
    )
