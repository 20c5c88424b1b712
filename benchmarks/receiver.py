"""A webhook receiver on loopback, in a process of its own: it takes what it is sent and answers 200."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.report import ROOT

_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n%b\r\nok"


@contextmanager
def receiving() -> Iterator[str]:
    """Run a receiver; give its URL."""
    command = [sys.executable, "-m", "benchmarks.receiver"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is None:
            raise RuntimeError("no pipe")
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/hook"
        finally:
            process.terminate()


class _Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end or self._transport is None:
            return
        lines = head.lower().split(b"\r\n")
        length = next(
            (int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:")), 0
        )
        if len(body) < length:
            return
        self._received = b""
        closes = b"connection: close" in lines
        self._transport.write(_ANSWER % (b"connection: close\r\n" if closes else b""))
        if closes:
            self._transport.close()


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(_Connection, "127.0.0.1", 0, backlog=1_000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
