"""The plugin that runs tests in forked processes: what it says is what pytest says of a single process."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.template import ROOT

PASSES = """
import logging, os, pytest, sys

logger = logging.Logger("of the module")
logger.addHandler(logging.StreamHandler(sys.stdout))

@pytest.fixture(scope="module")
def process():
    yield os.getpid()
    print("module ended", flush=True)

@pytest.mark.parametrize("number", range(3))
def test_in_one_process(process, number):
    print("written to the terminal by", number)
    logger.info("written to the terminal by a logger that was there before the fork")
    assert process == os.getpid() != os.getppid()
"""
FAILS = """
import logging, sys

logger = logging.Logger("of the module")
logger.addHandler(logging.StreamHandler(sys.stdout))

def test_fails():
    print("what it printed")
    logger.warning("said by the logger")
    assert 1 == 2

def test_after_a_failure():
    pass
"""
DIES = """
import os, signal

def test_dies():
    os.kill(os.getpid(), signal.SIGKILL)

def test_after_a_death():
    pass
"""
WAITS = """
import pathlib, time, pytest

@pytest.fixture
def file():
    place = pathlib.Path(__file__).with_name("waits")
    place.touch()
    yield
    place.unlink()

def test_waits(file):
    time.sleep(60)
"""


def command(folder: Path) -> list[str]:
    options = ["-c", os.devnull, "--rootdir", str(folder), "-p", "no:cacheprovider"]
    return [
        sys.executable, "-m", "pytest", "-q", *options, "-p", "tests.support.processes", "--processes", "2", str(folder)
    ]  # fmt: skip


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "250"}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a run prints of two files whose tests pass, of one with a failure, and of one that ends its process."""
    folder = tmp_path_factory.mktemp("tests")
    for name, tests in {"passes": PASSES, "passes_too": PASSES, "dies": DIES, "fails": FAILS}.items():
        (folder / f"test_{name}.py").write_text(tests, encoding="utf-8")
    done = subprocess.run(command(folder), env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    return done.stdout


def test_each_test_is_counted_once(printed: str) -> None:
    assert "2 failed, 7 passed in" in printed


def test_a_failure_is_shown_with_its_reason_and_its_output(printed: str) -> None:
    assert "assert 1 == 2" in printed
    assert "what it printed" in printed


def test_what_passing_tests_print_is_captured(printed: str) -> None:
    assert "written to the terminal" not in printed


def test_a_logger_that_was_made_before_the_fork_can_be_used(printed: str) -> None:
    assert "Logging error" not in printed
    assert "said by the logger" in printed


def test_a_test_whose_process_is_killed_has_failed(printed: str) -> None:
    assert "test_dies.py::test_dies - Its process ended with -9, and ran no test after it." in printed


def test_an_interrupted_run_runs_the_ends_of_fixtures(tmp_path: Path) -> None:
    (tmp_path / "test_waits.py").write_text(WAITS, encoding="utf-8")
    held = tmp_path / "waits"
    with subprocess.Popen(command(tmp_path), env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as run:
        deadline = time.monotonic() + 30
        while not held.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert held.exists()
        run.send_signal(signal.SIGINT)
        printed, _ = run.communicate(timeout=30)

    assert "KeyboardInterrupt" in printed
    assert not held.exists()
