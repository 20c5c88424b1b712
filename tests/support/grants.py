"""What roles grant, and what tests used of it: a run of all tests fails for a grant that no test used.

A plugin of pytest that tests/conftest.py loads; `--unused-grants`, which `make test` passes, turns it on.
"""

from collections.abc import Generator
from typing import Any, Final, NamedTuple

import pytest

OPTION = "--unused-grants"
_USED = "grants"


class Grant(NamedTuple):
    """A part of a statement that allows: an action on a resource, or a pattern of its condition."""

    function: str
    allows: str
    of: str

    def __str__(self) -> str:
        """Say what is allowed, for a message."""
        return f"{self.function}: {self.allows} on {self.of}"


used: Final[set[Grant]] = set()
"""What allowed the calls of this process."""

_reported: set[Grant] = set()
_of_all_processes: set[Grant] = set()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--unused-grants`."""
    parser.addoption(OPTION, action="store_true", help="fail for what the template grants and no test used")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Write the grants that a test was the first to use on its report, which goes to the process that decides."""
    report = yield
    report.user_properties += [(_USED, list(grant)) for grant in used - _reported]
    _reported.update(used)
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collect what the processes report."""
    properties: Any = report.user_properties
    _of_all_processes.update(Grant(*value) for name, value in properties if name == _USED)


def _unused() -> list[Grant]:
    from tests.support.policies import all_grants  # noqa: PLC0415 - it reads the template, which takes a second

    return sorted(all_grants() - _of_all_processes)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that has passed otherwise: tests that failed may have used the rest."""
    if session.config.getoption(OPTION) and session.exitstatus == pytest.ExitCode.OK and _unused():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """List the unused grants."""
    if config.getoption(OPTION) and (unused := _unused()):
        terminalreporter.write_line(
            "\nThe template grants what no test used. Remove it, or test what needs it:"
        )
        for grant in unused:
            terminalreporter.write_line(f"  {grant}")
