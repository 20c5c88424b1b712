"""Filters, groups and measures rows as a plan says, or lists them. Knows no AWS.

Rows are read once. A cell collects the measured values of a group's rows in one bucket; a group's total is a cell of
its own, because an average or a percentile of all rows cannot be computed from those of the buckets.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

from helpdesk.analytics.datasets import DatasetField, FieldType, Values
from helpdesk.analytics.query import Listing, Measured, Plan
from helpdesk.analytics.query_schemas import Measure, Order, Point, Row, Series
from helpdesk.analytics.windows import Slot, Window, placer, slots

ALL, NONE, OTHER = "__all", "__none", "__other"
_LABELS = {ALL: "All", NONE: "None", OTHER: "Other"}

_PERCENTILES = {Measure.MEDIAN: 50, Measure.P75: 75, Measure.P90: 90, Measure.P95: 95, Measure.P99: 99}
_AGGREGATES: dict[Measure, Callable[[Sequence[Any]], float | int]] = {
    Measure.AVG: lambda values: sum(values) / len(values),
    Measure.MIN: min,
    Measure.MAX: max,
}
_ZERO_WHEN_EMPTY = {Measure.COUNT, Measure.DISTINCT, Measure.SUM}


class Found(NamedTuple):
    """A row as it was read: its id and its values."""

    id: str
    values: list[Any]


class Group(NamedTuple):
    """A group of rows by what it is called. `value` is what its rows have in the field, None also for ALL and OTHER."""

    key: str
    value: Any


_OTHERS, _EVERYTHING = Group(OTHER, None), Group(ALL, None)


class _Cells:
    """The measured values of one group: of all its rows, and by bucket."""

    __slots__ = ("all", "slots")

    def __init__(self, count: int) -> None:
        self.all: list[Any] = []
        self.slots: list[list[Any]] = [[] for _ in range(count)]


def matching(plan: Plan, rows: Iterable[Found], window: Window) -> list[Found]:
    """Return the rows of a window that pass the filters, in their order."""
    place, passes, (start, end) = plan.time_place, plan.passes, window
    return [
        row
        for row in rows
        if (at := row.values[place]) is not None and start <= at < end and passes(row.values)
    ]


def explore(
    plan: Plan, present: Sequence[Found], previous: Sequence[Found] | None, now: int
) -> tuple[list[Series], list[Series] | None]:
    """Return the series of the window and of the window before it (None without it), from the rows that match.

    Groups are chosen by the window's rows. The window before has the same series.
    """
    chosen = _chosen(plan, _totals(plan, present))
    shown = _series(plan, _folded(plan, present, plan.window, now, chosen), chosen, plan.window, now)
    if previous is None or plan.previous is None:
        return shown, None
    before = _folded(plan, previous, plan.previous, now, chosen)
    return shown, _series(plan, before, chosen, plan.previous, now)


def listed(plan: Plan, listing: Listing, rows: Sequence[Found]) -> list[Row]:
    """Return the first rows in the order asked for, with the values asked for. Equal rows are newest first."""
    time = plan.time_place
    ordered = sorted(rows, key=lambda row: (row.values[time], row.id), reverse=True)
    if listing.sort_place is None:
        if listing.ascending:
            ordered.reverse()
    else:
        place = listing.sort_place
        natural = _natural(plan.dataset.fields[place])
        having = [row for row in ordered if row.values[place] is not None]
        having.sort(key=lambda row: natural(row.values[place]), reverse=not listing.ascending)
        ordered = having + [row for row in ordered if row.values[place] is None]
    return [
        Row(
            id=row.id,
            at=row.values[time],
            title=plan.dataset.title_of(row.values) or row.id,
            href=None,
            values=[row.values[place] for place in listing.places],
        )
        for row in ordered[: listing.limit]
    ]


def _totals(plan: Plan, rows: Iterable[Found]) -> dict[Group, float | int | None]:
    """Return the measure of every group that has a row; without `groupBy` that of all rows.

    Buckets are left for the groups that are shown: there can be 20,000 groups, and 366 buckets in each.
    """
    measure = _measure(plan.measured)
    if plan.group is None:
        return {_EVERYTHING: None}
    place = plan.dataset.places[plan.group.id]
    collected: dict[Group, list[Any]] = {}
    for row in rows:
        collected.setdefault(_group_of(row.values[place]), []).append(measure(row.values))
    return {group: computed(plan.measured.op, values) for group, values in collected.items()}


def _folded(
    plan: Plan, rows: Iterable[Found], window: Window, now: int, chosen: Sequence[Group]
) -> dict[Group, _Cells]:
    """Return the cells of chosen groups. Rows of others are in the group OTHER if it is chosen, and else dropped."""
    if plan.group is None:
        return _filled(plan, rows, window, now, lambda _: _EVERYTHING, chosen)
    place = plan.dataset.places[plan.group.id]
    named = {group.value: group for group in chosen if group != _OTHERS}
    rest = _OTHERS if _OTHERS in chosen else None
    return _filled(plan, rows, window, now, lambda values: named.get(values[place], rest), chosen)


def _filled(
    plan: Plan,
    rows: Iterable[Found],
    window: Window,
    now: int,
    group_of: Callable[[Values], Group | None],
    groups: Iterable[Group],
) -> dict[Group, _Cells]:
    found = slots(plan.bucket, window, now) if plan.bucket is not None else []
    place_in = placer(plan.bucket, found, window) if plan.bucket is not None else None
    cells = {group: _Cells(len(found)) for group in groups}
    measure, time = _measure(plan.measured), plan.time_place
    for row in rows:
        group = group_of(row.values)
        if group is None:
            continue
        own = cells[group]
        value = measure(row.values)
        own.all.append(value)
        if place_in is not None:
            own.slots[place_in(row.values[time])].append(value)
    return cells


def _measure(measured: Measured) -> Callable[[Values], Any]:
    """Return the function from a row to what is collected of it."""
    if measured.where is not None:
        return measured.where
    place = measured.place
    if place is None:
        return lambda _: True
    return lambda values: values[place]


def computed(op: Measure, collected: Sequence[Any]) -> float | int | None:
    """Return a measure of collected values. Rows with nothing in the field count for nothing."""
    if op is Measure.COUNT:
        return len(collected)
    values = [value for value in collected if value is not None]
    if not values:
        return 0 if op in _ZERO_WHEN_EMPTY else None
    if op is Measure.DISTINCT:
        return len(set(values))
    if op is Measure.PERCENT:
        return 100 * values.count(True) / len(values)
    if op in _PERCENTILES:
        # The nearest rank: the smallest value that at least so many percent of the values do not exceed.
        values = [sorted(values)[ceil(_PERCENTILES[op] * len(values) / 100) - 1]]
    result: float | int = _AGGREGATES.get(op, sum)(values)
    return result


def _group_of(value: Any) -> Group:
    if value is None:
        return Group(NONE, None)
    if isinstance(value, bool):
        return Group(str(value).lower(), value)
    text = str(value)
    # No text of a row is called as one of the three keys above.
    return Group(f"_{text}" if text.startswith("__") else text, value)


def _chosen(plan: Plan, totals: Mapping[Group, float | int | None]) -> list[Group]:
    """Return the groups that are shown, in their order; the last one can be OTHER."""
    if plan.group is None:
        return list(totals)
    smallest = plan.order is Order.SMALLEST

    def rank(group: Group) -> tuple[bool, float | int, str]:
        total = totals[group]
        if total is None:
            return True, 0, group.key
        return False, total if smallest else -total, group.key

    ranked = sorted(totals, key=rank)
    folds = len(ranked) > plan.top and plan.other
    kept = ranked[: plan.top - 1] if folds else ranked[: plan.top]
    if plan.order is Order.NATURAL:
        natural = _natural(plan.group)
        kept.sort(key=lambda group: (group.value is None, natural(group.value)))
    return [*kept, _OTHERS] if folds else kept


def _natural(field: DatasetField) -> Callable[[Any], Any]:
    """Return the key of a field's natural order: that of an enumeration's values, of numbers, of the alphabet."""
    if field.type is FieldType.ENUM:
        order = {value: place for place, value in enumerate(field.values)}
        # A value of a newer or older release comes after those that are known.
        return lambda value: (order.get(value, len(order)), value or "")
    if field.type in {FieldType.ID, FieldType.STRING}:
        return lambda value: value or ""
    return lambda value: value or 0


def _series(
    plan: Plan, cells: Mapping[Group, _Cells], chosen: Sequence[Group], window: Window, now: int
) -> list[Series]:
    found = slots(plan.bucket, window, now) if plan.bucket is not None else []
    return [
        Series(
            key=group.key,
            label=_label(plan, group),
            total=computed(plan.measured.op, cells[group].all),
            points=[
                _point(slot, computed(plan.measured.op, values))
                for slot, values in zip(found, cells[group].slots, strict=True)
            ],
        )
        for group in chosen
    ]


def _point(slot: Slot, value: float | None) -> Point:
    return Point.model_construct(at=slot.at, end=slot.end, value=value, partial=slot.partial)


def _label(plan: Plan, group: Group) -> str:
    if group.value is None:
        return _LABELS[group.key]
    if isinstance(group.value, bool):
        return "Yes" if group.value else "No"
    if plan.group is not None and plan.group.type is FieldType.ENUM:
        return group.key.replace("_", " ").capitalize()
    return str(group.value)
