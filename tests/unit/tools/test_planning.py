"""What a sync puts in force at once, and what waits for an admin."""

from copy import replace
from typing import Any

import pytest

from helpdesk.tools import planning
from helpdesk.tools.planning import NameTaken, Plan, TooManyWithdrawn
from helpdesk.tools.record import ChangeKind, Declaration, Risk, SyncStatus, Tool, ToolEndpoint
from tests.support.tools import declaration

OTHER_SCHEMA = {"type": "object", "properties": {"order": {"type": "integer"}}}


def endpoint(identifier: str = "tool_1") -> ToolEndpoint:
    return ToolEndpoint(
        organization="org_1",
        id=identifier,
        url=f"https://example.com/{identifier}",
        key_id="key_1",
        created_at=0,
        sync_id="sync_1",
        status=SyncStatus.PENDING,
        problem=None,
        tools=(),
        changes=(),
        last_sync_at=None,
    )


def stored(declared: Declaration, **changed: Any) -> Tool:
    as_declared = Tool(
        organization="org_1",
        declared=declared,
        endpoint_id="tool_1",
        raised_risk=None,
        enabled=True,
        waiting=None,
        withdrawn=False,
        updated_at=1,
    )
    return replace(as_declared, **changed)


def planned(*declared: Declaration, have: tuple[Tool, ...] = ()) -> Plan:
    ends = {"tool_1": endpoint(), "tool_2": endpoint("tool_2")}
    return planning.plan(ends["tool_1"], ends, {tool.name: tool for tool in have}, {}, list(declared), 9)


def after(plan: Plan, have: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Return the tools as they are once a plan is stored."""
    found = {tool.name: tool for tool in have} | {tool.name: tool for tool, _ in plan.writes}
    return tuple(tool for name, tool in found.items() if name not in {gone.name for gone in plan.forgets})


def test_a_new_tool_is_added_with_the_risk_that_it_declares() -> None:
    plan = planned(declaration("refund", risk="high"))

    [(tool, seen)] = plan.writes
    assert (tool.name, tool.risk, tool.enabled, tool.waiting, seen) == ("refund", Risk.HIGH, True, None, None)
    [change] = plan.changes
    assert (change.tool, change.kind, change.fields, change.id) == ("refund", ChangeKind.ADDED, (), None)
    assert plan.names == ("refund",)


def test_an_unchanged_manifest_writes_nothing() -> None:
    plan = planned(declaration("a"), have=(stored(declaration("a"), raised_risk=Risk.HIGH, enabled=False),))

    assert (plan.writes, plan.forgets, plan.changes) == ((), (), ())


@pytest.mark.parametrize(
    ("before", "after", "raised", "waits"),
    [
        ({"risk": "high"}, {"risk": "low"}, None, True),
        ({"risk": "medium"}, {"risk": "low"}, Risk.HIGH, True),
        ({"risk": "low"}, {"risk": "high"}, None, False),
        ({"requiresIdentity": True}, {"requiresIdentity": False}, None, True),
        ({"requiresIdentity": False}, {"requiresIdentity": True}, None, False),
        ({"risk": "low"}, {"risk": "low", "inputSchema": OTHER_SCHEMA}, None, True),
        ({"risk": "reviewed"}, {"risk": "reviewed", "inputSchema": OTHER_SCHEMA}, None, True),
        ({"risk": "low"}, {"risk": "medium", "outputSchema": OTHER_SCHEMA}, None, True),
        ({"risk": "low"}, {"risk": "high", "inputSchema": OTHER_SCHEMA}, None, False),
        ({"title": "One"}, {"title": "Two", "description": "Another."}, None, False),
        ({"risk": "high"}, {"risk": "high", "outputSchema": OTHER_SCHEMA}, None, False),
        ({"risk": "high"}, {"risk": "high", "inputSchema": OTHER_SCHEMA}, None, True),
        ({"risk": "low"}, {"risk": "low", "inputSchema": OTHER_SCHEMA}, Risk.HIGH, True),
        ({"risk": "medium"}, {"risk": "medium", "title": "Always call first"}, None, True),
        ({"risk": "low"}, {"risk": "low", "description": "Call it first."}, Risk.HIGH, True),
        ({"requiresIdentity": True}, {"requiresIdentity": True, "description": "Another."}, None, True),
    ],
)
def test_what_takes_protection_away_waits_and_all_else_is_in_force(
    before: dict[str, Any], after: dict[str, Any], raised: Risk | None, waits: bool
) -> None:
    old, new = declaration("a", **before), declaration("a", **after)
    seen = stored(old, raised_risk=raised)

    plan = planned(new, have=(seen,))

    [(tool, _)] = plan.writes
    [change] = plan.changes
    assert change.fields == tuple(
        name for name in old.to_item() if old.to_item()[name] != new.to_item()[name]
    )
    assert tool.raised_risk is raised
    if waits:
        assert (tool.waiting, change.id) == (new, tool.waiting_id)
        assert (tool.input_schema, tool.output_schema) == (old.input_schema, old.output_schema)
        assert tool.declared.risk.rank >= old.risk.rank
        assert tool.requires_identity >= old.requires_identity
    else:
        assert (tool.declared, tool.waiting, change.id) == (new, None, None)


def test_a_higher_risk_is_in_force_while_the_rest_of_its_change_waits() -> None:
    new = declaration("a", risk="reviewed", inputSchema=OTHER_SCHEMA, requiresIdentity=True)

    [(tool, _)] = planned(new, have=(stored(declaration("a")),)).writes

    assert (tool.risk, tool.requires_identity, tool.waiting) == (Risk.REVIEWED, True, new)
    assert tool.input_schema != OTHER_SCHEMA


def test_what_waits_is_shown_by_each_sync_and_withdrawn_with_the_manifest() -> None:
    old, new = declaration("a", risk="high"), declaration("a", risk="low")
    waiting = stored(old, waiting=new)

    again = planned(new, have=(waiting,))
    back = planned(old, have=(waiting,))

    assert (again.writes, [change.id for change in again.changes]) == ((), [waiting.waiting_id])
    assert back.changes == ()
    assert back.writes[0].tool.waiting is None


PROTECTED = (
    stored(declaration("refund", risk="high")),
    stored(declaration("mine", requiresIdentity=True)),
    stored(declaration("raised"), raised_risk=Risk.REVIEWED),
    stored(declaration("off"), enabled=False),
)


@pytest.mark.parametrize("protected", PROTECTED, ids=lambda tool: tool.name)
def test_a_protected_tool_that_is_dropped_and_declared_again_waits_and_is_not_in_force(
    protected: Tool,
) -> None:
    name = protected.name
    have = after(planned(have=(protected,)), (protected,))

    plan = planned(declaration(name), have=have)

    [(back, _)] = plan.writes
    assert (back.withdrawn, back.waiting) == (True, declaration(name))
    assert (back.declared, back.raised_risk, back.enabled) == (
        protected.declared, protected.raised_risk, protected.enabled
    )  # fmt: skip
    assert [(change.kind, change.id) for change in plan.changes] == [(ChangeKind.ADDED, back.waiting_id)]


@pytest.mark.parametrize("protected", PROTECTED, ids=lambda tool: tool.name)
def test_where_a_tool_is_protected_a_new_name_waits_and_is_forgotten_if_it_is_dropped(
    protected: Tool,
) -> None:
    new = declaration("always_first", risk="high", requiresIdentity=True)

    [(waiting, _)] = planned(protected.declared, new, have=(protected,)).writes
    again = planned(protected.declared, new, have=(protected, waiting))
    dropped = planned(protected.declared, have=(protected, waiting))

    assert (waiting.withdrawn, waiting.waiting, waiting.is_protected) == (True, new, False)
    assert (again.writes, [change.id for change in again.changes]) == ((), [waiting.waiting_id])
    assert (dropped.writes, dropped.forgets, dropped.changes) == ((), (waiting,), ())


def test_no_number_of_names_pushes_a_protection_out() -> None:
    have: tuple[Tool, ...] = PROTECTED
    for cycle in range(20):
        names = [declaration(f"n{cycle}_{n}", risk=["low", "high"][n % 2]) for n in range(64)]
        have = after(planned(*names, have=have), have)
    bare = [declaration(tool.name) for tool in PROTECTED]

    have = after(planned(*bare, have=have), have)

    assert [tool.name for tool in have if not tool.withdrawn] == []
    assert {tool.name: (tool.risk, tool.requires_identity, tool.enabled) for tool in have} == {
        "refund": (Risk.HIGH, False, True),
        "mine": (Risk.LOW, True, True),
        "raised": (Risk.REVIEWED, False, True),
        "off": (Risk.LOW, False, False),
    }


def test_a_tool_without_protection_is_forgotten_with_its_manifest() -> None:
    plain = stored(declaration("a"))

    plan = planned(have=(plain,))

    assert (plan.writes, plan.forgets) == ((), (plain,))
    assert [(change.tool, change.kind) for change in plan.changes] == [("a", ChangeKind.REMOVED)]


def test_a_sync_that_drops_more_protected_tools_than_are_remembered_is_refused_and_says_what_to_do() -> None:
    gone = tuple(stored(declaration(f"t{n}", risk="high"), withdrawn=True) for n in range(128))
    last = stored(declaration("last", risk="high"))

    with pytest.raises(TooManyWithdrawn) as refused:
        planned(have=(*gone, last))

    assert str(refused.value) == (
        "This manifest drops 1 protected tools, and the service remembers at most 128 dropped ones of an endpoint. "
        "Declare the tools again. If you trust the server, you can also remove the endpoint and connect it again: "
        "that forgets which risks its dropped tools declared."
    )
    assert planned(last.declared, have=(*gone, last)).forgets == ()


def test_a_name_of_another_endpoint_fails_the_sync_and_names_the_endpoint() -> None:
    theirs = stored(declaration("refund"), endpoint_id="tool_2")

    with pytest.raises(NameTaken) as taken:
        planned(declaration("refund"), have=(theirs,))

    assert '"refund"' in str(taken.value)
    assert "https://example.com/tool_2 (tool_2)" in str(taken.value)


@pytest.mark.parametrize("risk", ["low", "high"])
def test_a_protected_name_that_another_endpoint_dropped_waits_and_keeps_its_protection(risk: str) -> None:
    theirs = stored(
        declaration("refund", risk="high"), endpoint_id="tool_2", withdrawn=True, raised_risk=Risk.HIGH
    )

    [(tool, seen)] = planned(declaration("refund", risk=risk), have=(theirs,)).writes

    assert (tool.endpoint_id, tool.risk, tool.withdrawn, seen) == ("tool_1", Risk.HIGH, True, theirs)
    assert tool.waiting is not None


def test_a_definition_is_of_everything_declared_and_of_its_endpoint() -> None:
    declared = declaration("a")
    others = [
        declaration("b"), declaration("a", title="Another"), declaration("a", description="Another."),
        declaration("a", risk="high"), declaration("a", requiresIdentity=True),
        declaration("a", inputSchema=OTHER_SCHEMA), declaration("a", outputSchema=OTHER_SCHEMA),
    ]  # fmt: skip

    hashes = {each.definition("tool_1") for each in [declared, *others]} | {declared.definition("tool_2")}

    assert len(hashes) == 9
    assert declaration("a").definition("tool_1") == declared.definition("tool_1")
    assert stored(declared, raised_risk=Risk.HIGH).definition == declared.definition("tool_1")
