"""Changes of one item by the names of its record's fields, and what they require of the item.

    transaction.change(
        Approval.key_for(organization, id),
        set={"outcome": CallOutcome.RUNNING},
        require={"status": ApprovalStatus.APPROVED, "outcome": None},
        on_failure=ConditionFailed,
    )

A value that is required is the value that the field must have. None means that the field has none: the attribute is
missing. `below` and the other functions here require something else of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from helpdesk.storage.stored import Key, Stored, attribute, plain
from helpdesk.storage.wire import Item

type Values = Mapping[str, Any]
"""Values by the names of fields. An index entry's attributes, such as `GSI1PK`, go by their own names."""


class Requirement(NamedTuple):
    """A condition on a field: an expression in which `{name}` and `{value}` stand for the field and the value."""

    expression: str
    value: Any


class IfMissing(NamedTuple):
    """A value that is set where the field has none yet."""

    value: Any


def below(limit: int | str) -> Requirement:
    """Require a value less than a limit, or none yet."""
    return Requirement("NOT {name} >= {value}", limit)  # a comparison with null or nothing is false


def above(limit: int) -> Requirement:
    """Require a number greater than a limit."""
    return Requirement("{name} > {value}", limit)


def other_than(value: Any) -> Requirement:
    """Require another value. `other_than(None)` requires that there is one."""
    return Requirement("(attribute_exists({name}) AND {name} <> {value})", value)


def or_missing(value: Any) -> Requirement:
    """Require a value, or that the attribute is missing, as it is where there is no item."""
    return Requirement("(attribute_not_exists({name}) OR {name} = {value})", value)


def difference(before: Item, changed: Stored) -> dict[str, Any]:
    """Return what to set so that an item becomes that of a record, index entries included."""
    after, kind = changed.to_item(), type(changed)
    fields = {attribute(kind, name): name for name in kind.__struct_fields__}
    return {
        fields.get(name, name): after.get(name)
        for name in before.keys() | after.keys()
        if before.get(name) != after.get(name) and name not in {"PK", "SK"}
    }


def expression(
    key: Key,
    *,
    set: Values,
    add: Mapping[str, int],
    require: Values,
    or_new: bool,
    append: Mapping[str, Sequence[Any]] = {},
) -> dict[str, Any]:
    """Return what an update takes: an expression, a condition, and their names and values.

    A field that is set to None is removed, one that is set to an `IfMissing` keeps the value that it has, and 0 is not
    added. `append` adds to the end of lists that exist. The item must exist, except with `or_new`.
    """
    names = {name: attribute(key.kind, name) for name in (*set, *add, *append, *require)}
    values: Item = {}
    clauses: dict[str, list[str]] = {"SET": [], "REMOVE": [], "ADD": []}
    for name, value in set.items():
        if value is None:
            clauses["REMOVE"].append(f"#{name}")
        elif isinstance(value, IfMissing):
            clauses["SET"].append(f"#{name} = if_not_exists(#{name}, :{name})")
            values[f":{name}"] = plain(value.value)
        else:
            clauses["SET"].append(f"#{name} = :{name}")
            values[f":{name}"] = plain(value)
    for name, entries in append.items():
        if entries:
            clauses["SET"].append(f"#{name} = list_append(#{name}, :{name})")
            values[f":{name}"] = plain(entries)
    for name, number in add.items():
        if number:
            clauses["ADD"].append(f"#{name} :{name}")
            values[f":{name}"] = number
    update = " ".join(f"{verb} {', '.join(each)}" for verb, each in clauses.items() if each)
    condition, required = requirements(require, or_new=or_new)
    used = f"{update} {condition}"
    return {
        "expression": update,
        "condition": condition or None,
        "names": {f"#{name}": its for name, its in names.items() if f"#{name}" in used},
        "values": values | required,
    }


def condition(key: Key, require: Values) -> dict[str, Any]:
    """Return a condition that requires something of an item that exists, with its names and values."""
    text, values = requirements(require, or_new=False)
    return {
        "condition": text,
        "names": {f"#{name}": attribute(key.kind, name) for name in require},
        "values": values,
    }


def requirements(require: Values, *, or_new: bool) -> tuple[str, Item]:
    """Return the condition that all requirements hold, and its values."""
    terms = [] if or_new else ["attribute_exists(PK)"]
    values: Item = {}
    for name, wanted in require.items():
        if wanted is None:
            terms.append(f"attribute_not_exists(#{name})")
            continue
        text, value = wanted if isinstance(wanted, Requirement) else ("{name} = {value}", wanted)
        terms.append(text.format(name=f"#{name}", value=f":required_{name}"))
        values[f":required_{name}"] = plain(value)
    return " AND ".join(terms), values
