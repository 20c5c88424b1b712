"""`make test`: its parts, and a local stack that is taken down whatever happens."""

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
        return self.up

    def problem(self) -> str:
        return "It did not start."

    def stop(self) -> None:
        self.asked.append("stop")


class FakePart:
    """Stands in for a run of pytest: its exit code, and what was asked of it."""

    def __init__(self, asked: list[str], codes: dict[str, int | type[BaseException]]) -> None:
        self.asked, self.codes, self.name = asked, codes, ""

    def __call__(
        self, name: str, *_: str, environment: dict[str, str] | None = None, **__: Any
    ) -> "FakePart":
        part = FakePart(self.asked, self.codes)
        part.name = " ".join([name, *(environment or {}).values()])
        self.asked.append(part.name)
        return part

    def finish(self) -> int:
        code = self.codes.get(self.name, 0)
        if isinstance(code, int):
            return code
        raise code

    def interrupt(self) -> None:
        self.asked.append(f"end {self.name}")


TESTS, END_TO_END = "tests", "tests/e2e 4999"


@pytest.fixture
def asked() -> list[str]:
    """What happens, in order."""
    return []


@pytest.fixture
def codes(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, int | type[BaseException]]:
    """The exit code of each part, or what interrupts it; 0 unless a test says otherwise."""
    given: dict[str, int | type[BaseException]] = {}
    monkeypatch.setattr(runner, "BackgroundStack", lambda: FakeStack(asked))
    monkeypatch.setattr(runner, "Part", FakePart(asked, given))
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # it removes that variable permanently
    return given


@pytest.mark.usefixtures("codes")
def test_the_parts_run_at_once_and_the_stack_stops_last(
    asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert runner.run(2) == 0
    assert asked[0] == "start"
    assert set(asked[1:3]) == {TESTS, END_TO_END}
    assert asked[-1] == "stop"
    assert "Next: make check before a commit" in capsys.readouterr().out


@pytest.mark.parametrize("failing", [TESTS, END_TO_END])
def test_a_failure_of_either_part_stops_the_stack_and_says_what_to_do_next(
    failing: str,
    asked: list[str],
    codes: dict[str, int | type[BaseException]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    codes[failing] = 1

    assert runner.run(2) == 1
    assert {TESTS, END_TO_END} < set(asked)
    assert asked[-1] == "stop"
    assert "\nNext: fix what failed above" in capsys.readouterr().out


def test_ctrl_c_ends_both_parts_and_then_the_stack(
    asked: list[str],
    codes: dict[str, int | type[BaseException]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    codes[TESTS] = KeyboardInterrupt
    monkeypatch.setattr(sys, "argv", ["run"])
    monkeypatch.setattr(signal, "signal", lambda *_: signal.SIG_DFL)

    assert runner.main() == 130
    assert "end tests" in asked
    assert END_TO_END not in asked or f"end {END_TO_END}" in asked
    assert asked[-1] == "stop"
    assert "Interrupted; the local stack is stopped." in capsys.readouterr().out


@pytest.mark.usefixtures("codes")
def test_a_stack_that_does_not_come_up_fails_without_its_tests(
    asked: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runner, "BackgroundStack", lambda: FakeStack(asked, up=False))

    assert runner.run(2) == 1
    assert END_TO_END not in asked
    assert asked[-1] == "stop"
    assert "It did not start." in capsys.readouterr().out


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
    background: Callable[[str], runner.BackgroundStack],
) -> None:
    stack = background("print('building'); raise SystemExit('The port is taken.')")

    assert stack.wait() is False
    shown = stack.problem()
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
