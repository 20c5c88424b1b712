"""`python -m scripts.local` says in a line what is wrong, and touches nothing that it did not start."""

import fcntl
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scripts.local.__main__ import main
from scripts.local.processes import ProcessRecord

type Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command with these arguments; return its exit code, its output and its errors."""

    def command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["scripts.local", *arguments])
        status = main()
        return status, *capsys.readouterr()

    return command


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def somebody_elses_process() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
    yield process
    process.kill()
    process.wait()


def test_a_port_that_another_program_holds_gives_one_line(taken_port: int, run: Run, tmp_path: Path) -> None:
    status, _, errors = run("up", "--port", str(taken_port), "--folder", str(tmp_path))

    assert status == 1
    assert errors == (
        f"Port {taken_port} is taken by another program: stop that one, or choose a port: "
        f"make up PORT={taken_port + 1}\n"
    )


@pytest.mark.parametrize(
    ("parameters", "line"),
    [
        ("Speed=1", "PARAMETERS names 'Speed'; the template has "),
        ("RetryDelaysSeconds", "PARAMETERS has 'RetryDelaysSeconds'; write Name=value, separated by spaces."),
        ("Stage=prod", "PARAMETERS may not set Stage: the local stack's is fixed."),
    ],
)
def test_a_parameter_that_cannot_be_meant_gives_one_line(
    parameters: str, line: str, run: Run, tmp_path: Path
) -> None:
    status, _, errors = run("up", "--parameters", parameters, "--folder", str(tmp_path))

    assert status == 1
    assert errors.startswith(line)
    assert errors.count("\n") == 1


def test_a_stack_in_the_hands_of_another_make_gives_one_line(run: Run, tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write('{"pid": 4711}')
        lock.flush()
        status, _, errors = run("up", "--folder", str(tmp_path))

    assert status == 1
    assert errors == (
        "Another make is using the stack on port 4566 (process 4711): let it end, or press Ctrl-C there.\n"
    )


def test_a_process_that_only_has_the_number_of_an_earlier_emulator_is_left_alone(
    somebody_elses_process: subprocess.Popen[bytes], run: Run, tmp_path: Path
) -> None:
    ProcessRecord(somebody_elses_process.pid, began="long ago").save(tmp_path / "emulator.json")

    status, _, _ = run("down", "--folder", str(tmp_path))

    assert status == 0
    assert somebody_elses_process.poll() is None


def test_a_process_is_stopped_when_it_is_the_one_that_was_written_down(
    somebody_elses_process: subprocess.Popen[bytes], run: Run, tmp_path: Path
) -> None:
    # Not somebody else's, this time.
    record = ProcessRecord.of(somebody_elses_process.pid)
    record.save(tmp_path / "emulator.json")
    assert record.runs()

    status, _, _ = run("down", "--folder", str(tmp_path))

    assert status == 0
    assert not record.runs()


def test_down_with_nothing_running_says_so(run: Run, tmp_path: Path) -> None:
    status, output, _ = run("down", "--folder", str(tmp_path), "--port", "4999")

    assert status == 0
    assert "Nothing of this project runs on port 4999." in output
