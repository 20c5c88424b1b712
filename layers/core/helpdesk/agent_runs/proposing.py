"""Turns what the model asks for into calls: which of them may be made, and what has to be decided before.

The model's word decides nothing here. A call that is not possible gets an error as its result, which the model reads.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import asdict

from helpdesk.agent.converse import ToolUse
from helpdesk.agent_runs.prompts import BUILT_IN, FILE_SIGNAL
from helpdesk.agent_runs.record import Call
from helpdesk.agent_runs.state import CallState
from helpdesk.customers.record import Identity
from helpdesk.platform import ids
from helpdesk.tools import json_text, schema_rules
from helpdesk.tools.record import Risk, Tool
from helpdesk.tools.visitors import visitor_of

MAX_INVALID_INPUTS = 2
"""How many inputs that do not fit go back to the model; the next one goes to the team."""

_STARTS: Mapping[Risk, CallState] = {
    Risk.LOW: CallState.READY,
    Risk.MEDIUM: CallState.READY,
    Risk.REVIEWED: CallState.REVIEWING,
    Risk.HIGH: CallState.WAITING,
}
_NO_TOOL = "There is no tool of this name."
_NOT_KNOWN = (
    "This tool can only be called for a visitor whom the organization knows. Ask them to sign in or to give their "
    "e-mail address, or hand over to the team."
)
_UNKNOWN_BEFORE = (
    "The same call was made before, and it is not known whether it was done. It is not made again."
)
_WAITS_ALREADY = "The same call waits for the team already. Do not ask for it again."
_ASKED_TWICE = "The same call was asked for twice at once. It is made once; see the other result."


_ONE_SIGNAL = "One signal is filed for each message of the visitor. See the other result."


class Proposed(NamedTuple):
    """The calls of one turn, in its order.

    `invalid` is how many inputs did not fit. `goes_to_team` is set where an input is no object at all, or cannot be
    sent as JSON: such a call fails closed to a person.
    """

    calls: list[Call]
    invalid: int
    goes_to_team: bool


def propose(
    uses: Sequence[ToolUse],
    tools: Mapping[str, Tool],
    *,
    built_in: Collection[str],
    earlier: Sequence[Call],
    waiting: Sequence[tuple[str, str]],
    identity: Identity,
) -> Proposed:
    """Return the calls that the model asks for.

    `built_in` names the tools of this service that were offered. `earlier` are the calls of the run so far, `waiting`
    tool and input of those of the conversation that wait for the team. `identity` is who the visitor is now.
    """
    calls: list[Call] = []
    invalid = 0
    for use in uses:
        if not isinstance(use.input, dict) or not _can_be_sent(use.input):
            return Proposed([], invalid, goes_to_team=True)
        tool = None if use.name in BUILT_IN else tools.get(use.name)
        call = _new(use, tool, identity)
        problem, is_invalid = None, False
        if use.name == FILE_SIGNAL and any(each.tool == FILE_SIGNAL for each in calls):
            calls.append(_rejected(call, _ONE_SIGNAL))  # two at once would not see each other
            continue
        if use.name not in built_in:
            problem, is_invalid = _problem(call, tool, [*earlier, *calls], waiting)
        invalid += is_invalid
        calls.append(call if problem is None else _rejected(call, problem))
    return Proposed(calls, invalid, goes_to_team=False)


def _can_be_sent(value: dict[str, Any]) -> bool:
    """Return whether an input can be stored and sent: text in Unicode, numbers that are finite."""
    try:
        json_text.canonical(value).encode()
    except (ValueError, RecursionError):
        return False
    return True


def _new(use: ToolUse, tool: Tool | None, identity: Identity) -> Call:
    risk = Risk.LOW if tool is None else tool.risk
    return Call(
        id=ids.new("call"),
        use_id=use.id,
        tool=use.name,
        title=use.name if tool is None or not tool.title else tool.title,
        # As it is written here it is shown, approved and sent.
        input=json.dumps(use.input, ensure_ascii=False, separators=(",", ":")),
        state=_STARTS[risk],
        risk=risk,
        endpoint_id="" if tool is None else tool.endpoint_id,
        definition="" if tool is None else tool.definition,
        identity=identity,
    )


def _problem(
    call: Call,
    tool: Tool | None,
    earlier: Sequence[Call],
    waiting: Sequence[tuple[str, str]],
) -> tuple[str | None, bool]:
    """Return why a call is not possible, and whether that is its input."""
    if tool is None:
        return _NO_TOOL, False
    if wrong := schema_rules.input_problems(tool.input_schema, call.input_value):
        return f"The input does not fit: {' '.join(wrong)}", True
    if tool.requires_identity and visitor_of(call.identity) is None:
        return _NOT_KNOWN, False
    return _asked_before(call, earlier, waiting), False


def _asked_before(call: Call, earlier: Sequence[Call], waiting: Sequence[tuple[str, str]]) -> str | None:
    """Return why a call is not made because the same one was asked for, or None."""
    asked = _form(call.input)
    same = [each for each in earlier if each.tool == call.tool and _form(each.input) == asked]
    if any(each.state is CallState.UNKNOWN for each in same):
        return _UNKNOWN_BEFORE
    waits = any(tool == call.tool and _form(given) == asked for tool, given in waiting)
    if waits or any(each.state is CallState.WAITING for each in same):
        return _WAITS_ALREADY
    return _ASKED_TWICE if any(not each.state.has_result for each in same) else None


def _form(text: str) -> str:
    """Return the one text of all inputs that mean the same: in another order of names, or with 12.0 in place of 12."""
    return json_text.canonical(json.loads(text, parse_float=_number))


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _rejected(call: Call, problem: str) -> Call:
    return Call(**{**asdict(call), "state": CallState.REJECTED, "content": problem})
