"""`make test`: both parts count, and what ends it ends them."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests import run as runner

ENDS_WITH_ITS_FIXTURES = """
import pathlib, sys, time
try:
    pathlib.Path(sys.argv[1]).touch()
    time.sleep(60)
finally:
    pathlib.Path(sys.argv[1] + ".ended").touch()
"""


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Run a program in place of each part; in order: all others, then the end-to-end tests."""
    handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr(runner, "LOCAL", tmp_path)
    monkeypatch.setattr(runner, "E2E_LOG", tmp_path / "e2e.log")

    def use(others: str, end_to_end: str) -> None:
        def start(first: str, *_: str, niceness: int = 0, output: IO[str] | None = None) -> Any:
            name, program = ("e2e", end_to_end) if first == "tests/e2e" else ("others", others)
            command = [sys.executable, "-c", program, str(tmp_path / name)]
            return subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)

        monkeypatch.setattr(runner, "pytest", start)

    yield use
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("others", "end_to_end", "code"),
    [("", "print('e2e passed')", 0), ("exit(3)", "", 3), ("", "exit(4)", 4)],
)
def test_a_failure_of_either_part_is_a_failure(
    parts: Callable[..., None], others: str, end_to_end: str, code: int
) -> None:
    parts(others, end_to_end)

    assert runner.run("2") == code


def test_the_output_of_the_end_to_end_tests_is_shown(
    parts: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    parts("", "print('12 passed')")

    runner.run("2")

    assert "12 passed" in capsys.readouterr().out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_lets_both_parts_end_their_fixtures(
    parts: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    started, ended = (tmp_path / "others", tmp_path / "e2e"), ("others.ended", "e2e.ended")
    parts(ENDS_WITH_ITS_FIXTURES, ENDS_WITH_ITS_FIXTURES)
    monkeypatch.setattr(sys, "argv", ["run"])
    monkeypatch.setattr(subprocess.Popen, "wait", _interrupting(number, started))

    assert runner.main() == 130
    assert all((tmp_path / name).exists() for name in ended)


def _interrupting(number: signal.Signals, started: tuple[Path, ...]) -> Callable[..., int]:
    """Return a `wait` that first sends this process a signal, once both programs run."""
    wait, sent = subprocess.Popen.wait, list[signal.Signals]()

    def waits(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        if not sent:
            sent.append(number)
            while not all(path.exists() for path in started):
                pass
            os.kill(os.getpid(), number)
        return wait(process, timeout)

    return waits
