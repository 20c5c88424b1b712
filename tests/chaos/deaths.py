"""Killing the processes in which an emulator runs functions: its own descendants, and nobody else's."""

import os
import signal
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

PROC = Path("/proc")
_MOST = {"delivery": 10_000, "fanout": 4}
"""How often a function's workers are killed at most. Fan-out has one in the emulator, which loses a batch of a hundred
records with it; killed all the time, it would leave the delivery workers idle, and their deaths without effect."""


def descendants(root: int) -> list[int]:
    """Return the processes that descend from one, in no order."""
    parents: dict[int, int] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with suppress(OSError, IndexError, ValueError):
                # The name in parentheses may hold spaces, so what follows it is read from the right.
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found, grown = {root}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return sorted(found - {root})


def function_of(pid: int) -> str:
    """Return the function that a process runs, such as `delivery`; nothing where it runs none."""
    try:
        environment = (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return ""
    named = [line for line in environment if line.startswith(b"AWS_LAMBDA_FUNCTION_NAME=")]
    return named[0].decode().rpartition("-")[2] if named else ""


class Deaths:
    """Kills workers of the emulator at random, until it is told to end."""

    def __init__(self, emulator: int, random: Random, *, least: float, most: float) -> None:
        self.killed: Counter[str] = Counter()
        self._emulator, self._random, self._pauses = emulator, random, (least, most)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._kill_on, daemon=True)

    def begin(self) -> None:
        """Begin to kill."""
        self._thread.start()

    def end(self) -> None:
        """Kill no more."""
        self._ended.set()
        self._thread.join()

    def _kill_on(self) -> None:
        while not self._ended.wait(self._random.uniform(*self._pauses)):
            running = {pid: function_of(pid) for pid in descendants(self._emulator)}
            victims = [
                pid for pid, function in running.items() if self.killed[function] < _MOST.get(function, 0)
            ]
            if not victims:
                continue
            victim = self._random.choice(victims)
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                self.killed[running[victim]] += 1
