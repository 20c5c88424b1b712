"""Tests in several processes, which fork from the one that has imported and collected all of them.

A plugin of pytest that tests/conftest.py loads; `--processes 2` is what turns it on. A process takes the next file when
it has run one, so a file's tests stay in one process, and what they share is made once.
"""

import multiprocessing
import os
import signal
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from io import UnsupportedOperation
from itertools import pairwise
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from tempfile import TemporaryFile
from typing import Any

import pytest

OPTION = "processes"
_fork = multiprocessing.get_context("fork")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--processes`."""
    parser.addoption(f"--{OPTION}", type=int, default=0, help="run the tests in this many forked processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the collected tests, or leave them to pytest where no processes are wanted."""
    number: int = session.config.getoption(OPTION)
    if not number or session.config.option.collectonly or session.testsfailed:
        return None  # pytest's own loop says what could not be collected
    processes = _Processes(session, number)
    try:
        processes.report()
    finally:
        processes.end()
    return True


class _Processes:
    """The processes that run tests, and what they say."""

    def __init__(self, session: pytest.Session, number: int) -> None:
        self._session = session
        self._last: dict[Connection, str] = {}
        self._processes: dict[Connection, ForkProcess] = {}
        files = defaultdict(list)
        for item in session.items:
            files[item.path].append(item)
        taken = _fork.Value("i", 0)
        for _ in range(number):
            says, said = _fork.Pipe(duplex=False)
            others = [*self._processes, says]
            process = _fork.Process(target=_run, args=(session, list(files.values()), taken, said, others))
            process.start()
            said.close()
            self._processes[says] = process

    def report(self) -> None:
        """Give pytest what the processes report, until their end."""
        while self._processes:
            for connection in wait(list(self._processes)):
                assert isinstance(connection, Connection)
                try:
                    hook, arguments = connection.recv()
                except EOFError:
                    self._ended(connection)
                else:
                    self._call(connection, hook, arguments)
                if self._session.shouldfail:
                    raise self._session.Failed(self._session.shouldfail)
                if self._session.shouldstop:
                    raise self._session.Interrupted(self._session.shouldstop)

    def _call(self, connection: Connection, hook: str, arguments: Mapping[str, Any]) -> None:
        config = self._session.config
        if hook == "pytest_runtest_logreport":
            report = config.hook.pytest_report_from_serializable(config=config, data=arguments["report"])
            config.hook.pytest_runtest_logreport(report=report)
        else:
            self._last[connection] = arguments["nodeid"]
            getattr(config.hook, hook)(**arguments)

    def _ended(self, connection: Connection) -> None:
        """Fail the test in which a process ended before its time."""
        process = self._processes.pop(connection)
        connection.close()
        process.join()
        if process.exitcode:
            name = self._last.get(connection, "")
            ended = pytest.TestReport(
                nodeid=name,
                location=(name.partition("::")[0], None, name),
                keywords={},
                outcome="failed",
                longrepr=f"Its process ended with {process.exitcode}, and ran no test after it.",
                when="call",
            )
            self._session.config.hook.pytest_runtest_logreport(report=ended)

    def end(self) -> None:
        """Interrupt those that run: they run the ends of their fixtures."""
        for connection, process in self._processes.items():
            connection.close()
            with suppress(ProcessLookupError):
                os.kill(process.ident or 0, signal.SIGINT)
        for process in self._processes.values():
            process.join()
        self._processes.clear()


class _Speaker:
    """A plugin of a process: sends to the first process what pytest would say here."""

    def __init__(self, config: pytest.Config, said: Connection) -> None:
        self._config = config
        self._said = said

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """Send which test begins."""
        self._said.send(("pytest_runtest_logstart", {"nodeid": nodeid, "location": location}))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send what became of a phase of it."""
        config = self._config
        data = config.hook.pytest_report_to_serializable(config=config, report=report)
        self._said.send(("pytest_runtest_logreport", {"report": data}))

    def pytest_runtest_logfinish(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """Send that it has ended."""
        self._said.send(("pytest_runtest_logfinish", {"nodeid": nodeid, "location": location}))


def _run(
    session: pytest.Session,
    files: Sequence[Sequence[pytest.Item]],
    taken: Any,
    said: Connection,
    others: Sequence[Connection],
) -> None:
    """Run files in a process that has just been forked, until none is left."""
    os.setpgid(0, 0)  # Ctrl-C reaches the first process, which ends this one
    for connection in others:
        connection.close()
    plugins = session.config.pluginmanager
    plugins.unregister(name="terminalreporter")
    plugins.register(_Speaker(session.config, said))
    capture: Any = plugins.get_plugin("capturemanager")
    _capture_apart(capture._global_capturing)
    try:
        _run_tests(session, _items(files, taken))
    except (KeyboardInterrupt, BrokenPipeError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        session._setupstate.teardown_exact(None)
    finally:
        capture.stop_global_capturing()  # what this process dies of is to be read


def _capture_apart(capture: Any) -> None:
    """Capture into files of this process, not into those that it shares with the others since the fork.

    The captured streams stay the same objects: loggers that were made during collection write to them.
    """
    for each in (capture.out, capture.err):
        with suppress(AttributeError, UnsupportedOperation), TemporaryFile(buffering=0) as own:
            os.dup2(own.fileno(), each.tmpfile.fileno())


def _items(files: Sequence[Sequence[pytest.Item]], taken: Any) -> Iterator[pytest.Item | None]:
    """Return the tests of a file after the other, none of which another process has taken, and None at the end."""
    while True:
        with taken.get_lock():
            number = taken.value
            taken.value += 1
        if number >= len(files):
            break
        yield from files[number]
    yield None


def _run_tests(session: pytest.Session, items: Iterator[pytest.Item | None]) -> None:
    for item, following in pairwise(items):
        assert item is not None
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail or session.shouldstop:
            return
