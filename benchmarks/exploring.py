"""The CPU time of POST /analytics/explore and /records over 20,000 rows, which is the most that one reads."""

import json
from collections.abc import Callable, Sequence

from benchmarks import analytics_rows, capacity, stub
from benchmarks.measuring import take_turns
from benchmarks.report import Section, Target
from helpdesk.analytics import exploring, rows
from helpdesk.analytics.query_schemas import MAX_SCANNED, ExploreInput
from helpdesk.platform.units import DAY_MS

TITLE = "CPU time of 20,000 rows of analytics"
TEXT = """`POST /v1/analytics/explore` and `/records` on conversations, the widest rows, after admission: the rows are
read, filtered, measured and written as the response. DynamoDB is a server on loopback in another process that answers
each query with a page of 1 MB, so the time is this side's alone, HTTP included. A Lambda of 1,024 MB has 0.58 of a
processor. `make bench` measures on another machine than Lambda's, so the figure is compared with a second."""

_START_MS = 1_762_300_800_000  # 2025-11-05, so that 20 days are in one month
_DAYS = 20
_PAGE_BYTES = 1_048_576
_SECONDS = 1.0

_MEDIAN = {"op": "median", "field": "firstResponseTime"}
_FILTER = {"field": "subject", "op": "contains", "value": "refund"}
QUERIES: dict[str, dict[str, object]] = {
    "explore: count by day": {"bucket": "day"},
    "explore: median by day and channel": {"measure": _MEDIAN, "bucket": "day", "groupBy": "channel"},
    "explore: largest subjects, of a filter": {
        "filters": [_FILTER],
        "groupBy": "subject",
        "order": "largest",
    },
}


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    page, size = [], 0
    made = analytics_rows.facts(30_000, _START_MS + _DAYS * DAY_MS, only=rows.CONVERSATIONS)
    for item in analytics_rows.items("org_1", made):
        if item["SK"]["S"] >= f"{_START_MS:013d}" and size < _PAGE_BYTES:
            size += capacity.size(item)
            page.append(item)
    last = {name: page[-1][name] for name in ("PK", "SK")}
    answer = json.dumps({"Items": page, "Count": len(page), "LastEvaluatedKey": last})
    rounds, repeats = (1, 1) if tiny else (5, 1)
    with stub.answering({"Query": answer}) as address:
        stub.use(address)
        works = {name: _explored(query) for name, query in QUERIES.items()} | {"records: 200 rows": _listed()}
        timings = take_turns(works, rounds=rounds, repeats=repeats)
    table: list[Sequence[str]] = [
        (name, f"{timings.least(name):.2f} s", f"{timings.median(name):.2f} s") for name in works
    ]
    slowest = max(timings.least(name) for name in works)
    return Section(
        TITLE,
        TEXT,
        (f"{MAX_SCANNED:,} rows, {len(page):,} a page", "CPU", "median"),
        table,
        [Target("explore and records of 20,000 rows (s)", slowest, _SECONDS)],
    )


def _body(query: dict[str, object]) -> ExploreInput:
    return ExploreInput.model_validate(
        {"query": {"dataset": rows.CONVERSATIONS, **query}, "from": _START_MS, "days": _DAYS, "limit": 200}
    )


def _explored(query: dict[str, object]) -> Callable[[], None]:
    def work() -> None:
        found = exploring.explore("org_1", _body(query))
        found.model_dump_json(by_alias=True)
        if found.scanned != MAX_SCANNED:
            raise RuntimeError(f"{found.scanned} rows were read")

    return work


def _listed() -> Callable[[], None]:
    def work() -> None:
        found = exploring.records("org_1", _body({"filters": [_FILTER]}))
        found.model_dump_json(by_alias=True)

    return work
