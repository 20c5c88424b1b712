"""Reads the rows of a window: the newest 20,000, month by month, several months at a time.

A row lies in the month of its default time. No other time of a row is before that one, so a window over another time
field, such as `resolvedAt`, reads all rows that began before its end. The newest 20,000 of them bound that, too.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from helpdesk.analytics import repository, rows
from helpdesk.analytics.aggregation import Found
from helpdesk.analytics.query_schemas import MAX_SCANNED
from helpdesk.analytics.rows import Fact
from helpdesk.analytics.windows import ALL_TIME, Window, months
from helpdesk.platform.units import DAY_MS

_MONTHS_AT_A_TIME = 4

_USAGE: dict[str, Callable[[list[Any], str], list[Fact]]] = {
    rows.MESSAGES: rows.usage_of_message,
    rows.TOOL_RUNS: rows.usage_of_call,
}
"""Rows of other datasets that are usage as well, and are not kept twice."""


def usage_of(dataset: str) -> Callable[[list[Any], str], list[Fact]] | None:
    """Return the function from a row of a dataset to the usage that it shows; None if its rows show none."""
    return _USAGE.get(dataset)


class Reading(NamedTuple):
    """Rows, newest first, and whether there are older ones that were not read."""

    rows: list[Found]
    capped: bool


def read(organization: str, dataset: str, window: Window, *, by_default_time: bool) -> Reading:
    """Return the newest rows that a window can have; with `by_default_time` exactly those that it has."""
    reach = window if by_default_time else Window(0, window.end)
    if dataset != rows.USAGE:
        return _capped(_rows(organization, dataset, reach, by_default_time=by_default_time))
    found: list[Found] = []
    since, capped = 0, False
    for source in (*_USAGE, rows.USAGE):
        reach = Window(max(reach.start, since), reach.end)
        part = _capped(_rows(organization, source, reach, by_default_time=by_default_time))
        if part.capped:
            # Where older rows of one source are not read, those of the others would be all that is left of that time.
            since, capped = max(since, part.rows[-1].values[0]), True
        usage = _USAGE.get(source)
        found += (
            part.rows
            if usage is None
            else [Found(fact.id, fact.values) for row in part.rows for fact in usage(row.values, row.id)]
        )
    found = [row for row in found if row.values[0] >= since]
    found.sort(key=lambda row: (row.values[0], row.id), reverse=True)
    newest = _capped(found)
    return Reading(newest.rows, newest.capped or capped)


def _capped(rows: list[Found]) -> Reading:
    return Reading(rows[:MAX_SCANNED], len(rows) > MAX_SCANNED)


def _rows(organization: str, dataset: str, reach: Window, *, by_default_time: bool) -> list[Found]:
    """Return rows, newest first: one more than are used, if there are so many.

    The first month is read alone. Then as many are read at a time as are needed if the fullest so far is like them.
    """
    found: list[Found] = []
    wanted, fullest, at_a_time = MAX_SCANNED + 1, 1, 1
    left = list(_months(organization, dataset, reach, by_default_time=by_default_time))
    with ThreadPoolExecutor(_MONTHS_AT_A_TIME) as pool:
        while left and len(found) < wanted:
            batch, left = left[:at_a_time], left[at_a_time:]
            read = partial(
                repository.read,
                organization,
                dataset,
                window=reach,
                limit=wanted - len(found),
                by_default_time=by_default_time,
            )
            for rows_of_month in pool.map(read, batch):
                found += rows_of_month
                fullest = max(fullest, len(rows_of_month))
            needed = max((wanted - len(found)) // fullest, 1)
            at_a_time = min(2 * at_a_time, needed, _MONTHS_AT_A_TIME)
    return found[:wanted]


def _months(organization: str, dataset: str, reach: Window, *, by_default_time: bool) -> Iterator[str]:
    if by_default_time and reach != ALL_TIME:
        # More on both sides, because the time in an id can differ from the row's.
        yield from months(Window(repository.earliest_id(dataset, reach), reach.end + DAY_MS))
        return
    last = months(Window(reach.end - 1, reach.end + DAY_MS))[0] if reach.end < ALL_TIME.end else "9999-12"
    yield from (month for month in repository.months(organization, dataset) if month <= last)
