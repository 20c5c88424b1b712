"""Reads hostile pages in a process of its own, with limits of time and memory and without credentials.

A parser in C can crash, take all memory, or work for hours on a page of a few megabytes (a million nested elements).
None of that may end the worker, which would meet the same page again.
"""

import json
import os
import resource
import select
import struct
import subprocess
import sys
from collections.abc import Callable
from types import TracebackType
from typing import IO, Any, Final, Self

MAX_SECONDS = 5.0
"""How long one page may take."""
START_SECONDS = 30.0
"""How long the process may take to import the parsers, which is no page's fault."""
MAX_MEMORY_BYTES = 1_500_000_000
"""The address space of the process."""

_LENGTH: Final = struct.Struct(">II")


class Unreadable(Exception):
    """The page took too long or too much memory, or the parser failed."""


class Reader:
    """Reads pages in another process, which it starts with the first one and again after a failure."""

    def __init__(self, max_seconds: float = MAX_SECONDS) -> None:
        self._max_seconds = max_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def read(self, kind: str, body: bytes, content_type: str, address: str) -> dict[str, Any]:
        """Return what a page of a kind (`html` or `markdown`) says, as `extraction` reads it. Raises Unreadable."""
        head = json.dumps([kind, content_type, address]).encode()
        process = self._process or self._start()
        try:
            _write(process.stdin, head, body)
            answer = self._answer(process, self._max_seconds)
        except (OSError, Unreadable):
            self._stop()
            raise Unreadable from None
        found: dict[str, Any] | None = json.loads(answer)
        if found is None:
            raise Unreadable
        return found

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "helpdesk.crawls.isolation"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
        )
        try:
            self._answer(self._process, START_SECONDS)
        except Unreadable:
            self._stop()
            raise
        return self._process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _answer(self, process: subprocess.Popen[bytes], seconds: float) -> bytes:
        """Return the reply. A process that does not begin it in time is given up."""
        if process.stdout is None:
            raise Unreadable
        ready, _, _ = select.select([process.stdout], [], [], seconds)
        if not ready:
            raise Unreadable
        return _read(process.stdout)[0]


def _environment() -> dict[str, str]:
    """Return the variables of the process: nothing of the worker's but where the interpreter and its modules are.

    The interpreter of Lambda finds its own library, libpython, by LD_LIBRARY_PATH alone.
    """
    found = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    libraries = os.environ.get("LD_LIBRARY_PATH")
    return found | {"LD_LIBRARY_PATH": libraries} if libraries else found


def _write(stream: IO[bytes] | None, head: bytes, body: bytes = b"") -> None:
    if stream is None:
        raise Unreadable
    stream.write(_LENGTH.pack(len(head), len(body)) + head + body)
    stream.flush()


def _read(stream: IO[bytes]) -> tuple[bytes, bytes]:
    """Return the next message. Raises Unreadable at the end of the stream."""
    lengths = stream.read(_LENGTH.size)
    if len(lengths) < _LENGTH.size:
        raise Unreadable
    head, body = _LENGTH.unpack(lengths)
    return stream.read(head), stream.read(body)


def main() -> None:
    """Say that the parsers are imported, then answer requests on the standard streams until they end."""
    from helpdesk.crawls import extraction  # noqa: PLC0415 - the parent does not import the parsers

    readers: dict[str, Callable[[bytes, str, str], dict[str, Any]]] = {
        "html": extraction.read_html,
        "markdown": extraction.read_markdown,
    }
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    _write(sys.stdout.buffer, b"")
    while True:
        try:
            head, body = _read(sys.stdin.buffer)
        except Unreadable:
            return
        kind, content_type, address = json.loads(head)
        try:
            found: dict[str, Any] | None = readers[kind](body, content_type, address)
        except Exception:  # noqa: BLE001 - whatever a page does to a parser, the next page is read
            found = None
        _write(sys.stdout.buffer, json.dumps(found).encode())


if __name__ == "__main__":
    main()
