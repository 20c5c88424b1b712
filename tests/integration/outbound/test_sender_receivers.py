"""The sender and receivers on real sockets: what is sent and what is not. The hostile ones are in hostile.py."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from helpdesk.outbound import addresses
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform.logging import logger
from tests.integration.outbound.receivers import (
    Behaviour,
    Receiver,
    answers,
    answers_and_waits,
    receiver,
)
from tests.integration.outbound.senders import Sender

BODY = '{"id":"evt_00000000000000000000000000000001","text":"Grüße"}'.encode()
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


pytestmark = pytest.mark.usefixtures("kept")


@pytest.fixture(autouse=True)
def aws() -> None:
    """Nothing of AWS is needed here."""


def deliver(
    behaviour: Behaviour, *, deadline: float = 5.0, read_request: bool = True
) -> tuple[Outcome, Receiver]:
    """Make one attempt at a receiver that behaves so; then one at an honest receiver, which must succeed."""

    async def attempt() -> tuple[Outcome, Receiver]:
        async with (
            Sender(allow_loopback=True) as sender,
            receiver(behaviour, read_request=read_request) as seen,
            receiver(answers(OK)) as honest,
        ):
            outcome = await sender.send(seen.url(), BODY, {"x-test": "1"}, deadline_seconds=deadline)
            after = await sender.send(honest.url(), BODY, {})
        assert after.succeeded, "the sender is not healthy afterwards"
        return outcome, seen

    return asyncio.run(attempt())


def verdict(outcome: Outcome) -> tuple[int | None, Failure | None]:
    return outcome.status, outcome.error


@pytest.mark.parametrize("status", [200, 201, 202, 204, 206, 226, 299])
def test_any_status_of_2xx_is_a_success(status: int) -> None:
    outcome, _ = deliver(answers(f"HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n".encode()))

    assert verdict(outcome) == (status, None)
    assert outcome.succeeded


@pytest.mark.parametrize("status", [400, 401, 404, 409, 410, 418, 429, 500, 502, 503, 504, 599])
def test_any_other_status_is_a_failure(status: int) -> None:
    outcome, _ = deliver(answers(f"HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n".encode()))

    assert verdict(outcome) == (status, Failure.STATUS)


def test_the_body_arrives_byte_for_byte_with_the_headers_given() -> None:
    _, seen = deliver(answers(OK))

    head, _, body = seen.requests[0].partition(b"\r\n\r\n")
    assert body == BODY
    assert head.splitlines()[0] == b"POST /hook HTTP/1.1"
    assert sorted(line.lower() for line in head.splitlines()[1:]) == sorted(
        [
            b"host: 127.0.0.1:%d" % seen.port,
            b"accept: */*",
            b"accept-encoding: identity",
            b"user-agent: helpdesk-webhooks/1.0",
            b"x-test: 1",
            b"content-length: 62",
            b"content-type: application/octet-stream",
        ]
    )


def test_the_path_is_sent_as_it_was_registered() -> None:
    async def attempt() -> bytes:
        async with Sender(allow_loopback=True) as sender, receiver(answers(OK)) as seen:
            await sender.send(
                seen.url(path="/a/../%2e%2E//b;c?x=%20&y[]=%zZ".replace("%zZ", "%7e")), BODY, {}
            )
        return seen.requests[0].split(b"\r\n")[0]

    assert asyncio.run(attempt()) == b"POST /a/../%2e%2E//b;c?x=%20&y[]=%7e HTTP/1.1"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_is_not_followed(status: int) -> None:
    async def attempt() -> tuple[Outcome, Receiver]:
        async with Sender(allow_loopback=True) as sender, receiver(answers(OK)) as elsewhere:
            redirect = f"HTTP/1.1 {status} X\r\nlocation: {elsewhere.url()}\r\ncontent-length: 0\r\n\r\n"
            async with receiver(answers(redirect.encode())) as seen:
                return await sender.send(seen.url(), BODY, {}), elsewhere

    outcome, elsewhere = asyncio.run(attempt())

    assert verdict(outcome) == (status, Failure.REDIRECT)
    assert elsewhere.connections == 0


def test_a_receiver_that_reads_nothing_meets_the_deadline() -> None:
    async def attempt() -> Outcome:
        async def sleep(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
            await asyncio.sleep(60)

        async with (
            Sender(allow_loopback=True) as sender,
            receiver(sleep, read_request=False) as seen,
        ):
            return await sender.send(seen.url(), b"x" * 1_000_000, {}, deadline_seconds=0.3)

    assert verdict(asyncio.run(attempt())) == (None, Failure.TIMEOUT)


def test_a_connection_closed_before_the_request_is_read_is_a_failure() -> None:
    outcome, _ = deliver(answers(b""), read_request=False)

    assert verdict(outcome) == (None, Failure.INCOMPLETE)


def test_a_head_that_comes_in_pieces_is_one_head() -> None:
    async def in_pieces(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in (b"HTTP/1.1 204 No Content\r\nx: y\r\n\r", b"\nhello"):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.05)

    outcome, _ = deliver(in_pieces)

    assert verdict(outcome) == (204, None)


def test_a_receiver_that_keeps_the_connection_open_does_not_hold_the_attempt() -> None:
    outcome, _ = deliver(answers_and_waits(OK))

    assert verdict(outcome) == (200, None)
    assert outcome.duration_ms < 1000


def test_cookies_are_not_sent_back() -> None:
    async def attempt() -> Receiver:
        cookie = b"HTTP/1.1 200 OK\r\nset-cookie: a=b; path=/\r\ncontent-length: 0\r\n\r\n"
        async with Sender(allow_loopback=True) as sender, receiver(answers(cookie)) as seen:
            await sender.send(seen.url("localhost"), BODY, {})
            await sender.send(seen.url("localhost"), BODY, {})
        return seen

    seen = asyncio.run(attempt())

    assert len(seen.requests) == 2
    assert b"cookie" not in seen.requests[1].lower()


def test_a_proxy_in_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def attempt() -> tuple[Outcome, Receiver]:
        async with Sender(allow_loopback=True) as sender, receiver(answers(OK)) as proxy:
            for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
                monkeypatch.setenv(name, proxy.url())
            async with receiver(answers(OK)) as seen:
                return await sender.send(seen.url(), BODY, {}), proxy

    outcome, proxy = asyncio.run(attempt())

    assert verdict(outcome) == (200, None)
    assert proxy.connections == 0


def test_a_netrc_file_in_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login user password secret\ndefault login user password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))

    _, seen = deliver(answers(OK))

    assert b"authorization" not in seen.requests[0].lower()


def test_nobody_listening_is_a_failed_connection() -> None:
    async def attempt() -> Outcome:
        async with receiver(answers(OK)) as seen:
            pass
        async with Sender(allow_loopback=True) as sender:
            return await sender.send(seen.url(), BODY, {})

    assert verdict(asyncio.run(attempt())) == (None, Failure.CONNECTION_FAILED)


def test_hanging_receivers_do_not_slow_an_honest_one() -> None:
    async def attempts() -> tuple[list[Outcome], Outcome]:
        async with (
            Sender(allow_loopback=True) as sender,
            receiver(answers_and_waits(b"")) as hanging,
            receiver(answers(OK)) as honest,
        ):
            hung = [
                asyncio.create_task(sender.send(hanging.url(), BODY, {}, deadline_seconds=1))
                for _ in range(50)
            ]
            await asyncio.sleep(0.05)
            quick = await sender.send(honest.url(), BODY, {})
            return await asyncio.gather(*hung), quick

    hung, quick = asyncio.run(attempts())

    assert {verdict(outcome) for outcome in hung} == {(None, Failure.TIMEOUT)}
    assert quick.succeeded
    assert quick.duration_ms < 500


def test_an_internal_error_has_its_own_outcome_and_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[str] = []
    monkeypatch.setattr(logger, "error", lambda message, **_: logged.append(message))
    monkeypatch.setattr(addresses, "parse", None)

    async def attempt() -> Outcome:
        async with Sender(allow_loopback=True) as sender:
            return await sender.send("http://127.0.0.1/", BODY, {})

    assert verdict(asyncio.run(attempt())) == (None, Failure.INTERNAL)
    assert logged == ["sender_failed"]


@pytest.mark.parametrize("hang", [pytest.param(True, id="hanging"), pytest.param(False, id="answering")])
def test_a_cancelled_batch_leaves_nothing_behind(hang: bool) -> None:
    async def attempt() -> int:
        behaviour: Callable[..., Awaitable[None]] = answers_and_waits(b"" if hang else OK)
        async with Sender(allow_loopback=True) as sender, receiver(behaviour) as seen:
            task = asyncio.create_task(sender.send(seen.url(), BODY, {}))
            await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(attempt()) == 0
