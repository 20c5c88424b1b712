"""Each benchmark runs, with sizes that measure nothing, and is written down. No test depends on the time it takes.

`make test` runs the quick ones; the others take seconds to begin, and `make test-all` runs them, too.
"""

import json
import subprocess
import sys

import pytest

from benchmarks.__main__ import BENCHMARKS
from benchmarks.report import ROOT, Section, Target, render
from tests.support import effort

FROM_A_BUILD = ("function_start", "package_sizes")
APART = ("outages", "peers")  # they have tests of their own
QUICK = [name for name in ("indexing", "retrieving") if name in BENCHMARKS]
SLOW = [name for name in BENCHMARKS if name not in {*FROM_A_BUILD, *APART, *QUICK}]

in_the_long_form = pytest.mark.skipif(
    bool(effort.of(1, 0)), reason="make test-all runs it: it takes half a minute"
)


def run(name: str, *, seconds: int = 120) -> Section:
    command = [sys.executable, "-m", "benchmarks", name, "--tiny", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, done.stderr
    return Section.from_json(json.loads(done.stdout.splitlines()[-1]))


def require_whole(section: Section) -> None:
    assert section.rows
    assert {len(row) for row in section.rows} == {len(section.columns)}
    assert f"## {section.title}" in render([section])


@pytest.mark.parametrize("name", QUICK)
def test_a_benchmark_runs(name: str) -> None:
    require_whole(run(name))


@in_the_long_form
@pytest.mark.parametrize("name", SLOW)
def test_a_slow_benchmark_runs(name: str) -> None:
    require_whole(run(name))


@in_the_long_form
@pytest.mark.build
@pytest.mark.parametrize("name", FROM_A_BUILD)
def test_a_benchmark_of_what_is_built_runs(name: str) -> None:
    require_whole(run(name))


@in_the_long_form
def test_the_always_on_service_delivers_every_event_with_either_queue() -> None:
    section = run("peers", seconds=600)  # the first run installs its packages

    require_whole(section)
    assert [row[0] for row in section.rows if "SQLite" in row[0]] == [
        "POST /messages: FastAPI, SQLite, Celery",
        "POST /messages: FastAPI, SQLite, the table as the queue",
        "A delivery: SQLite, Celery",
        "A delivery: SQLite, the table as the queue",
    ]


@in_the_long_form
def test_an_unexpected_failure_of_a_delivery_ends_the_outage_benchmark_with_an_error() -> None:
    program = """
from unittest import mock
from benchmarks import outages
from helpdesk.webhooks.delivery import repository
with mock.patch.object(repository, "claim", side_effect=ZeroDivisionError):
    outages.run(tiny=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 1
    assert "RuntimeError: deliveries failed" in done.stderr


@in_the_long_form
def test_the_outage_benchmark_ends_its_deliveries_before_it_ends() -> None:
    command = [sys.executable, "-m", "benchmarks", "outages", "--tiny", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("value", "strictly", "holds"),
    [(1.14, False, True), (1.15, False, True), (1.16, False, False), (1.14, True, True), (1.15, True, False)],
)
def test_a_target_holds_up_to_its_limit(value: float, strictly: bool, holds: bool) -> None:
    assert Target("a figure", value, 1.15, strictly).holds is holds


def test_a_missed_target_is_seen_in_the_results() -> None:
    section = Section("One", "Text.", ("What", "How long"), [("it", "1 ms")], [Target("It", 2.0, 1.5)])

    assert "| It | 2.00 | at most 1.50 | **no** |" in render([section])
