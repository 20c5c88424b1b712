"""The rules of tools: which the agent may call, what the organization sets, and a test call (Specification: Tools)."""

from collections.abc import Sequence
from copy import replace
from typing import NamedTuple

from helpdesk.api.admission import waits
from helpdesk.api.admission.caller import Caller, Role
from helpdesk.api.http.pages import fitting, next_cursor, position
from helpdesk.api.http.unknown_names import did_you_mean
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import ConversationArchived, ConversationNotFound
from helpdesk.customers import service as customers
from helpdesk.customers.record import MAX_EXTERNAL_ID_CHARACTERS, identity_of
from helpdesk.platform import ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import Forbidden, InvalidRequest
from helpdesk.platform.text import as_name
from helpdesk.storage import table
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from helpdesk.tools import call_log, repository, running, schema_rules
from helpdesk.tools.errors import CALL_SECONDS, MAX_OFFERED_BYTES, MAX_OFFERED_TOOLS, InvalidInput
from helpdesk.tools.json_text import canonical
from helpdesk.tools.record import Risk, Tool, ToolEndpoint, higher
from helpdesk.tools.results import CallOutcome, CallResult
from helpdesk.tools.schemas import (
    ToolAnswer,
    ToolsAnswer,
    ToolsQuery,
    ToolTestInput,
    ToolTestResult,
    ToolUpdate,
)
from helpdesk.tools.visitors import Visitor, visitor_of

_LIST = "tools"
_SHOWN_PROBLEMS = 3
_ADMINS = (Role.OWNER, Role.ADMIN)


class ForAgent(NamedTuple):
    """The enabled tools by name, and those of them that the model is offered. A call of another one may still wait."""

    enabled: dict[str, Tool]
    offered: dict[str, Tool]


def for_agent(organization: str) -> ForAgent:
    """Return the tools that the agent may call. One query."""
    stored = repository.catalog(organization)
    enabled = {name: tool for name, tool in stored.tools.items() if tool.enabled and not tool.withdrawn}
    found = offered(stored.endpoints, list(enabled.values()))
    return ForAgent(enabled, {tool.name: tool for tool in found})


def offered(endpoints: Sequence[ToolEndpoint], tools: Sequence[Tool]) -> list[Tool]:
    """Return the enabled tools that the model is offered, by name: as many as fit into one request.

    Ten endpoints can declare 640 tools with 20 MB of schemas. No model takes that, every turn would pay for it, and a
    model chooses worse among more tools.

    Those of the endpoint that was added first come first, an endpoint's own by name, and one that does not fit is left
    out. So a new endpoint never takes the place of what was offered before.
    """
    order = {endpoint.id: number for number, endpoint in enumerate(endpoints)}
    candidates = [tool for tool in tools if tool.enabled and not tool.withdrawn]
    candidates.sort(key=lambda tool: (order.get(tool.endpoint_id, len(order)), tool.name))
    found: list[Tool] = []
    room = MAX_OFFERED_BYTES
    for tool in candidates:
        size = _size(tool)
        if len(found) < MAX_OFFERED_TOOLS and size <= room:
            found.append(tool)
            room -= size
    return sorted(found, key=lambda tool: tool.name)


def _size(tool: Tool) -> int:
    return len(canonical([tool.name, tool.title, tool.description, tool.input_schema]).encode())


def listed(caller: Caller, query: ToolsQuery) -> ToolsAnswer:
    """Return a page of the organization's tools, by name, with those that wait for an admin. Raises InvalidCursor."""
    after = position(caller, query, _LIST) or ""
    stored = repository.catalog(caller.organization)
    tools = list(stored.tools.values())
    named = {tool.name for tool in offered(stored.endpoints, tools)}
    behind = sorted(
        (tool for tool in tools if (not tool.withdrawn or tool.waiting) and tool.name > after),
        key=lambda tool: tool.name,
    )
    page = [_shape(tool, offered=tool.name in named) for tool in behind[: query.limit]]
    page = page[: fitting(page)]
    end = page[-1].name if page and len(page) < len(behind) else None
    return ToolsAnswer(tools=page, next_cursor=next_cursor(caller, end, _LIST))


def _shape(tool: Tool, *, offered: bool) -> ToolAnswer:
    """Return a tool as GET /tools shows it: as it is or was in force, or a new one as it would be."""
    is_new = tool.withdrawn and not tool.is_protected
    shown = tool.waiting if is_new and tool.waiting else tool.declared
    return ToolAnswer.from_record(
        shown,
        risk=higher(shown.risk, tool.raised_risk),
        declared_risk=shown.risk,
        enabled=tool.enabled,
        in_force=not tool.withdrawn,
        offered=offered,
        endpoint_id=tool.endpoint_id,
        change_id=tool.waiting_id,
        waiting=tool.waiting,
    )


def update(caller: Caller, name: str, wanted: ToolUpdate) -> None:
    """Set whether the agent may call a tool, and the risk that applies: never below what its manifest declares.

    Raises ToolNotFound, InvalidRequest.
    """

    def attempt() -> None:
        tool = repository.get(caller.organization, name)
        raised = tool.raised_risk if wanted.risk is None else _raised(tool, wanted.risk)
        allowed = tool.enabled if wanted.enabled is None else wanted.enabled
        if (raised, allowed) == (tool.raised_risk, tool.enabled):
            return
        transaction = Transaction()
        repository.replace_tool(transaction, replace(tool, enabled=allowed, raised_risk=raised), tool)
        transaction.put(
            logs.entry(
                caller.organization,
                LogKind.TOOL_CHANGED,
                actor=caller.actor,
                summary=f"The tool {name} was changed.",
                tool=name,
                enabled=allowed,
                risk=None if raised is None else raised.value,
            )
        )
        transaction.commit()

    repeat_when_stale(attempt, ConditionFailed)


def _raised(tool: Tool, wanted: str) -> Risk | None:
    """Return the risk to store for one that is wanted; None for the declared one. Raises InvalidRequest."""
    if wanted not in set(Risk):
        raise InvalidRequest(f"`risk` must be one of {', '.join(Risk)}.{did_you_mean(wanted, Risk)}")
    risk, declared = Risk(wanted), tool.declared.risk
    if risk.rank < declared.rank:
        raise InvalidRequest(
            f"`risk` must not be lower than the manifest declares, {declared.value}. Lower it there, sync, "
            "and accept the change."
        )
    return None if risk is declared else risk


def test(caller: Caller, name: str, wanted: ToolTestInput, idempotency_key: str | None) -> ToolTestResult:
    """Call a tool once, for real, and return its answer. Nothing lands in the inbox, and the log names who did it.

    A tool whose calls another model or a person decides needs an admin. A repeat of a request that died makes the call
    again, with the same ID if both have the same `idempotency_key`. So a server that knows its calls by their IDs acts
    once.

    Raises InvalidRequest, ToolNotFound, Forbidden, InvalidInput, ConversationNotFound, ConversationArchived,
    TooManyRunning, and RateLimited while too many requests wait for other servers.
    """
    external_id = _external_id(wanted)
    tool = repository.get(caller.organization, name)
    _require_testable(caller, tool)
    value = wanted.input if wanted.input is not None else {}
    if wrong := schema_rules.input_problems(tool.input_schema, value):
        raise InvalidInput(
            f"`input` must match the tool's `inputSchema`: {'; '.join(wrong[:_SHOWN_PROBLEMS])}."
        )
    call_id = _call_id(caller, name, idempotency_key)
    if wanted.conversation_id is None:
        visitor = None if external_id is None else Visitor(external_id, None, None)
        conversation_id = ids.new("test")
        result = _call(caller, tool, value, call_id, visitor, conversation_id)
    else:
        conversation_id = wanted.conversation_id
        visitor = _visitor(caller.organization, conversation_id)
        with running.slot(caller.organization, conversation_id, call_id):
            result = _call(caller, tool, value, call_id, visitor, conversation_id)
    call_log.record(caller.organization, tool, result)
    return ToolTestResult(
        ok=result.outcome is CallOutcome.SUCCEEDED,
        result=result.result,
        error=result.error,
        risk=tool.risk,
        conversation_id=conversation_id,
    )


def _require_testable(caller: Caller, tool: Tool) -> None:
    """Raises Forbidden, InvalidRequest."""
    is_member = caller.person is not None and caller.person.role not in _ADMINS
    if is_member and tool.risk.rank >= Risk.REVIEWED.rank:
        raise Forbidden(
            f"This tool has the risk {tool.risk}. Ask an admin or owner of the organization to test it."
        )
    if not tool.enabled:
        raise InvalidRequest(
            "This tool is disabled. An admin or owner can enable it with PATCH /v1/tools/{name}."
        )


def _call_id(caller: Caller, name: str, idempotency_key: str | None) -> str:
    if idempotency_key is None:
        return ids.new("call")
    who = caller.person.id if caller.person is not None else caller.key_id
    return f"call_{sha256_hex(f'{caller.organization} {who} {name} {idempotency_key}')[:32]}"


def _external_id(wanted: ToolTestInput) -> str | None:
    if wanted.as_ is None:
        return None
    if wanted.conversation_id is not None:
        raise InvalidRequest(
            "`as` can't be combined with `conversationId`, which already identifies the visitor."
        )
    if not as_name(wanted.as_) or len(wanted.as_) > MAX_EXTERNAL_ID_CHARACTERS:
        raise InvalidRequest(f"`as` must be 1 to {MAX_EXTERNAL_ID_CHARACTERS} characters.")
    return wanted.as_


def _visitor(organization: str, conversation_id: str) -> Visitor | None:
    """Return the visitor of a conversation. Raises ConversationNotFound, ConversationArchived."""
    try:
        conversation = conversations.get(organization, conversation_id)
    except MalformedKey:
        raise ConversationNotFound from None
    if conversation.archived:
        raise ConversationArchived
    return visitor_of(identity_of(customers.find(organization, conversation.customer_id)))


def _call(
    caller: Caller,
    tool: Tool,
    value: dict[str, object],
    call_id: str,
    visitor: Visitor | None,
    conversation_id: str,
) -> CallResult:
    from helpdesk.tools import calling  # noqa: PLC0415 - aiohttp, which takes most of the start of the function

    with waits.on_others(caller.organization, caller.tier, CALL_SECONDS):
        # Before the call: one whose process dies is in the log, too.
        detail = {
            "tool": tool.name,
            "as": None if visitor is None else visitor.external_id,
            "conversationId": conversation_id,
            "callId": call_id,
        }
        summary = f"The tool {tool.name} was tested."
        entry = logs.entry(
            caller.organization, LogKind.TOOL_TESTED, actor=caller.actor, summary=summary, **detail
        )
        table.put_new(entry)
        return calling.call(
            caller.organization,
            tool,
            value,
            call_id=call_id,
            visitor=visitor,
            conversation_id=conversation_id,
            test=True,
        )
