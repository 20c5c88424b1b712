"""The processes in which an emulator runs functions: which they are, whether they work, whose connection is whose."""

import re
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
_ESTABLISHED = "01"
_WORKER = re.compile(r"/ministack-lambda-[^/]*-(\w+)-[^/-]+/_worker\.py$")
"""The program of a function's process."""


def functions(root: int) -> dict[int, str]:
    """Return the functions that the descendants of a process run, such as `Delivery`, by process id."""
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
    named = {pid: _function_of(pid) for pid in sorted(found - {root})}
    return {pid: function for pid, function in named.items() if function}


def _function_of(pid: int) -> str:
    with suppress(OSError):
        arguments = (PROC / str(pid) / "cmdline").read_text().split("\0")
        programs = (_WORKER.search(argument) for argument in arguments)
        return next((program[1] for program in programs if program), "")
    return ""


def works(pid: int, seconds: float = 0.05) -> bool:
    """Whether a process is at work: it uses the processor within some time, and not only to start.

    One that waits for its next invocation does not use it, and one that starts has no connection to AWS yet.
    """
    before = _ticks(pid)
    time.sleep(seconds)
    return _ticks(pid) > before and any(file.startswith("socket:") for file in _open_files(pid))


def _ticks(pid: int) -> int:
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])  # in user mode and in the kernel


def owner(candidates: Iterable[int], client_port: int, server_port: int) -> int | None:
    """Return the process that holds the client's end of an open loopback connection."""
    inode = _inode(f":{client_port:04X}", f":{server_port:04X}")
    if inode is None:
        return None
    return next((pid for pid in candidates if f"socket:[{inode}]" in _open_files(pid)), None)


def _open_files(pid: int) -> list[str]:
    files = []
    with suppress(OSError):
        for descriptor in (PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):
                files.append(str(descriptor.readlink()))
    return files


def _inode(local: str, remote: str) -> str | None:
    for line in (PROC / "net" / "tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[1].endswith(local) and fields[2].endswith(remote) and fields[3] == _ESTABLISHED:
            return fields[9]
    return None
