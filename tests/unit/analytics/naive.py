"""A second implementation of explore and records, as short as possible: it filters all rows for each number."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from helpdesk.analytics.datasets import DATASETS, FieldType

DAY = 86_400_000
type Rows = list[tuple[str, list[Any]]]


def window(body: dict[str, Any], now: int) -> tuple[int, int]:
    """Return the window of a request."""
    if body["query"].get("when", {}).get("scope") == "all":
        return 0, 10**18
    days = body.get("days", 30)
    start = body.get("from", now - now % DAY - (days - 1) * DAY)
    return start, start + days * DAY


def passes(body: dict[str, Any], values: list[Any]) -> bool:
    """Return whether a row passes the filters."""
    query = body["query"]
    results = [holds(query["dataset"], each, values) for each in query.get("filters", [])]
    if not results:
        return True
    return any(results) if query.get("match") == "any" else all(results)


def holds(dataset: str, sent: dict[str, Any], values: list[Any]) -> Any:
    """Return whether a row passes one filter."""
    value, op = values[place(dataset, sent["field"])], sent["op"]
    wanted: Any = sent.get("value")
    if op in {"isNot", "notContains", "notIn", "isNotSet"}:
        opposite = {"isNot": "is", "notContains": "contains", "notIn": "in", "isNotSet": "isSet"}[op]
        return not holds(dataset, {**sent, "op": opposite}, values)
    if value is None:
        return False
    if op == "isSet":
        return True
    if op == "in":
        return any(value == each for each in wanted)
    if op == "contains":
        return str(wanted).lower() in str(value).lower()
    return {
        "is": value == wanted,
        "gt": op == "gt" and value > wanted,
        "gte": op == "gte" and value >= wanted,
        "lt": op == "lt" and value < wanted,
        "lte": op == "lte" and value <= wanted,
    }[op]


def place(dataset: str, field: str) -> int:
    """Return where a field is in a row."""
    return [each.id for each in DATASETS[dataset].fields].index(field)


def matched(body: dict[str, Any], rows: Rows, start: int, end: int) -> Rows:
    """Return the rows of a window."""
    query = body["query"]
    time = query.get("when", {}).get("field") or DATASETS[query["dataset"]].times[0].id
    at = place(query["dataset"], time)
    return [
        row for row in rows if row[1][at] is not None and start <= row[1][at] < end and passes(body, row[1])
    ]


def measure(body: dict[str, Any], rows: Rows) -> Any:
    """Return the measure of rows."""
    query = body["query"]
    wanted = query.get("measure", {"op": "count"})
    op = wanted["op"]
    if op == "count":
        return len(rows)
    if op == "percent":
        share = [row for row in rows if holds(query["dataset"], wanted["where"], row[1])]
        return 100 * len(share) / len(rows) if rows else None
    at = place(query["dataset"], wanted["field"])
    values = sorted(row[1][at] for row in rows if row[1][at] is not None)
    if op == "distinct":
        return len(set(values))
    if op == "sum":
        return sum(values)
    if not values:
        return None
    if op == "avg":
        return sum(values) / len(values)
    if op in {"min", "max"}:
        return values[0] if op == "min" else values[-1]
    percent = 50 if op == "median" else int(op[1:])
    # The nearest rank: the first value with at least that share of the values at or below it.
    return next(v for i, v in enumerate(values, 1) if Fraction(i, len(values)) >= Fraction(percent, 100))


def buckets(bucket: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the first instant of each bucket, and the first after it."""
    found = []
    at = start
    while at < end:
        moment = datetime.fromtimestamp(at / 1000, UTC)
        midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        if bucket == "day":
            until = at + DAY
        elif bucket == "week":
            until = int((midnight + timedelta(days=7 - midnight.weekday())).timestamp() * 1000)
        else:
            next_month = (midnight.replace(day=1) + timedelta(days=32)).replace(day=1)
            until = int(next_month.timestamp() * 1000)
        found.append((at, min(until, end)))
        at = until
    return found


def points(body: dict[str, Any], rows: Rows, start: int, end: int) -> list[tuple[int, Any]]:
    """Return the points of a series: where each begins, and its value."""
    query = body["query"]
    bucket = query.get("bucket")
    if bucket is None:
        return []
    time = query.get("when", {}).get("field") or DATASETS[query["dataset"]].times[0].id
    at = place(query["dataset"], time)
    if bucket in {"hour", "weekday"}:

        def slot(row: tuple[str, list[Any]]) -> int:
            moment = datetime.fromtimestamp(row[1][at] // 1000, UTC)
            return moment.hour if bucket == "hour" else moment.weekday()

        count = 24 if bucket == "hour" else 7
        return [(each, measure(body, [row for row in rows if slot(row) == each])) for each in range(count)]
    return [
        (first, measure(body, [row for row in rows if first <= row[1][at] < last]))
        for first, last in buckets(bucket, start, end)
    ]


def explore(body: dict[str, Any], rows: Rows, now: int) -> tuple[list[Any], list[Any] | None]:
    """Return series as tuples of key, total and points: of the window, and of the window before."""
    query = body["query"]
    start, end = window(body, now)
    earlier = (start - (end - start), start)
    present = matched(body, rows, start, end)
    compares = query.get("compare") and end != 10**18
    previous = matched(body, rows, *earlier) if compares else []
    groups = parts(body, present)

    def shown(some: Rows, first: int, last: int) -> list[Any]:
        found = []
        for name, belongs in groups:
            own = [row for row in some if belongs(row)]
            found.append((name, measure(body, own), points(body, own, first, last)))
        return found

    return shown(present, start, end), shown(previous, *earlier) if compares else None


def parts(body: dict[str, Any], present: Rows) -> list[tuple[str, Callable[[Any], bool]]]:
    """Return the name of each series, and which rows belong to it."""
    query = body["query"]
    if "groupBy" not in query:
        return [("__all", lambda _: True)]
    at = place(query["dataset"], query["groupBy"])
    info = DATASETS[query["dataset"]].fields[at]
    totals = {
        value: measure(body, [row for row in present if row[1][at] == value])
        for value in {row[1][at] for row in present}
    }
    order, top = query.get("order", "natural"), query.get("top", 8)
    sign = 1 if order == "smallest" else -1
    ranked = sorted(totals, key=lambda v: (totals[v] is None, sign * (totals[v] or 0), key(v)))
    folds = len(ranked) > top and query.get("other", True)
    kept = ranked[: top - folds]
    if order == "natural":
        # None sorts after every value.
        def natural(value: Any) -> Any:
            return (1, 0) if value is None else (0, info.values.index(value) if info.values else value)

        kept = sorted(kept, key=natural)

    def has(value: Any) -> Callable[[Any], bool]:
        return lambda row: bool(row[1][at] == value)

    found = [(key(value), has(value)) for value in kept]
    if folds:
        found.append(("__other", lambda row: row[1][at] not in kept))
    return found


def key(value: Any) -> str:
    """Return what a group is called."""
    if value is None:
        return "__none"
    if str(value)[:2] == "__":
        return f"_{value}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def records(body: dict[str, Any], rows: Rows, now: int) -> list[str]:
    """Return the ids of the rows that are listed."""
    query = body["query"]
    dataset = DATASETS[query["dataset"]]
    time = place(query["dataset"], query.get("when", {}).get("field") or dataset.times[0].id)
    found = sorted(
        matched(body, rows, *window(body, now)), key=lambda row: (row[1][time], row[0]), reverse=True
    )
    sort = body.get("sort", {"by": "time"})
    descending = sort.get("direction", "desc") == "desc"
    if sort["by"] == "time":
        found = found if descending else found[::-1]
    else:
        at = place(query["dataset"], sort["by"])
        info = dataset.fields[at]
        with_value = [row for row in found if row[1][at] is not None]
        levels = sorted(
            {row[1][at] for row in with_value},
            key=lambda v: info.values.index(v) if info.type is FieldType.ENUM else v,
            reverse=descending,
        )
        found = [row for level in levels for row in with_value if row[1][at] == level] + [
            row for row in found if row[1][at] is None
        ]
    return [row[0] for row in found[: body.get("limit", 50)]]
