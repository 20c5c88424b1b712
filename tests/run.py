"""Every test, in two parts; the local stack of the second starts in the background of the first.

`make test` and `make test-all` run it. Whatever ends it (a failure, Ctrl-C, a signal), the stack is taken down.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from types import FrameType
from typing import NoReturn

from scripts.local.settings import LOCAL, ROOT
from tests.e2e import own_stack
from tests.support.effort import ALL, VARIABLE

LOG = LOCAL / "e2e-start.log"
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
        """Wait until it is up; where it is not, say what its log ends with. Return whether it is."""
        if self._process.poll() is None:
            print("Waiting for the local stack.", flush=True)
        try:
            if self._process.wait(STACK_SECONDS) == 0:
                return True
        except subprocess.TimeoutExpired:
            print(f"It is not up after {STACK_SECONDS} s.")
        last = LOG.read_text(encoding="utf-8").splitlines()[-10:]
        print("The local stack did not start, so no end-to-end test ran. Its log ends:\n")
        print("\n".join(f"  {line}" for line in last))
        print(f"\nNext: fix what it names (full log: {LOG.relative_to(ROOT)}), then: make test", flush=True)
        return False

    def stop(self) -> None:
        """Take it down, also while it is coming up."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)  # it leads its group: sam build ends, too
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        own_stack.stop()


def part(arguments: list[str], **environment: str) -> int:
    """Run pytest and return its exit code; on Ctrl-C it is waited for, because it ends in order itself."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", *arguments], env={**os.environ, **environment}, cwd=ROOT
    )
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        process.wait()
        raise


def run(workers: int) -> int:
    """Run both parts and return the exit code of the first that fails, or 0."""
    started = time.monotonic()
    # A run writes and reads the compiled tests, also where the environment forbids it: they take a minute to compile.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    print(
        "1/2 Unit, integration, simulation and architecture tests; the local stack starts meanwhile",
        flush=True,
    )
    stack = BackgroundStack()
    try:
        code = part(["tests", "--ignore=tests/e2e", "-n", str(workers), "--dist", "loadgroup"])
        if code != 0:
            print("\nNext: fix what failed above; run one test with .venv/bin/python -m pytest PATH::NAME")
            return code
        seconds = time.monotonic() - started
        print(f"2/2 End-to-end tests, against the local stack (after {seconds:.0f} s)", flush=True)
        if not stack.wait():
            return 1
        code = part(["tests/e2e", "-p", "no:xdist"], **{own_stack.PORT_VARIABLE: str(stack.port)})
        if code != 0:
            print("\nNext: fix what failed above. The functions' log lines are in .local/e2e/emulator.log.")
            return code
    finally:
        # What ends the stack is not broken off by a second Ctrl-C.
        previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
        stack.stop()
        signal.signal(signal.SIGINT, previous)
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
