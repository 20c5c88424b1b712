"""Kept connections: which are kept, for whom, how long, and what ends them (docs/decisions/0050).

That the guard and the outcomes are the same on them, the other tests of this folder show, which run on both.
"""

import asyncio
import ctypes
import socket
import struct
from collections.abc import Awaitable, Callable

import aiohttp
import pytest

from helpdesk.outbound import addresses, connections, keeping, ranges
from helpdesk.outbound.connections import GuardedConnector
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.outbound.sender import MAX_BODY_BYTES, Sender
from helpdesk.platform import clock
from tests.integration.outbound.hostile import CHUNKED, HEAD, OK
from tests.integration.outbound.receivers import Authority, Receiver, next_request, receiver

ENDPOINT = "wh_1"
PUBLIC = ("127.0.0.2", "127.0.0.3")  # these play public addresses here


@pytest.fixture(autouse=True)
def aws() -> None:
    """Nothing of AWS is needed here."""


def answering(*responses: bytes) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    """Answer the requests of a connection one after another; the last response repeats."""

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = 0
        while True:
            writer.write(responses[min(number, len(responses) - 1)])
            await writer.drain()
            await next_request(reader)
            number += 1

    return behave


async def send(sender: Sender, url: str, endpoint: str = ENDPOINT, seconds: float = 5) -> Outcome:
    return await sender.send(url, b"{}", {}, endpoint, deadline_seconds=seconds)


def connections_of(*responses: bytes) -> int:
    """Make two attempts at a receiver; return how many connections they took."""

    async def attempts() -> int:
        async with Sender(allow_loopback=True) as sender, receiver(answering(*responses)) as seen:
            for _ in range(2):
                assert (await send(sender, seen.url())).status is not None
        return seen.connections

    return asyncio.run(attempts())


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_attempts_at_an_endpoint_one_after_another_share_a_connection(
    scheme: str, authority: Authority
) -> None:
    async def attempts() -> Receiver:
        tls = authority.serving("127.0.0.1") if scheme == "https" else None
        async with (
            Sender(allow_loopback=True, tls=authority.trusting()) as sender,
            receiver(answering(OK), tls=tls) as seen,
        ):
            for _ in range(20):
                assert (await send(sender, seen.url(scheme=scheme))).succeeded
        return seen

    assert asyncio.run(attempts()).connections == 1


@pytest.mark.parametrize(
    "response",
    [
        pytest.param(HEAD + b"content-length: 0\r\n\r\n", id="an empty body"),
        pytest.param(b"HTTP/1.1 204 No Content\r\n\r\n", id="no body"),
        pytest.param(CHUNKED + b"2\r\nok\r\n0\r\n\r\n", id="chunks"),
        pytest.param(b"HTTP/1.1 103 X\r\n\r\n" + OK, id="an interim response before it"),
        pytest.param(b"HTTP/1.1 500 X\r\ncontent-length: 2\r\n\r\nno", id="an error"),
        pytest.param(b"HTTP/1.1 302 X\r\nlocation: /\r\ncontent-length: 0\r\n\r\n", id="a redirect"),
        pytest.param(
            HEAD + b"content-length: %d\r\n\r\n" % (MAX_BODY_BYTES - 1) + b"x" * (MAX_BODY_BYTES - 1),
            id="the largest body",
        ),
    ],
)
def test_a_connection_whose_response_was_read_to_its_end_is_kept(response: bytes) -> None:
    assert connections_of(response) == 1


@pytest.mark.parametrize(
    "response",
    [
        pytest.param(HEAD + b"connection: close\r\ncontent-length: 2\r\n\r\nok", id="said to be the last"),
        pytest.param(b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok", id="HTTP/1.0"),
        pytest.param(
            HEAD + b"content-length: 1000000\r\n\r\n" + bytes(1_000_000), id="a body that is too large"
        ),
        pytest.param(OK + b"garbage", id="garbage after it"),
        pytest.param(OK + OK, id="another response after it"),
        pytest.param(OK + b"HTTP/1.1 100 Continue\r\n\r\n", id="an interim response after it"),
        pytest.param(b"HTTP/1.1 204 X\r\ncontent-length: 5\r\n\r\nhello", id="a body where there is none"),
        pytest.param(CHUNKED + b"2\r\nok\r\n0\r\n\r\ngarbage", id="garbage after the last chunk"),
        pytest.param(CHUNKED + b"2\r\nok\r\nxyz\r\n", id="a broken chunk"),
        pytest.param(b"HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", id="another protocol"),
    ],
)
def test_a_connection_with_more_or_less_than_a_complete_response_is_not_kept(response: bytes) -> None:
    assert connections_of(response) == 2


def test_a_body_that_is_late_closes_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("helpdesk.outbound.sender.BODY_SECONDS", 0.05)

    assert connections_of(HEAD + b"content-length: 99\r\n\r\nok") == 2


def test_a_response_before_the_request_is_sent_whole_closes_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened = GuardedConnector._open_socket

    def with_a_small_buffer(connector: GuardedConnector, info: aiohttp.AddrInfoType) -> socket.socket:
        made = opened(connector, info)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
        return made

    monkeypatch.setattr(GuardedConnector, "_open_socket", with_a_small_buffer)

    async def attempts() -> int:
        async def hasty(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(OK)
            await asyncio.Event().wait()

        async with Sender(allow_loopback=True) as sender, receiver(hasty, read_request=False) as seen:
            for _ in range(2):
                outcome = await sender.send(seen.url(), bytes(1_000_000), {}, ENDPOINT)
                assert outcome.succeeded
        return seen.connections

    assert asyncio.run(attempts()) == 2


@pytest.mark.parametrize(
    ("endpoint", "path"),
    [("wh_2", "/hook"), (ENDPOINT, "/other"), (ENDPOINT, "/hook?a=b")],
    ids=["another endpoint", "another path", "another query"],
)
def test_another_endpoint_or_url_has_a_connection_of_its_own(endpoint: str, path: str) -> None:
    async def attempts() -> int:
        async with Sender(allow_loopback=True) as sender, receiver(answering(OK)) as seen:
            await send(sender, seen.url())
            await send(sender, seen.url(path=path), endpoint)
        return seen.connections

    assert asyncio.run(attempts()) == 2


def test_a_changed_url_closes_the_connections_to_the_old_one() -> None:
    async def attempts() -> int:
        async with Sender(allow_loopback=True) as sender, receiver(answering(OK)) as seen:
            for path in ("/old", "/new", "/old"):
                await send(sender, seen.url(path=path))
        return seen.connections

    assert asyncio.run(attempts()) == 3


@pytest.mark.parametrize(
    ("then", "error", "connected"),
    [
        pytest.param(["127.0.0.2"], None, ["127.0.0.2"], id="the same address"),
        pytest.param(["127.0.0.3", "127.0.0.2"], None, ["127.0.0.2"], id="the same among others"),
        pytest.param(["127.0.0.3"], None, ["127.0.0.2", "127.0.0.3"], id="another public address"),
        pytest.param(["127.0.0.1"], Failure.REFUSED_ADDRESS, ["127.0.0.2"], id="a refused one"),
        pytest.param(
            ["127.0.0.2", "10.0.0.1"], Failure.REFUSED_ADDRESS, ["127.0.0.2"], id="a refused one too"
        ),
        pytest.param([], Failure.DNS_FAILED, ["127.0.0.2"], id="none"),
    ],
)
def test_a_name_that_changes_between_two_attempts_is_followed_and_checked_again(
    monkeypatch: pytest.MonkeyPatch,
    authority: Authority,
    then: list[str],
    error: Failure | None,
    connected: list[str],
) -> None:
    real = ranges.refusal
    for module in (addresses, connections):
        monkeypatch.setattr(module, "refusal", lambda a: None if str(a) in PUBLIC else real(a))
    answers = [["127.0.0.2"], then, ["127.0.0.2"]]
    tls = authority.serving("hook.example.com")

    async def attempts() -> tuple[list[Outcome], Receiver, Receiver, Receiver]:
        async with (
            Sender(resolver=lambda _: answers.pop(0), tls=authority.trusting()) as sender,
            receiver(answering(OK), host="127.0.0.2", tls=tls) as first,
            receiver(answering(OK), host="127.0.0.3", port=first.port, tls=tls) as second,
            receiver(answering(OK), host="127.0.0.1", port=first.port, tls=tls) as private,
        ):
            url = first.url("hook.example.com", "https")
            return [await send(sender, url) for _ in range(3)], first, second, private

    outcomes, first, second, private = asyncio.run(attempts())

    assert [outcome.error for outcome in outcomes] == [None, error, None]
    assert first.addresses[:1] + second.addresses == connected
    assert first.connections == (
        1 if then[-1:] == ["127.0.0.2"] else 2
    )  # any other answer closed the kept one
    assert private.connections == 0


def test_an_address_that_is_refused_from_now_on_is_refused_on_a_kept_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def attempts() -> tuple[Outcome, Receiver]:
        async with Sender(allow_loopback=True) as sender, receiver(answering(OK)) as seen:
            await send(sender, seen.url())
            monkeypatch.setattr(sender._connector, "_allow_loopback", False)
            return await send(sender, seen.url()), seen

    outcome, seen = asyncio.run(attempts())

    assert outcome.error is Failure.REFUSED_ADDRESS
    assert seen.connections == 1


@pytest.mark.parametrize(
    ("passed_ms", "connections"),
    [(20_000, 1), (20_001, 2), (-1, 2)],
    ids=["20 seconds", "longer", "a clock that was set back"],
)
def test_a_connection_is_kept_for_twenty_seconds_of_the_wall_clock(passed_ms: int, connections: int) -> None:
    now_ms = 1_700_000_000_000

    async def attempts() -> int:
        nonlocal now_ms
        async with Sender(allow_loopback=True) as sender, receiver(answering(OK)) as seen:
            await send(sender, seen.url())
            now_ms += passed_ms
            await send(sender, seen.url())
        return seen.connections

    with clock.frozen(lambda: now_ms * 1_000):
        assert asyncio.run(attempts()) == connections


def test_attempts_at_once_have_a_connection_each_and_two_are_kept() -> None:
    arrived = asyncio.Barrier(3)

    async def together(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await arrived.wait()
            writer.write(OK)
            await next_request(reader)

    async def attempts() -> list[int]:
        taken = []
        async with Sender(allow_loopback=True) as sender, receiver(together) as seen:
            for _ in range(2):
                await asyncio.gather(*(send(sender, seen.url()) for _ in range(3)))
                taken.append(seen.connections)
        return taken

    assert asyncio.run(attempts()) == [3, 4]


def test_no_more_than_fifty_are_kept_and_the_oldest_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    assert keeping.MAX_KEPT == 50
    monkeypatch.setattr(keeping, "MAX_KEPT", 3)

    async def attempts() -> tuple[int, int, int]:
        async with Sender(allow_loopback=True) as sender, receiver(answering(OK)) as seen:
            for number in range(4):
                await send(sender, seen.url(), f"wh_{number}")
            made = seen.connections
            for number in (1, 2, 3):
                await send(sender, seen.url(), f"wh_{number}")
            kept = seen.connections
            await send(sender, seen.url(), "wh_0")
        return made, kept, seen.connections

    assert asyncio.run(attempts()) == (4, 4, 5)


def test_an_attempt_that_fails_closes_the_kept_connections_of_its_endpoint_alone() -> None:
    async def attempts() -> tuple[int, int]:
        answer = asyncio.Event()

        async def at_will(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                await answer.wait()
                writer.write(OK)
                await next_request(reader)

        async with (
            Sender(allow_loopback=True) as sender,
            receiver(at_will) as seen,
            receiver(answering(OK)) as other,
        ):
            answer.set()
            await asyncio.gather(send(sender, seen.url()), send(sender, seen.url()))
            await send(sender, other.url(), "wh_2")
            answer.clear()
            assert (await send(sender, seen.url(), seconds=0.05)).error is Failure.TIMEOUT
            answer.set()
            await asyncio.gather(send(sender, seen.url()), send(sender, seen.url()))
            await send(sender, other.url(), "wh_2")
        return seen.connections, other.connections

    assert asyncio.run(attempts()) == (4, 1)


@pytest.mark.parametrize("closes", [b"", b"H"], ids=["without a byte", "after a byte"])
def test_a_request_that_a_kept_connection_swallows_is_made_once_more_unless_a_response_began(
    closes: bytes,
) -> None:
    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK)
        await next_request(reader)
        writer.write(closes)
        await writer.drain()

    async def attempts() -> tuple[Outcome, Receiver]:
        async with Sender(allow_loopback=True) as sender, receiver(swallow) as seen:
            await send(sender, seen.url())
            return await send(sender, seen.url()), seen

    outcome, seen = asyncio.run(attempts())

    assert outcome.error is (Failure.INCOMPLETE if closes else None)
    assert seen.connections == (1 if closes else 2)


def test_a_kept_connection_that_died_without_a_word_costs_seconds_and_not_the_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert keeping.DEAD_AFTER_MS == 3_000
    monkeypatch.setattr(keeping, "DEAD_AFTER_MS", 100)

    async def dies(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK)
        _drop_everything(writer.get_extra_info("socket"))
        await reader.read()

    async def attempts() -> tuple[Outcome, int]:
        async with Sender(allow_loopback=True) as sender, receiver(dies) as seen:
            await send(sender, seen.url())
            return await send(sender, seen.url()), seen.connections

    outcome, connected = asyncio.run(attempts())

    assert outcome.succeeded
    assert connected == 2


def _drop_everything(connected: socket.socket) -> None:
    """Have the system drop whatever arrives at a socket: a filter of one instruction, which takes 0 bytes."""
    instruction = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))
    program = struct.pack("HL", 1, ctypes.addressof(instruction))
    connected.setsockopt(socket.SOL_SOCKET, 26, program)  # SO_ATTACH_FILTER
