"""What exploring a year of 100,000 conversations takes, dataset by dataset; writes benchmarks/analytics.md.

python -m benchmarks.analytics_year                         some minutes, 2 GB of memory
python -m benchmarks.analytics_year --conversations 1000    printed, not written
"""

import argparse
import resource
import sys
import time
from typing import Any

from benchmarks.analytics_rows import PER_CONVERSATION, facts, items
from benchmarks.capacity import read_units
from benchmarks.recording import emulated_aws
from benchmarks.report import ROOT, circumstances, table
from helpdesk.analytics import exploring
from helpdesk.analytics.datasets import DATASETS, FieldType
from helpdesk.analytics.query_schemas import MAX_SCANNED, ExploreInput
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.platform.units import DAY_MS
from scripts.seeding.memory_table import MemoryTable, answering

RESULTS = ROOT / "benchmarks" / "analytics.md"
CONVERSATIONS = 100_000
ORGANIZATION = "org_1"
NOW_MS = 1_763_712_000_000  # 2025-11-21 08:00 UTC
WINDOWS = (1, 30, 366)
ROWS_FLAT = 1_000
"""From so many rows on, a row's cost is compared: the fixed cost of a request is then small."""
FLAT = 3.0
ROUNDS = 3

_TEXT = """# What analytics costs over a year of conversations

Written by `python -m benchmarks.analytics_year`; not by hand.

One organization with {conversations:,} conversations in a year, spread evenly, as {items:,} rows on the table in
memory (`scripts/seeding/memory_table.py`, which answers without HTTP). Each dataset is explored for a day, 30 days
and the year: a count by day, grouped by the dataset's first field that can be grouped. The newest {most:,} rows are
used at most; `capped` says that there are more. CPU is this process's, the table in memory included; `results.md`
has the same over HTTP without the table. Read units are computed by the rules of DynamoDB's Developer Guide.

{circumstances}
"""


def main() -> int:
    """Measure; return 1 where a row costs more in a longer window, or more rows are read than the limit."""
    parser = argparse.ArgumentParser(prog="benchmarks.analytics_year")
    parser.add_argument("--conversations", type=int, default=CONVERSATIONS)
    conversations: int = parser.parse_args().conversations
    memory = MemoryTable()
    started = time.monotonic()
    with emulated_aws(), clock.frozen(lambda: NOW_MS * 1_000), answering(memory):
        settings.cache_clear()
        memory.load(_noted(conversations))
        made = time.monotonic() - started
        found, problems = _explored()
    text = _TEXT.format(
        conversations=conversations, items=len(memory), most=MAX_SCANNED, circumstances=circumstances()
    )
    text += "\n" + table(
        (
            "dataset",
            "days",
            "scanned",
            "rows read",
            "capped",
            "queries",
            "read units",
            "CPU",
            "CPU for 1,000 rows",
        ),
        found,
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_024
    text += f"\nThe rows were made in {made:.0f} s and took {peak:,} MB at most.\n"
    text += "\n" + ("\n".join(problems) if problems else "A row costs the same in every window.") + "\n"
    if conversations == CONVERSATIONS:
        RESULTS.write_text(text, encoding="utf-8")
    print(text)
    return 1 if problems else 0


def _noted(conversations: int) -> Any:
    """Yield the rows and the list of months, which Facts notes."""
    months: dict[str, set[str]] = {}
    for item in items(ORGANIZATION, facts(conversations, NOW_MS)):
        *_, dataset, month = item["PK"]["S"].split("#")
        months.setdefault(dataset, set()).add(month)
        yield item
    for dataset, known in months.items():
        yield {
            "PK": {"S": f"ORG#{ORGANIZATION}#ANALYTICS"},
            "SK": {"S": dataset},
            **{month: {"BOOL": True} for month in known},
        }


def _explored() -> tuple[list[tuple[str, ...]], list[str]]:
    lines: list[tuple[str, ...]] = []
    problems: list[str] = []
    exploring.explore(ORGANIZATION, _body("conversations", WINDOWS[0]))  # what the first one imports
    for dataset in PER_CONVERSATION:
        costs: list[float] = []
        for days in WINDOWS:
            with _queried() as pages:
                started = time.process_time()
                result = exploring.explore(ORGANIZATION, _body(dataset, days))
                seconds = time.process_time() - started
            for _ in range(ROUNDS - 1):  # the fastest counts
                started = time.process_time()
                exploring.explore(ORGANIZATION, _body(dataset, days))
                seconds = min(seconds, time.process_time() - started)
            units = sum(read_units(page, consistent=False) for page in pages)
            read = sum(map(len, pages))
            each = seconds / max(read, 1)
            if read >= ROWS_FLAT:
                costs.append(each)
            if result.scanned > MAX_SCANNED:
                problems.append(f"{dataset}: {result.scanned} rows are read for {days} days.")
            lines.append(
                (
                    dataset,
                    str(days),
                    f"{result.scanned:,}",
                    f"{read:,}",
                    "yes" if result.capped else "no",
                    str(len(pages)),
                    f"{units:,.1f}",
                    f"{seconds * 1_000:,.0f} ms",
                    f"{each * 1e6:,.0f} ms" if read >= ROWS_FLAT else "",
                )
            )
        if costs and max(costs) > FLAT * min(costs):
            problems.append(
                f"{dataset}: a row's cost varies by {max(costs) / min(costs):.1f} between windows."
            )
    return lines, problems


class _queried:  # noqa: N801 - used as a function
    """Collect the items of each query inside."""

    def __init__(self) -> None:
        self.pages: list[list[Any]] = []
        self.client: Any = clients.dynamodb()

    def __enter__(self) -> list[list[Any]]:
        self.before = self.client._make_api_call  # noqa: SLF001 - the one place that all operations pass

        def call(operation: str, parameters: dict[str, Any]) -> Any:
            answer = self.before(operation, parameters)
            if operation == "Query":
                self.pages.append(answer["Items"])
            return answer

        self.client._make_api_call = call  # noqa: SLF001 - see above
        return self.pages

    def __exit__(self, *_: object) -> None:
        self.client._make_api_call = self.before  # noqa: SLF001 - see above


def _body(dataset: str, days: int) -> ExploreInput:
    groupable = {FieldType.ID, FieldType.STRING, FieldType.ENUM, FieldType.BOOLEAN}
    group = next(field.id for field in DATASETS[dataset].others if field.type in groupable)
    query = {"dataset": dataset, "bucket": "day", "groupBy": group}
    return ExploreInput.model_validate({"query": query, "from": NOW_MS - days * DAY_MS, "days": days})


if __name__ == "__main__":
    sys.exit(main())
