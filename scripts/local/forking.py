"""Processes of functions that fork from one that has imported their libraries already (`warm_parent.py`).

MiniStack starts an interpreter for each process of a function. That imports botocore, pydantic and Powertools first,
which is most of the processor time of a start. Here the processes of functions with the same layers of libraries fork
from one parent. What is deployed, the function's code and the first-party layer, is imported after that, in each of
them.
"""

import array
import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from scripts.local.warm_parent import PACKAGES

_PROGRAM = Path(__file__).with_name("warm_parent.py")
LAYERS = "_LAMBDA_LAYERS_DIRS"
"""MiniStack's variable with the folders of a function's layers."""

# A change of a layer leaves a parent that nothing forks from any more.
_MOST_PARENTS = 4


class _Parent:
    """A process that forks."""

    def __init__(self, layers: Sequence[str]) -> None:
        self._control, its_end = socket.socketpair()
        with its_end:
            self._process = subprocess.Popen(
                [sys.executable, str(_PROGRAM), str(its_end.fileno()), *layers],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[its_end.fileno()],
            )
        self._answers = self._control.makefile("r", encoding="ascii")

    def fork(self, streams: Sequence[int]) -> int:
        """Return the id of a new process with these standard streams; 0 when the parent has ended."""
        try:
            socket.send_fds(self._control, [b"f"], list(streams))
            return int(self._answers.readline() or 0)
        except OSError:
            return 0

    def end(self) -> None:
        """End it. What it forked goes on."""
        self._answers.close()
        self._control.close()
        self._process.wait()


class Parents:
    """The parents, by the folders of the layers that hold what they have imported."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parents: dict[tuple[str, ...], _Parent] = {}

    def fork(self, layers: tuple[str, ...], streams: Sequence[int]) -> int:
        """Return the id of a process forked from the parent of these layers, which is started if there is none."""
        layers = tuple(layer for layer in layers if any((Path(layer) / name).is_dir() for name in PACKAGES))
        with self._lock:
            parent = self._parents.pop(layers, None)
            child = parent.fork(streams) if parent else 0
            if parent is None or not child:
                if parent:
                    parent.end()
                parent = _Parent(layers)
                child = parent.fork(streams)
            if not child:
                raise ChildProcessError(f"{_PROGRAM.name} ended at its start; its error is above")
            self._parents[layers] = parent  # the one that was used last is last
            if len(self._parents) > _MOST_PARENTS:
                self._parents.pop(next(iter(self._parents))).end()
        return child

    def end(self) -> None:
        """End all of them."""
        with self._lock:
            while self._parents:
                self._parents.popitem()[1].end()


class ForkedProcess:
    """What MiniStack uses of `subprocess.Popen`, for a process that is the child of another one."""

    def __init__(self, parents: Parents, program: str, folder: str, environment: Mapping[str, str]) -> None:
        folders = [Path(layer).resolve() / "python" for layer in environment[LAYERS].split(os.pathsep)]
        # MiniStack puts each layer before those that it put there already.
        layers = tuple(str(path) for path in reversed(folders) if path.is_dir())
        its_input, stdin = os.pipe()
        stdout, its_output = os.pipe()
        stderr, its_errors = os.pipe()
        its_ends = (its_input, its_output, its_errors)
        self.stdin: IO[str] = os.fdopen(stdin, "w", buffering=1, encoding="utf-8")
        self.stdout: IO[str] = os.fdopen(stdout, encoding="utf-8")
        self.stderr: IO[str] = os.fdopen(stderr, encoding="utf-8", errors="replace")
        try:
            self.pid = parents.fork(layers, its_ends)
        finally:
            for end in its_ends:
                os.close(end)
        with suppress(BrokenPipeError):  # it was killed, which MiniStack finds when it reads
            started = {"file": program, "folder": folder, "environment": dict(environment)}
            self.stdin.write(json.dumps(started) + "\n")

    def poll(self) -> int | None:
        """Return None while it runs, else a number. Its exit code is known to its parent alone."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended. Raises subprocess.TimeoutExpired after `timeout` seconds."""
        ended = self._ended(None if timeout is None else max(0, timeout))
        if ended is None:
            raise subprocess.TimeoutExpired("a function", timeout or 0)
        return ended

    def unread_errors(self) -> bool:
        """Whether its standard error has bytes that nothing has read."""
        waiting = array.array("i", [0])
        fcntl.ioctl(self.stderr, termios.FIONREAD, waiting)
        return waiting[0] > 0

    def terminate(self) -> None:
        """Ask it to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            if self.poll() is None:
                os.kill(self.pid, number)

    def _ended(self, seconds: float | None) -> int | None:
        """Its standard output, which no other process has, is closed when it ends."""
        watched = select.poll()
        watched.register(self.stdout, 0)  # POLLHUP is always reported
        return 0 if watched.poll(None if seconds is None else seconds * 1000) else None
