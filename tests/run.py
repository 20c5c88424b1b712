"""Run every test: the end-to-end tests on a local stack of their own, and beside them all others with pytest-xdist.

`make test` and `make test-all` run it. Whatever ends it (a failure, Ctrl-C, a signal), the stack stops.
"""

import argparse
import os
import signal
import subprocess
import sys
from contextlib import suppress
from types import FrameType
from typing import IO, NoReturn

from scripts.local.settings import LOCAL, ROOT
from tests.support.effort import ALL, VARIABLE

E2E_LOG = LOCAL / "e2e-tests.log"
INTERRUPTED = 130  # the exit code of a program that Ctrl-C ends
SECONDS_TO_STOP = 60


def pytest(*arguments: str, niceness: int = 0, output: IO[str] | None = None) -> subprocess.Popen[bytes]:
    """Start pytest, with its output on the terminal or in a file."""
    return subprocess.Popen(
        ["nice", "-n", str(niceness), sys.executable, "-m", "pytest", "-q", "--durations=15", *arguments],
        cwd=ROOT,
        stdout=output,
        stderr=output,
        start_new_session=True,  # the terminal's Ctrl-C reaches this program alone, which passes it on once
    )


def run(workers: str) -> int:
    """Run both parts and return the first exit code that isn't 0."""
    LOCAL.mkdir(exist_ok=True)
    print(f"1/2 All but the end-to-end tests, which run beside them (their output: {E2E_LOG})", flush=True)
    with E2E_LOG.open("w", encoding="utf-8") as log:
        end_to_end = pytest("tests/e2e", output=log)
    # One file's tests run in one process, in the order of the folders: the many small files of tests/unit fill the
    # end. The niceness leaves the processor to the stack, whose answers the end-to-end tests wait for.
    first = ("tests", "--ignore=tests/e2e", "--dist=loadfile", "--no-loadscope-reorder", "--unused-grants")
    others = pytest(*first, f"--numprocesses={workers}", niceness=10)
    try:
        code = others.wait()
        print("2/2 End-to-end tests", flush=True)
        end_to_end_code = end_to_end.wait()
        print(E2E_LOG.read_text(encoding="utf-8"), flush=True)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C doesn't break off what follows
        for part in (others, end_to_end):
            if part.poll() is None:
                part.send_signal(signal.SIGINT)  # pytest runs the ends of its fixtures, which stop the stack
        for part in (others, end_to_end):
            with suppress(subprocess.TimeoutExpired):
                part.wait(SECONDS_TO_STOP)
    if code:
        print("Next: fix what failed in part 1. Run one test with .venv/bin/python -m pytest PATH::NAME")
    if end_to_end_code:
        print("Next: fix what failed in part 2. The functions' log lines are in .local/e2e/emulator.log")
    return code or end_to_end_code


def _interrupt(signum: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(signum)


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description="Run every test.")
    parser.add_argument("--workers", default="2", help="processes beside the end-to-end tests")
    parser.add_argument("--all", action="store_true", help="try more seeds, interleavings and examples")
    arguments = parser.parse_args()
    if arguments.all:
        os.environ[VARIABLE] = ALL
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return run(arguments.workers)
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
