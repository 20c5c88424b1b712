"""What the tests cost: at the end of a run in several processes, its ten most expensive files.

A plugin of pytest that tests/conftest.py loads. Seconds of the processor are those of a test's own process and of those
that it started and waited for; they depend less than the time on what else the machine does.
"""

import os
from collections import defaultdict
from collections.abc import Generator
from typing import Any

import pytest

from tests.support import processes

SHOWN = 10
_COST = "processor_seconds"
_COLLECTING = "(importing and collecting)"
_spent: defaultdict[str, float] = defaultdict(float)
_passed: defaultdict[str, float] = defaultdict(float)


def _seconds() -> float:
    return sum(os.times()[:4])


_reported = [0.0]  # how many of this process's seconds are on a report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Write a phase's cost on its report, which goes to the process that prints."""
    report = yield
    before, _reported[0] = _reported[0], _seconds()
    report.user_properties.append((_COST, _reported[0] - before))
    return report


def pytest_collection_finish() -> None:
    """Note what importing and collecting cost: the processes fork afterwards, and their seconds begin at none."""
    _spent[_COLLECTING] = _seconds()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add a phase's cost to its file's."""
    file = report.nodeid.partition("::")[0]
    for name, value in report.user_properties:
        if name == _COST:
            _spent[file] += float(str(value))
    _passed[file] += report.duration


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the most expensive files of a run in several processes."""
    if not config.getoption(processes.OPTION) or not _passed:
        return
    total = sum(_spent.values())
    terminalreporter.write_line(f"\n{total:.0f} s of the processor; the most expensive:")
    for file, spent in sorted(_spent.items(), key=lambda each: -each[1])[:SHOWN]:
        terminalreporter.write_line(
            f"{spent:6.1f} s {spent / total:4.0%} {_passed[file]:6.1f} s passed  {file}"
        )
