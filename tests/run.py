"""Every test, in two parts at once: the end-to-end tests wait for the most part, and the others compute.

`make test` and `make test-all` run it. Whatever ends it (a failure, Ctrl-C, a signal), the stack is taken down.
"""

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import NoReturn

from scripts.local.settings import LOCAL, ROOT
from tests.e2e import own_stack
from tests.support.effort import ALL, VARIABLE

LOG = LOCAL / "e2e-start.log"
TESTS_LOG = LOCAL / "e2e-tests.log"
INTERRUPTED = 130  # what a shell says of a program that Ctrl-C ended
STACK_SECONDS = 600


class BackgroundStack:
    """The end-to-end tests' stack, as it comes up in a process of its own that writes to a log."""

    def __init__(self) -> None:
        self.port = own_stack.free_port()
        LOG.parent.mkdir(parents=True, exist_ok=True)
        with LOG.open("w", encoding="utf-8") as log:
            # A session of its own: Ctrl-C in the terminal reaches this program, which then ends it in order.
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.e2e.own_stack", str(self.port)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=ROOT,
            )

    def wait(self) -> bool:
        """Wait until it is up, and return whether it is."""
        try:
            return self._process.wait(STACK_SECONDS) == 0
        except subprocess.TimeoutExpired:
            return False

    def problem(self) -> str:
        """Return why no end-to-end test ran: what the log ends with."""
        last = "\n".join(f"  {line}" for line in LOG.read_text(encoding="utf-8").splitlines()[-10:])
        return (
            f"The local stack did not start in {STACK_SECONDS} s, so no end-to-end test ran. "
            f"Its log ends:\n\n{last}\n\n"
            f"Next: fix what it names (full log: {LOG.relative_to(ROOT)}), then: make test"
        )

    def stop(self) -> None:
        """Take it down, even while it is coming up."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)  # it leads its group: sam build ends, too
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        own_stack.stop()


class Part:
    """One run of pytest, in a process of its own."""

    def __init__(
        self,
        *arguments: str,
        below: int = 0,
        log: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start it `below` steps of priority lower; it prints to the terminal, or to a log that `finish` shows."""
        self._log = log
        output = log.open("w", encoding="utf-8") if log else None
        self._process = subprocess.Popen(
            ["nice", "-n", str(below), sys.executable, "-m", "pytest", "-q", *arguments],
            env={**os.environ, **(environment or {})},
            start_new_session=True,  # Ctrl-C reaches it through `interrupt`, once
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
        )
        if output:
            output.close()

    def finish(self) -> int:
        """Wait for its end, print its log if it has one, and return pytest's exit code."""
        code = self._process.wait()
        if self._log:
            print(self._log.read_text(encoding="utf-8"), flush=True)
        return code

    def interrupt(self) -> None:
        """End it as Ctrl-C does: pytest runs the ends of its fixtures."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()


class EndToEnd:
    """The end-to-end tests, which start by themselves when their stack is up."""

    def __init__(self) -> None:
        self._stack = BackgroundStack()
        self._part: Part | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._start, daemon=True)
        self._thread.start()

    def _start(self) -> None:
        if self._stack.wait() and not self._ended.is_set():
            port = {own_stack.PORT_VARIABLE: str(self._stack.port)}
            self._part = Part("tests/e2e", "--durations=15", log=TESTS_LOG, environment=port)

    def finish(self) -> int:
        """Wait for their end and return pytest's exit code, or 1 where the stack did not come up."""
        self._thread.join()
        if self._part is None:
            print(self._stack.problem(), flush=True)
            return 1
        return self._part.finish()

    def stop(self) -> None:
        """End them, also before they have started, and take their stack down."""
        self._ended.set()
        for _ in range(2):  # they may just be starting
            if self._part is not None:
                self._part.interrupt()
            self._stack.stop()
            self._thread.join()


def run(workers: int) -> int:
    """Run both parts and return the exit code of the first that fails, or 0."""
    started = time.monotonic()
    # A run writes and reads the compiled tests, even if the environment forbids it: they take a minute to compile.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    print(
        "1/2 Unit, integration, simulation and architecture tests; beside them the local stack starts, "
        f"and then the end-to-end tests (their output: {TESTS_LOG.relative_to(ROOT)})",
        flush=True,
    )
    end_to_end = EndToEnd()
    # The small files of tests/unit are last, so that the processes end together. Lower than the stack and its tests,
    # which have answers to wait for.
    others = Part("tests", "--ignore=tests/e2e", "--processes", str(workers), "--unused-grants", below=10)
    try:
        code = others.finish()
        if code != 0:
            print("\nNext: fix what failed above; run one test with .venv/bin/python -m pytest PATH::NAME")
        print(
            f"2/2 End-to-end tests, against the local stack (after {time.monotonic() - started:.0f} s)",
            flush=True,
        )
        end_to_end_code = end_to_end.finish()
        if end_to_end_code != 0:
            print("\nNext: fix what failed above. The functions' log lines are in .local/e2e/emulator.log.")
    finally:
        # What ends the tests and the stack is not broken off by a second Ctrl-C.
        previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
        others.interrupt()
        end_to_end.stop()
        signal.signal(signal.SIGINT, previous)
    if code or end_to_end_code:
        return code or end_to_end_code
    print(
        f"All tests passed in {time.monotonic() - started:.0f} s. "
        "Next: make check before a commit, make dev to try the service."
    )
    return 0


def _interrupt(signum: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(signum)


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=2, help="processes of the first part")
    parser.add_argument(
        "--all", action="store_true", help="the long forms: more seeds, interleavings and examples"
    )
    arguments = parser.parse_args()
    if arguments.all:
        os.environ[VARIABLE] = ALL
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return run(arguments.workers)
    except KeyboardInterrupt:
        print("\nInterrupted; the local stack is stopped.", flush=True)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
