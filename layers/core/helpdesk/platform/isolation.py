"""Calls functions in a process of its own, with limits of time and memory and without credentials.

Text that strangers or customers write can keep a parser busy for hours, take all memory, or crash a parser in C. None
of that may end the caller, which would meet the same text again. No limit of bytes prevents it either.
"""

import atexit
import json
import os
import resource
import select
import struct
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import IO, Any, Final, Self

START_SECONDS = 12.0
"""How long the process may take to import its module, which isn't the fault of any text."""
SLOW_SECONDS = 0.25
"""A call that takes longer than this is slow, and its caller hears of that meanwhile."""
_LENGTH: Final = struct.Struct(">II")


class Unreadable(Exception):
    """The call took too long or too much memory, or the function failed."""


class NotStarted(Unreadable):
    """The process didn't start, so the function wasn't called."""


class Isolated:
    """The functions of a module, in another process. It starts with the first call, and again after a failure."""

    def __init__(self, module: str, max_seconds: float, max_memory_bytes: int = 1_500_000_000) -> None:
        """Take the limits of one call's time and of the process's address space."""
        self._module = module
        self._max_seconds = max_seconds
        self._max_memory_bytes = max_memory_bytes
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def call(
        self, function: str, body: bytes, *arguments: Any, meanwhile: Callable[[], None] = lambda: None
    ) -> Any:
        """Return what a function of the module returns, which JSON can say. Raises Unreadable.

        The function gets `body`, then `arguments`, which JSON can say too. `meanwhile` is called once if the call is
        slow.
        """
        head = json.dumps([function, arguments]).encode()
        process = self._process or self._start()
        try:
            _write(process.stdin, head, body)
            if not _is_ready(process, min(SLOW_SECONDS, self._max_seconds)):
                meanwhile()
            answer = _answer(process, max(self._max_seconds - SLOW_SECONDS, 0))
        except (OSError, Unreadable):
            self.stop()
            raise Unreadable from None
        except BaseException:
            self.stop()  # the answer that is on its way would be taken for that of the next call
            raise
        is_returned, returned = json.loads(answer)
        if not is_returned:
            raise Unreadable
        return returned

    def stop(self) -> None:
        """End the process, if it runs."""
        if self._process is not None:
            atexit.unregister(self.stop)
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            self._process = subprocess.Popen(  # noqa: S603 - callers name the module, no text does
                [
                    sys.executable,
                    "-m",
                    "helpdesk.platform.isolation",
                    self._module,
                    str(self._max_memory_bytes),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=_environment(),
            )
            atexit.register(self.stop)
            _answer(self._process, START_SECONDS)
        except (OSError, Unreadable):
            self.stop()
            raise NotStarted from None
        return self._process


def _environment() -> dict[str, str]:
    """Return the variables of the process: nothing of the caller's but where the interpreter and its modules are.

    The interpreter of Lambda finds its own library, libpython, by LD_LIBRARY_PATH alone.
    """
    found = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    libraries = os.environ.get("LD_LIBRARY_PATH")
    return found | {"LD_LIBRARY_PATH": libraries} if libraries else found


def _is_ready(process: subprocess.Popen[bytes], seconds: float) -> bool:
    return process.stdout is not None and bool(select.select([process.stdout], [], [], seconds)[0])


def _answer(process: subprocess.Popen[bytes], seconds: float) -> bytes:
    """Return the reply. A process that does not begin it in time is given up."""
    if process.stdout is None or not _is_ready(process, seconds):
        raise Unreadable
    return _read(process.stdout)[0]


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
    """Say that the module is imported, then answer calls on the standard streams until they end."""
    module = import_module(sys.argv[1])
    most = int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    _write(sys.stdout.buffer, b"")
    while True:
        try:
            head, body = _read(sys.stdin.buffer)
        except Unreadable:
            return
        function, arguments = json.loads(head)
        try:
            answer = json.dumps([True, getattr(module, function)(body, *arguments)])
        except Exception:  # noqa: BLE001 - whatever a text does to a parser, the next one is read
            answer = json.dumps([False, None])
        _write(sys.stdout.buffer, answer.encode())


if __name__ == "__main__":
    main()
