"""What a sync does with a manifest: which tools it adds, changes and withdraws, and what waits for an admin.

A manifest is the other side's word, and an intruder on that server writes it. So a change that takes protection away
waits (`Tool.waiting`), and until an admin accepts it the tool stays as it was:
- a lower risk, or no identity required any more;
- another schema of a tool that runs unattended, which no person sees before each call.
What adds protection is in force at once, even if the rest of the change waits.

An endpoint is guarded once one of its tools is protected (`Tool.is_protected`), dropped ones included. At a guarded
endpoint everything new that the model reads waits too, because it could lead the model to the protected tools: a name
that is not in force, a title, a description, an input schema.

A protected tool that its manifest drops is withdrawn and never forgotten, so it cannot come back with less protection.
A name that never was in force is no memory of a protection, and is forgotten with the manifest that drops it. So a
server cannot fill this memory by declaring names (docs/decisions/0129).

What the organization chose about a tool, a raised risk or that it is off, belongs to the tool's name. A tool that comes
back has it, also from another endpoint after its own was removed.
"""

from copy import replace
from typing import NamedTuple

from helpdesk.platform.record import Record
from helpdesk.tools.errors import MAX_WITHDRAWN_TOOLS
from helpdesk.tools.json_text import quoted
from helpdesk.tools.record import (
    ChangeKind,
    Declaration,
    Risk,
    Tool,
    ToolChange,
    ToolEndpoint,
    higher,
)


class ManifestRefused(ValueError):
    """The organization cannot take this manifest. The message is the endpoint's `problem`."""


class NameTaken(ManifestRefused):
    """Another endpoint declares a tool of this name."""


class TooManyWithdrawn(ManifestRefused):
    """The endpoint's manifests have dropped so many protected tools that no more can be remembered."""


class Write(NamedTuple):
    """A tool to store, and as what it was seen; None where there was none."""

    tool: Tool
    seen: Tool | None


class Plan(Record):
    """The result of comparing a manifest with what is stored.

    writes   tools to store, those that the manifest declares before those that it withdraws
    forgets  tools to delete, which the manifest drops and which had no protection
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
    """Compare an endpoint's manifest with the organization's tools. Raises NameTaken, TooManyWithdrawn.

    others   the organization's endpoints by ID
    stored   its tools by name, the withdrawn ones too
    orphans  what is left of tools whose endpoint was removed, by name
    now      the present in ms
    """
    own = [tool for tool in stored.values() if tool.endpoint_id == endpoint.id]
    guarded = any(tool.is_protected for tool in own)
    writes: list[Write] = []
    changes: list[ToolChange] = []
    for each in declared:
        seen = stored.get(each.name)
        if seen is not None and seen.endpoint_id != endpoint.id and not seen.withdrawn:
            raise NameTaken(_taken(each.name, seen.endpoint_id, others))
        seen = seen or orphans.get(each.name)
        remembered = _remembered(seen, is_orphan=each.name not in stored)
        moves = each.name in stored and stored[each.name].endpoint_id != endpoint.id
        tool, change = _compared(each, remembered, endpoint, guarded=guarded, moves=moves)
        if seen is None or tool != replace(seen, updated_at=tool.updated_at):
            writes.append(Write(replace(tool, updated_at=now), seen))
        if change is not None:
            changes.append(change)
    names = {each.name for each in declared}
    dropped = [tool for tool in own if tool.name not in names]
    withdrawn = [tool for tool in dropped if tool.is_protected]
    newly = [tool for tool in withdrawn if not tool.withdrawn]
    if newly and len(withdrawn) > MAX_WITHDRAWN_TOOLS:
        raise TooManyWithdrawn(_too_many(len(newly)))
    writes += [
        Write(replace(gone, withdrawn=True, waiting=None, updated_at=now), gone)
        for gone in withdrawn
        if not gone.withdrawn or gone.waiting is not None
    ]
    changes += [ToolChange(tool.name, ChangeKind.REMOVED, (), None) for tool in dropped if not tool.withdrawn]
    return Plan(
        writes=tuple(writes),
        forgets=tuple(tool for tool in dropped if not tool.is_protected),
        names=tuple(each.name for each in declared),
        changes=tuple(changes),
    )


def _remembered(seen: Tool | None, *, is_orphan: bool) -> Tool | None:
    """Return what a declared tool is compared with; None if it is a new one."""
    if seen is None or (is_orphan and not seen.has_choice):
        return None
    if is_orphan:
        return replace(seen, withdrawn=True, waiting=None)
    return None if seen.withdrawn and not seen.is_protected else seen


def _compared(
    declared: Declaration, seen: Tool | None, endpoint: ToolEndpoint, *, guarded: bool, moves: bool
) -> tuple[Tool, ToolChange | None]:
    """Return a tool as it is to be stored, and what is different about it.

    A protected name that another endpoint has dropped waits, however little protection this endpoint has: the admin who
    accepted its description did so for the other server.
    """
    if seen is None:
        return _new(declared, endpoint, waits=guarded)
    before = seen.declared
    fields = _differing(before, declared)
    joins = seen.withdrawn and (guarded or moves)
    waits = joins or bool(_weakened(before, declared, seen, guarded=guarded))
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
        endpoint_id=endpoint.id,
        waiting=declared if waits else None,
        withdrawn=joins,
    )
    kind = ChangeKind.ADDED if seen.withdrawn else ChangeKind.CHANGED
    return tool, ToolChange(
        declared.name, kind, fields, tool.waiting_id
    ) if fields or seen.withdrawn else None


def _new(declared: Declaration, endpoint: ToolEndpoint, *, waits: bool) -> tuple[Tool, ToolChange]:
    """Return a tool whose name is new. One that waits has no protection yet that it could lose."""
    bare = replace(declared, risk=Risk.LOW, requires_identity=False)
    tool = Tool(
        organization=endpoint.organization,
        declared=bare if waits else declared,
        endpoint_id=endpoint.id,
        enabled=True,
        waiting=declared if waits else None,
        withdrawn=waits,
        updated_at=0,
    )
    return tool, ToolChange(declared.name, ChangeKind.ADDED, (), tool.waiting_id)


def _differing(before: Declaration, after: Declaration) -> tuple[str, ...]:
    one, other = before.to_item(), after.to_item()
    return tuple(name for name in one if one[name] != other[name])


def _weakened(before: Declaration, after: Declaration, seen: Tool, *, guarded: bool) -> list[str]:
    """Return the fields whose change waits for an admin."""
    unattended = higher(after.risk, seen.raised_risk).runs_unattended
    weakened = {
        "risk": after.risk.rank < before.risk.rank,
        "requiresIdentity": before.requires_identity and not after.requires_identity,
        "title": guarded and after.title != before.title,
        "description": guarded and after.description != before.description,
        "inputSchema": (unattended or guarded) and after.input_schema != before.input_schema,
        "outputSchema": unattended and after.output_schema != before.output_schema,
    }
    return [name for name, is_so in weakened.items() if is_so]


def _taken(name: str, endpoint_id: str, others: dict[str, ToolEndpoint]) -> str:
    holder = others.get(endpoint_id)
    where = f"{holder.url} ({endpoint_id})" if holder is not None else endpoint_id
    return f"The name {quoted(name)} belongs to a tool of another endpoint: {where}. Rename one of the two tools."


def _too_many(dropped: int) -> str:
    return (
        f"This manifest drops {dropped} protected tools, and the service remembers at most {MAX_WITHDRAWN_TOOLS} "
        "dropped ones of an endpoint. Declare the tools again. If you trust the server, you can also remove the "
        "endpoint and connect it again: that forgets which risks its dropped tools declared."
    )
