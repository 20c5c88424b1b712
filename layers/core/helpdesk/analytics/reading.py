"""Reads the rows of a window: the newest 20,000, month by month, several months at a time.

A row lies in the month of its default time. No other time of a row is before that one, so a window over another time
field, such as `resolvedAt`, reads all rows that began before its end. The newest 20,000 of them bound that, too.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import batched
from typing import Any, NamedTuple

from helpdesk.analytics import repository, rows
from helpdesk.analytics.evaluation import Found
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


class Reading(NamedTuple):
    """Rows, newest first, and whether there are older ones that were not read."""

    rows: list[Found]
    capped: bool


def read(organization: str, dataset: str, window: Window, *, by_default_time: bool) -> Reading:
    """Return the newest rows that a window can have; with `by_default_time` exactly those that it has."""
    reach = window if by_default_time else Window(0, window.end)
    if dataset != rows.USAGE:
        return _capped(_rows(organization, dataset, reach, by_default_time=by_default_time))
    found = _rows(organization, dataset, reach, by_default_time=by_default_time)
    cut = False
    for source, usage in _USAGE.items():
        part, capped = _capped(_rows(organization, source, reach, by_default_time=by_default_time))
        found += [Found(fact.id, fact.values) for row in part for fact in usage(row.values, row.id)]
        cut = cut or capped
    found.sort(key=lambda row: (row.values[0], row.id), reverse=True)
    newest, capped = _capped(found)
    return Reading(newest, capped or cut)


def _capped(rows: list[Found]) -> Reading:
    return Reading(rows[:MAX_SCANNED], len(rows) > MAX_SCANNED)


def _rows(organization: str, dataset: str, reach: Window, *, by_default_time: bool) -> list[Found]:
    """Return rows, newest first: one more than are used, if there are so many."""
    found: list[Found] = []
    wanted = MAX_SCANNED + 1
    with ThreadPoolExecutor(_MONTHS_AT_A_TIME) as pool:
        for batch in batched(
            _months(organization, dataset, reach, by_default_time=by_default_time),
            _MONTHS_AT_A_TIME,
            strict=False,
        ):
            left = wanted - len(found)
            read_one = [
                pool.submit(
                    repository.read,
                    organization,
                    dataset,
                    each,
                    reach,
                    left,
                    by_default_time=by_default_time,
                )
                for each in batch
            ]
            for one in read_one:
                found += one.result()
            if len(found) >= wanted:
                break
    return found[:wanted]


def _months(organization: str, dataset: str, reach: Window, *, by_default_time: bool) -> Iterator[str]:
    if by_default_time and reach != ALL_TIME:
        # More on both sides, because the time in an id can differ from the row's.
        yield from months(Window(repository.earliest_id(dataset, reach), reach.end + DAY_MS))
        return
    last = months(Window(reach.end - 1, reach.end + DAY_MS))[0] if reach.end < ALL_TIME.end else "9999-12"
    yield from (month for month in repository.months(organization, dataset) if month <= last)
