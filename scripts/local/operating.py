"""`python -m scripts.local.operating`: the operator's command for several commands in one process.

The start of `scripts.admin` takes a second or two, nearly all of it imports. A stack runs up to ten commands when it
starts, so one process runs all of them. It reads the arguments of a command from each line of its standard input, as a
JSON array, and answers with a line: a JSON object with `status`, `output` and `errors`.
"""

import contextlib
import io
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Self

from scripts.local import build
from scripts.local.settings import ACCOUNT, REGION, ROOT, STACK_NAME, StackSettings


class RefusedError(Exception):
    """The operator's command failed; the message is its last line."""


class Operator:
    """The operator of a local stack, who has one process from the beginning of the `with` block to its end."""

    def __init__(self, settings: StackSettings) -> None:
        self._stack = [
            "--stack-name",
            STACK_NAME,
            "--region",
            REGION,
            "--endpoint-url",
            settings.endpoint_url,
        ]
        self._lock = threading.Lock()
        # It imports what it needs before the first command is there, such as while the emulator starts.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "scripts.local.operating"],
            cwd=ROOT,
            env=build.tool_environment() | ACCOUNT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()  # closes its input, upon which it ends

    def run(self, *words: str) -> dict[str, str]:
        """Run a command and return what it prints. Errors: RefusedError."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # noqa: S101 - mypy does not know what was asked for above
        assert stdout is not None  # noqa: S101
        with self._lock:
            try:
                stdin.write(json.dumps([*self._stack, *words]) + "\n")
                stdin.flush()
                answer = json.loads(stdout.readline())
            except (OSError, ValueError):
                raise RefusedError("The operator's command ended unexpectedly; its error is above.") from None
        if answer["status"] != 0:
            raise RefusedError(answer["errors"].strip().rpartition("\n")[2])
        printed: dict[str, str] = json.loads(answer["output"])
        return printed


def _answer(command: Callable[[Sequence[str]], int], words: Sequence[str]) -> dict[str, Any]:
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            status = command(words)
        except SystemExit as ended:  # argparse refuses a command line so
            status = int(ended.code or 0)
    return {"status": status, "output": output.getvalue(), "errors": errors.getvalue()}


def main() -> None:
    """Run commands until the input ends."""
    from scripts import admin  # noqa: PLC0415 - who starts this process does not need it

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches who started it, which closes the input
    for line in sys.stdin:
        print(json.dumps(_answer(admin.main, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
