"""Find and stop exactly the process that was started.

The system reuses process ids, so a record holds the start time too. A signal is sent only when both match.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ProcessRecord:
    """A process: its id and its start time as the system reports it."""

    pid: int
    began: str

    @classmethod
    def of(cls, pid: int) -> "ProcessRecord":
        """Describe a process that runs now."""
        return cls(pid, _began(pid) or "")

    @classmethod
    def load(cls, path: Path) -> "ProcessRecord | None":
        """Read a record; None when it does not exist or cannot be read."""
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            return cls(int(fields["pid"]), str(fields["began"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, path: Path) -> None:
        """Write the record."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    def runs(self) -> bool:
        """Return whether that process still runs."""
        return bool(self.began) and _began(self.pid) == self.began

    def stop(self, grace_seconds: float) -> bool:
        """Ask it to end and wait; then kill it and its children. Return whether it ended when asked."""
        with contextlib.suppress(ProcessLookupError):
            if self.runs():
                os.kill(self.pid, signal.SIGTERM)
        ended = self._wait(grace_seconds)
        # It leads a process group of its own (see `start`), so this reaches its workers and nothing else.
        if not ended or _group_exists(self.pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        if not ended:
            self._wait(5)
        return ended

    def _wait(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.runs():
            if time.monotonic() > deadline:
                return False
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, os.WNOHANG)
            time.sleep(0.05)
        return True


def start(words: Sequence[str], log: Path, environment: Mapping[str, str], record: Path) -> None:
    """Start Python with some words, its output in a log and its process in a record.

    It's no Popen: it outlives this process, and is stopped by its record. It leads a process group of its own, so that
    Ctrl-C in the terminal reaches this program, which then stops it in order.
    """
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, *words],
        dict(environment),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )
    ProcessRecord.of(pid).save(record)


def _group_exists(pid: int) -> bool:
    # Called right after the leader ended, before the system can reuse its id for another group.
    try:
        os.killpg(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _began(pid: int) -> str | None:
    stat = Path(f"/proc/{pid}/stat")
    if stat.parent.parent.joinpath("self").exists():
        try:
            # The name, in brackets, may contain spaces; state is the 1st field after it and the start time the 20th.
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            return None
        return None if fields[0] in {"Z", "X"} else fields[19]
    listing = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.split(maxsplit=1)
    return None if not listing or listing[0].startswith("Z") else listing[1].strip()
