"""The part of AWS that a benchmark needs: a server in its own process that answers each operation with canned text.

A benchmark therefore measures the caller's work, with its HTTP and sockets, and nothing of the server's.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from benchmarks.report import ROOT
from helpdesk.platform.settings import QUEUES

_TARGET = re.compile(rb"x-amz-target: *[^\r\n.]*\.(\w+)", re.IGNORECASE)
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


@contextmanager
def answering(answers: Mapping[str, str]) -> Iterator[str]:
    """Serve canned answers (by operation, such as GetItem) on loopback; give the address.

    An operation without one is answered `{}`.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.stub"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        if server.stdin is None or server.stdout is None:
            raise RuntimeError("no pipes")
        print(json.dumps(answers), file=server.stdin, flush=True)
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.terminate()


def use(address: str) -> None:
    """Point this process's AWS clients at the stub, and fill the product's settings with names."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ |= {
        "AWS_ENDPOINT_URL": address,
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "benchmark",
        "AWS_SECRET_ACCESS_KEY": "benchmark",
        "TABLE_NAME": "helpdesk",
        "STAGE": "local",
        "ALLOW_LOOPBACK_URLS": "true",
        "KNOWLEDGE_BUCKET": "knowledge",
        **{name: f"{address}/0/{name.removesuffix('_QUEUE_URL').lower()}" for name in QUEUES},
        "POWERTOOLS_SERVICE_NAME": "benchmark",
        "POWERTOOLS_LOG_LEVEL": "ERROR",
    }


class _Connection(asyncio.Protocol):
    def __init__(self, answers: Mapping[str, bytes]) -> None:
        self._answers = answers
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = self._received[:end]
            length = _LENGTH.search(head)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self._received) < whole:
                return
            self._received = self._received[whole:]
            target = _TARGET.search(head)
            body = self._answers.get(target[1].decode() if target else "", b"{}")
            if self._transport is not None:
                self._transport.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\nx-amzn-requestid: 1\r\n"
                    b"content-length: %d\r\n\r\n%b" % (len(body), body)
                )


async def _serve() -> None:
    answers = {name: text.encode() for name, text in json.loads(sys.stdin.readline()).items()}
    server = await asyncio.get_running_loop().create_server(lambda: _Connection(answers), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
