"""Kept connections between two attempts: whatever the receiver does meanwhile ends them, also during a freeze."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from helpdesk.outbound.sender import Sender
from tests.integration.outbound.hostile import OK


@pytest.fixture(autouse=True)
def aws() -> None:
    """Nothing of AWS is needed here."""


@dataclass
class Peer:
    """A receiver in a thread, which goes on while the sender's event loop stands still."""

    port: int
    accepted: list[socket.socket] = field(default_factory=list)


@contextmanager
def peer() -> Iterator[Peer]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made = Peer(listener.getsockname()[1])

        def serve() -> None:
            while True:
                try:
                    connected, _ = listener.accept()
                except OSError:
                    return
                made.accepted.append(connected)
                connected.recv(65_536)
                connected.sendall(OK)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield made
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for connected in made.accepted:
                connected.close()


@pytest.mark.parametrize("awake", [True, False], ids=["awake", "frozen"])
@pytest.mark.parametrize(
    "happens",
    [
        pytest.param(lambda peer: peer.close(), id="closes"),
        pytest.param(lambda peer: peer.shutdown(socket.SHUT_WR), id="closes its side"),
        pytest.param(lambda peer: peer.sendall(b"garbage"), id="sends garbage"),
        pytest.param(lambda peer: peer.sendall(OK), id="sends a response"),
        pytest.param(lambda peer: peer.sendall(OK[:20]), id="sends half a head"),
        pytest.param(
            lambda peer: peer.sendall(b"HTTP/1.1 408 Request Timeout\r\n\r\n"), id="says that it is too late"
        ),
    ],
)
def test_whatever_comes_between_two_attempts_ends_the_connection(
    happens: Callable[[socket.socket], None], awake: bool
) -> None:
    with peer() as seen, asyncio.Runner() as runner:
        sender = Sender(allow_loopback=True)
        url = f"http://127.0.0.1:{seen.port}/"
        assert runner.run(sender.send(url, b"{}", {}, "wh_1")).succeeded

        happens(seen.accepted[0])
        if awake:
            runner.run(asyncio.sleep(0.02))
        outcome = runner.run(sender.send(url, b"{}", {}, "wh_1"))

        runner.run(sender.__aexit__(None, None, None))
        assert outcome.succeeded
        assert len(seen.accepted) == 2
