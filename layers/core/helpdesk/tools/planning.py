"""What a sync does with a manifest: which tools it adds, changes and withdraws, and what waits for an admin.

A manifest is the other side's word. So a change that takes protection away waits (`Tool.waiting`), and until an admin
accepts it the tool stays as it was:
- a lower risk, or no identity required any more;
- another schema of a tool that runs unattended, which no person sees before each call.
What adds protection is in force at once, even if the rest of the change waits.

A tool that its manifest no longer declares is withdrawn and not deleted. Otherwise a manifest could drop a tool and
declare it again with a lower risk.

What the organization chose about a tool, a raised risk or that it is off, belongs to the tool's name. A tool that comes
back has it, also from another endpoint after its own was removed.
"""

from copy import replace
from typing import NamedTuple

from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.tools.errors import MAX_TOOLS
from helpdesk.tools.json_text import quoted
from helpdesk.tools.record import (
    ChangeKind,
    Declaration,
    Tool,
    ToolChange,
    ToolEndpoint,
    change_id,
    higher,
)

MAX_WITHDRAWN = MAX_TOOLS
"""How many withdrawn tools of an endpoint are kept, the latest ones. Tools with a choice are kept in addition."""


class NameTaken(ValueError):
    """Another endpoint declares a tool of this name. The message is the endpoint's `problem`."""


class Write(NamedTuple):
    """A tool to store, and as what it was seen; None where there was none."""

    tool: Tool
    seen: Tool | None


class Plan(FrozenRecord):
    """The result of comparing a manifest with what is stored.

    writes   tools to store, those that the manifest declares before those that it withdraws
    forgets  tools that were withdrawn long ago, to delete
    names    the names that the manifest declares, in its order
    changes  what differs, including what has waited since an earlier sync
    """

    writes: tuple[Write, ...]
    forgets: tuple[Tool, ...]
    names: tuple[str, ...]
    changes: tuple[ToolChange, ...]


def plan(
    endpoint: ToolEndpoint,
    others: dict[str, ToolEndpoint],
    stored: dict[str, Tool],
    orphans: dict[str, Tool],
    declared: list[Declaration],
    now: int,
) -> Plan:
    """Compare an endpoint's manifest with the organization's tools. Raises NameTaken.

    others   the organization's endpoints by ID
    stored   its tools by name, the withdrawn ones too
    orphans  what is left of tools whose endpoint was removed, by name
    now      the present in ms
    """
    writes: list[Write] = []
    changes: list[ToolChange] = []
    for each in declared:
        seen = stored.get(each.name)
        if seen is not None and seen.endpoint_id != endpoint.id and not seen.withdrawn:
            raise NameTaken(_taken(each.name, seen.endpoint_id, others))
        orphan = orphans.get(each.name)
        tool, change = _compared(each, seen, endpoint.id, now)
        if orphan is not None and seen is None:
            tool = replace(tool, raised_risk=orphan.raised_risk, enabled=orphan.enabled)
        if tool != seen:
            writes.append(Write(tool, seen or orphan))
        if change is not None:
            changes.append(change)
    names = {each.name for each in declared}
    own = [tool for tool in stored.values() if tool.endpoint_id == endpoint.id and tool.name not in names]
    for gone in own:
        if not gone.withdrawn:
            writes.append(Write(replace(gone, withdrawn=True, waiting=None, updated_at=now), gone))
            changes.append(ToolChange(gone.name, ChangeKind.REMOVED, (), None))
    withdrawn = (tool for tool in own if tool.withdrawn and not tool.has_choice)
    kept = sorted(withdrawn, key=lambda tool: tool.updated_at, reverse=True)
    return Plan(
        writes=tuple(writes),
        forgets=tuple(kept[MAX_WITHDRAWN:]),
        names=tuple(each.name for each in declared),
        changes=tuple(changes),
    )


def _compared(
    declared: Declaration, seen: Tool | None, endpoint_id: str, now: int
) -> tuple[Tool, ToolChange | None]:
    """Return a tool as it is to be stored, and what is different about it."""
    if seen is None:
        new = Tool(
            declared=declared,
            endpoint_id=endpoint_id,
            raised_risk=None,
            enabled=True,
            waiting=None,
            withdrawn=False,
            updated_at=now,
        )
        return new, ToolChange(declared.name, ChangeKind.ADDED, (), None)
    before = seen.declared
    fields = _differing(before, declared)
    waits = bool(_weakened(before, declared, seen))
    in_force = (
        replace(
            before,
            risk=higher(before.risk, declared.risk),
            requires_identity=before.requires_identity or declared.requires_identity,
        )
        if waits
        else declared
    )
    tool = replace(
        seen,
        declared=in_force,
        endpoint_id=endpoint_id,
        waiting=declared if waits else None,
        withdrawn=False,
    )
    if tool != seen:
        tool = replace(tool, updated_at=now)
    kind = ChangeKind.ADDED if seen.withdrawn else ChangeKind.CHANGED
    identifier = change_id(declared.definition(endpoint_id)) if waits else None
    return tool, ToolChange(declared.name, kind, fields, identifier) if fields or seen.withdrawn else None


def _differing(before: Declaration, after: Declaration) -> tuple[str, ...]:
    one, other = before.to_item(), after.to_item()
    return tuple(name for name in one if one[name] != other[name])


def _weakened(before: Declaration, after: Declaration, seen: Tool) -> list[str]:
    """Return the fields whose change waits for an admin."""
    unattended = higher(after.risk, seen.raised_risk).runs_unattended
    weakened = {
        "risk": after.risk.rank < before.risk.rank,
        "requiresIdentity": before.requires_identity and not after.requires_identity,
        "inputSchema": unattended and after.input_schema != before.input_schema,
        "outputSchema": unattended and after.output_schema != before.output_schema,
    }
    return [name for name, is_so in weakened.items() if is_so]


def _taken(name: str, endpoint_id: str, others: dict[str, ToolEndpoint]) -> str:
    holder = others.get(endpoint_id)
    where = f"{holder.url} ({endpoint_id})" if holder is not None else endpoint_id
    return f"The name {quoted(name)} belongs to a tool of another endpoint: {where}. Rename one of the two tools."
