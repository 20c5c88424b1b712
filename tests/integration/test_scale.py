"""What requests ask of AWS does not depend on how much an organization has: 200 conversations cost what 50 do.

Both are made by the product's own services (scripts/seeding); the newest fifty are the same in both. The same at up to
10,000 is in benchmarks/scale.md.
"""

import json
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.report import ROOT
from benchmarks.scale import Cost, Measured, grown
from tests.support import effort

SMALL, LARGE = 50, 200

in_the_long_form = pytest.mark.skipif(
    not effort.whole(), reason="make test-all runs it: it takes half a minute"
)


@pytest.fixture(scope="module")
def sizes() -> tuple[Measured, Measured]:
    """The same requests to a small organization and to a larger one, in a process of their own."""
    command = [sys.executable, "-m", "benchmarks.scale", "--json", f"{SMALL},{LARGE}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stderr
    results = [
        line for line in done.stdout.splitlines() if line.startswith('{"conversations"')
    ]  # others are logs
    small, large = map(Measured.from_json, results)
    return small, large


@in_the_long_form
def test_no_request_costs_more_where_there_are_four_times_as_many_conversations(
    sizes: tuple[Measured, Measured],
) -> None:
    small, large = sizes
    assert large.items > 2.5 * small.items  # both have as many posts as trending ones are found among
    assert grown(small, large) == []


@in_the_long_form
def test_bounded_reads_stay_within_their_bounds(sizes: tuple[Measured, Measured]) -> None:
    """2,000 ratings are 40 units at most, five hundred conversations of two lists 150."""
    _, large = sizes
    assert large.costs["GET /v1/analytics/satisfaction?days=30"].read_units <= 40
    assert large.costs["GET /v1/conversations?status=open&snoozed=true"].read_units <= 150


def of(**cost: Any) -> Measured:
    shown = {"calls": 3, "others": 0, "read_units": 2.0, "write_units": 4.0} | cost
    return Measured(1, 1, 1.0, 1, {"GET /v1/things": Cost(**shown)})


@pytest.mark.parametrize(
    ("more", "finding"),
    [
        ({"calls": 4}, "GET /v1/things: 4 calls"),
        ({"others": 1}, "GET /v1/things: 1 calls to S3 and SQS"),
        ({"read_units": 3.5}, "GET /v1/things: 3.5 read units"),
        ({"write_units": 7.0}, "GET /v1/things: 7 write units"),
    ],
)
def test_one_call_more_or_a_half_more_of_units_is_noticed(more: dict[str, Any], finding: str) -> None:
    assert grown(of(), of(**more)) == [finding]


def test_a_unit_of_rounding_is_not_growth() -> None:
    assert grown(of(), of(read_units=3.0, write_units=6.0)) == []


def test_a_result_is_read_back_as_it_was_written() -> None:
    result = of()
    written = json.dumps({"conversations": 1, "items": 1, "seconds": 1.0, "megabytes": 1})[:-1]
    costs = '{"GET /v1/things": {"calls": 3, "others": 0, "read_units": 2.0, "write_units": 4.0}}'
    assert Measured.from_json(f'{written}, "costs": {costs}, "pages": {{}}}}') == result
