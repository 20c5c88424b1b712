"""`make test`: its parts in order, and a local stack that is taken down whatever happens."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import run as runner
from tests.e2e import own_stack


class FakeStack:
    """Stands in for the local stack: whether it came up, and what was asked of it."""

    port = 4999

    def __init__(self, asked: list[str], *, up: bool = True) -> None:
        self.asked, self.up = asked, up
        asked.append("start")

    def wait(self) -> bool:
        self.asked.append("wait")
        return self.up

    def stop(self) -> None:
        self.asked.append("stop")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens, in order; both parts pass unless a test says otherwise."""
    happened: list[str] = []
    monkeypatch.setattr(runner, "BackgroundStack", lambda: FakeStack(happened))
    monkeypatch.setattr(runner, "part", parts(happened, 0, 0))
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # it removes that variable permanently
    return happened


def parts(happened: list[str], first: int, second: int) -> Callable[..., int]:
    def part(arguments: list[str], **environment: str) -> int:
        happened.append(" ".join([arguments[0], *environment.values()]))
        return second if arguments[0] == "tests/e2e" else first

    return part


def test_the_stack_starts_first_and_stops_last(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.run(2) == 0
    assert asked == ["start", "tests", "wait", "tests/e2e 4999", "stop"]
    assert "Next: make check before a commit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("codes", "expected"),
    [((1, 0), ["start", "tests", "stop"]), ((0, 1), ["start", "tests", "wait", "tests/e2e 4999", "stop"])],
    ids=["first part", "second part"],
)
def test_a_failure_stops_the_stack_and_says_what_to_do_next(
    codes: tuple[int, int],
    expected: list[str],
    asked: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(runner, "part", parts(asked, *codes))

    assert runner.run(2) == 1
    assert asked == expected
    assert "\nNext: fix what failed above" in capsys.readouterr().out


def test_ctrl_c_stops_the_stack(
    asked: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any, **__: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "part", interrupted)
    monkeypatch.setattr(sys, "argv", ["run"])
    monkeypatch.setattr(signal, "signal", lambda *_: signal.SIG_DFL)

    assert runner.main() == 130
    assert asked == ["start", "stop"]
    assert "Interrupted; the local stack is stopped." in capsys.readouterr().out


def test_a_stack_that_does_not_come_up_fails_without_its_tests(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "BackgroundStack", lambda: FakeStack(asked, up=False))

    assert runner.run(2) == 1
    assert asked == ["start", "tests", "wait", "stop"]


@pytest.fixture
def background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], runner.BackgroundStack]:
    """Start a program in place of the one that brings the stack up."""
    monkeypatch.setattr(runner, "LOG", tmp_path / "start.log")
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    monkeypatch.setattr(own_stack, "stop", lambda: None)
    popen = subprocess.Popen

    def start(program: str) -> runner.BackgroundStack:
        def other(_: list[str], **options: Any) -> Any:
            return popen([sys.executable, "-c", program], **options)

        monkeypatch.setattr(subprocess, "Popen", other)
        return runner.BackgroundStack()

    return start


def test_a_failed_start_shows_its_output_and_what_to_do(
    background: Callable[[str], runner.BackgroundStack], capsys: pytest.CaptureFixture[str]
) -> None:
    stack = background("print('building'); raise SystemExit('The port is taken.')")

    assert stack.wait() is False
    shown = capsys.readouterr().out
    assert "The port is taken." in shown
    assert "Next: fix what it names (full log: start.log), then: make test" in shown


def test_a_start_that_is_under_way_ends_with_all_that_it_began(
    background: Callable[[str], runner.BackgroundStack], tmp_path: Path
) -> None:
    child = tmp_path / "child"
    stack = background(
        "import pathlib, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"pathlib.Path({str(child)!r}).write_text(str(child.pid))\n"
        "time.sleep(60)"
    )
    deadline = time.monotonic() + 20
    while not (child.exists() and child.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.02)

    stack.stop()

    number = int(child.read_text())
    while _runs(number):
        assert time.monotonic() < deadline, "what the start began still runs"
        time.sleep(0.02)


def _runs(number: int) -> bool:
    try:
        os.kill(number, 0)
        state = Path(f"/proc/{number}/stat")
        return not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except ProcessLookupError:
        return False
