"""`make scale`: what each route asks of AWS with 100, 1,000 and 10,000 conversations; writes benchmarks/scale.md.

python -m benchmarks.scale                        100, 1,000 and 10,000 conversations: some six minutes
python -m benchmarks.scale --sizes 100,1000       others; printed, not written
"""

import argparse
import dataclasses
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks import account_costs
from benchmarks.capacity import metered
from benchmarks.populated import Populated, populated
from benchmarks.report import ROOT, Section, circumstances, table
from benchmarks.scale_requests import Asked, following, reads, writes
from helpdesk.storage.stored import INDEXES
from scripts.openapi.routes import all_routes
from tests.support.embedded import embedded_once

SIZES = (100, 1_000, 10_000)
RESULTS = ROOT / "benchmarks" / "scale.md"
FLAT = 1.25
"""How much more a request may use at the largest size than at the smallest; half a unit more is rounding."""

BOUNDED = (
    "GET /v1/analytics/satisfaction",
    "GET /v1/conversations?snoozed=true",
    "GET /v1/conversations?status=open&snoozed",
    "GET /v1/signals?kind",
)
"""What reads no page but all there is up to a limit of its own: 2,000 ratings, 500 conversations of each list, four
queries of signals."""

_UNLISTED = ("/v1/openapi.json", "/v1/docs", "/v1/files/<token>", "/v1/erasures/<erasure_id>")
_S3_AND_SQS = ("GetObject", "PutObject", "DeleteObject", "HeadObject", "SendMessageBatch", "SendMessage")


@dataclass(slots=True)
class Cost:
    """What one piece of work took: calls to DynamoDB and to S3 or SQS, and units, those written by where they went."""

    calls: int
    others: int
    read_units: float
    write_units: float
    written: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Measured:
    """What was measured at one size."""

    conversations: int
    items: int
    seconds: float
    megabytes: int
    costs: dict[str, Cost] = field(default_factory=dict)
    pages: dict[str, Cost] = field(default_factory=dict)

    @classmethod
    def from_json(cls, text: str) -> "Measured":
        """Read what `dataclasses.asdict` gave."""
        data = json.loads(text)
        for part in ("costs", "pages"):
            data[part] = {name: Cost(**cost) for name, cost in data[part].items()}
        return cls(**data)


def measured(conversations: int) -> Measured:
    """Measure at one size, in this process."""
    started = time.monotonic()
    with populated(conversations) as it:
        seconds = time.monotonic() - started
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_024
        result = Measured(conversations, it.items, seconds, memory)
        next(iter(reads(it))).work()  # admission is warm from here on
        result.costs = dict(_costs(it, reads(it)))
        _require_every_read(it)
        result.pages = dict(_costs(it, (asked for asked in reads(it, page=0) if "," not in asked.shown)))
        result.costs |= _costs(it, writes(it))
        result.costs |= _costs(it, following(it))
    return result


def _costs(it: Populated, work: Iterator[Asked]) -> Iterator[tuple[str, Cost]]:
    for asked in work:
        it.clock.us += 1_000_000
        with metered() as used:
            asked.work()
        others = sum(call in _S3_AND_SQS for call in used.calls)
        yield (
            asked.shown,
            Cost(
                len(used.calls) - others,
                others,
                used.read_units,
                used.write_units,
                dict(Counter(used.written)),
            ),
        )


def _require_every_read(it: Populated) -> None:
    """Raise where a route that reads was not measured, except routes that return a single thing."""
    asked = {asked.route for asked in reads(it)}
    for route in all_routes():
        if (route.method, route.path) in asked or route.path in _UNLISTED or ".well-known" in route.path:
            continue
        if route.method == "GET" and not account_costs.STEPS.fullmatch(route.path):
            raise RuntimeError(f"not measured: GET {route.path}")


def grown(smaller: Measured, larger: Measured) -> list[str]:
    """Return descriptions of the costs that grow with the number of conversations."""
    found = []
    for shown, cost in larger.costs.items():
        before = smaller.costs[shown]
        if shown.startswith(BOUNDED):
            continue
        pairs: Sequence[tuple[str, float, float]] = (
            ("calls", before.calls, cost.calls),
            ("calls to S3 and SQS", before.others, cost.others),
            ("read units", before.read_units * FLAT + 0.5, cost.read_units),
            ("write units", before.write_units * FLAT + 1, cost.write_units),
        )
        found += [f"{shown}: {cost_now:g} {name}" for name, most, cost_now in pairs if cost_now > most]
    return found


def run_apart(conversations: int) -> Measured:
    """Measure in a process of its own: moto hooks itself into a process permanently, and memory is freed at its end."""
    command = [sys.executable, "-m", "benchmarks.scale", "--json", str(conversations)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return Measured.from_json(done.stdout.splitlines()[-1])


def main() -> int:
    """Measure and write; return 1 where something grows with the number of conversations."""
    parser = argparse.ArgumentParser(prog="benchmarks.scale")
    parser.add_argument("--sizes", help="numbers of conversations, with commas between")
    parser.add_argument("--json", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.json:
        with embedded_once():
            for size in options.json.split(","):
                print(json.dumps(dataclasses.asdict(measured(int(size)))))
        return 0
    sizes = [int(size) for size in options.sizes.split(",")] if options.sizes else SIZES
    found = []
    for size in sizes:
        print(f"{size:,} conversations …", end=" ", flush=True)
        found.append(run_apart(size))
        print(f"{found[-1].items:,} items, {found[-1].seconds:.0f} s", flush=True)
    if options.sizes:
        print("\n" + report(found))
    else:
        RESULTS.write_text(report(found), encoding="utf-8")
        print(f"Written: {RESULTS.relative_to(ROOT)}")
    growth = grown(found[0], found[-1])
    for line in growth:
        print(f"Grown: {line}", file=sys.stderr)
    return 1 if growth else 0


def report(found: Sequence[Measured]) -> str:
    """Return scale.md."""
    sections = [_sizes(found), _flat(found), _pages(found), _written(found)]
    parts = [
        "# What requests cost, with 100 conversations and with 10,000",
        "Written by `make scale`; not by hand.",
        _INTRODUCTION,
        circumstances(),
    ]
    growth = grown(found[0], found[-1])
    parts.append("**Grown:** " + "; ".join(growth) if growth else "Nothing grew.")
    for section in sections:
        parts += [f"## {section.title}", section.text, table(section.columns, section.rows)]
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = f"""One organization with so many conversations, made by the product's own services
(`scripts/seeding`): what is new is the same at every size, and the size says how much lies behind it. Every request is
made once, warm, by a secret key or a person, admission included. The table is in memory
(`scripts/seeding/memory_table.py`, held against moto by a test), its indexes in order, so that a million items fit.

Units are computed from the items that a call reads and writes, in every index, by the rules of DynamoDB's Developer
Guide (`benchmarks/capacity.py`): moto returns constants for `ReturnConsumedCapacity`, and the local stack's emulator
returns constants for reads. The emulator counts writes by the rules, indexes and transactions included, and a test
compares the computation with it. Another test compares calls and units at 200 conversations with those at 50. Flat
means no more calls, and at most {FLAT} times the units."""


def _sizes(found: Sequence[Measured]) -> Section:
    section = Section(
        "The organizations", "", ("Conversations", "Items", "made and indexed in", "memory at the end")
    )
    section.text = "A conversation every five minutes, so 10,000 are five weeks (`scripts/seeding/plan.py`)."
    for each in found:
        section.rows.append(
            (f"{each.conversations:,}", f"{each.items:,}", f"{each.seconds:.0f} s", f"{each.megabytes:,} MB")
        )
    return section


def _flat(found: Sequence[Measured]) -> Section:
    section = Section(
        "Every read, and the writes of an inbox",
        "Calls to DynamoDB, and where there are any to S3 or SQS behind a plus; then units read and units written. "
        "Lists are requested with five entries. Two kinds of read are bounded and not flat: satisfaction reads the "
        "ratings of its days, 2,000 at most, and a list of the snoozed conversations reads up to 500 open ones of "
        "each list.",
        ("Request", *(f"{each.conversations:,}" for each in found)),
    )
    for shown in found[-1].costs:
        section.rows.append((shown, *(_cell(each.costs[shown]) for each in found)))
    return section


def _cell(cost: Cost) -> str:
    others = f"+{cost.others}" if cost.others else ""
    return f"{cost.calls}{others} · {cost.read_units:g} · {cost.write_units:g}"


def _pages(found: Sequence[Measured]) -> Section:
    section = Section(
        "Pages of the usual size",
        "The same reads without `limit`, which is a page of 50, at the two larger sizes.",
        ("Request", *(f"{each.conversations:,}" for each in found[-2:])),
    )
    for shown in found[-1].pages:
        section.rows.append((shown, *(_cell(each.pages[shown]) for each in found[-2:])))
    return section


def _written(found: Sequence[Measured]) -> Section:
    places = ("table", *INDEXES)
    section = Section(
        "Where write units go", "At the largest size; a transaction's count double in the table.", ()
    )
    section.columns = ("Work", *places, "together")
    for shown, cost in found[-1].costs.items():
        if not shown.startswith("GET"):
            written = [str(cost.written.get(place, 0)) for place in places]
            section.rows.append((shown, *written, f"{cost.write_units:g}"))
    return section


if __name__ == "__main__":
    sys.exit(main())
