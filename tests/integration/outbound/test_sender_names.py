"""The sender and the name system: slow, failing, lying and silent. Its time is part of the attempt's."""

import asyncio
import socket
import threading
import time

import pytest

from helpdesk.outbound import addresses, connections, ranges
from helpdesk.outbound.lookups import Resolver
from helpdesk.outbound.outcome import Failure, Outcome
from tests.integration.outbound.hostile import OK
from tests.integration.outbound.receivers import (
    Authority,
    Behaviour,
    Receiver,
    answers,
    full_listener,
    receiver,
)
from tests.integration.outbound.senders import Sender

PUBLIC = ("127.0.0.2", "127.0.0.3")  # these play public addresses here


pytestmark = pytest.mark.usefixtures("kept")


@pytest.fixture(autouse=True)
def aws() -> None:
    """Nothing of AWS is needed here."""


@pytest.fixture(autouse=True)
def public_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    real = ranges.refusal

    def refusal(address: ranges.Address) -> ranges.RefusedRange | None:
        return None if str(address) in PUBLIC else real(address)

    monkeypatch.setattr(addresses, "refusal", refusal)
    monkeypatch.setattr(connections, "refusal", refusal)


def answered(*found: str, after: float = 0) -> Resolver:
    def resolver(_: str) -> tuple[str, ...]:
        time.sleep(after)
        return found

    return resolver


def deliver(
    authority: Authority, resolver: Resolver, *, deadline: float = 5, behaviour: Behaviour | None = None
) -> tuple[Outcome, Receiver]:
    """Make one attempt at a receiver with a name, which listens on the first of the public addresses."""

    async def attempt() -> tuple[Outcome, Receiver]:
        async with (
            Sender(resolver=resolver, tls=authority.trusting()) as sender,
            receiver(
                behaviour or answers(OK), host=PUBLIC[0], tls=authority.serving("hook.example.com")
            ) as seen,
        ):
            url = seen.url("hook.example.com", "https")
            return await sender.send(url, b"{}", {}, deadline_seconds=deadline), seen

    return asyncio.run(attempt())


def test_a_slow_name_is_waited_for_and_delivered_to(authority: Authority) -> None:
    outcome, seen = deliver(authority, answered(PUBLIC[0], after=0.3))

    assert (outcome.status, outcome.error) == (200, None)
    assert outcome.duration_ms >= 300
    assert len(seen.requests) == 1


def test_the_time_of_the_name_counts_towards_the_deadline(authority: Authority) -> None:
    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.5)
        await answers(OK)(reader, writer)

    outcome, _ = deliver(authority, answered(PUBLIC[0], after=0.5), deadline=0.8, behaviour=slow)

    assert (outcome.status, outcome.error) == (None, Failure.TIMEOUT)


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(socket.gaierror(socket.EAI_NONAME, "unknown"), id="no such name"),
        pytest.param(socket.gaierror(socket.EAI_AGAIN, "try again"), id="servers that fail"),
        pytest.param(socket.gaierror(socket.EAI_FAIL, "refused"), id="servers that refuse"),
        pytest.param(socket.gaierror(socket.EAI_NODATA, "no data"), id="a name without addresses"),
        pytest.param(UnicodeError("label too long"), id="a name that no message holds"),
        pytest.param(OSError("no resolver"), id="no name system"),
    ],
)
def test_a_name_that_does_not_resolve_is_a_failure(authority: Authority, error: Exception) -> None:
    def resolver(_: str) -> list[str]:
        raise error

    outcome, seen = deliver(authority, resolver)

    assert (outcome.status, outcome.error) == (None, Failure.DNS_FAILED)
    assert seen.connections == 0


def test_an_empty_answer_is_a_failure(authority: Authority) -> None:
    outcome, _ = deliver(authority, answered())

    assert (outcome.status, outcome.error) == (None, Failure.DNS_FAILED)


@pytest.mark.parametrize(
    "found",
    [
        (PUBLIC[0], "127.0.0.1"),
        ("127.0.0.1", PUBLIC[0]),
        (PUBLIC[0], "169.254.169.254"),
        (PUBLIC[0], *(f"93.184.216.{n}" for n in range(1, 20)), "10.0.0.1"),
    ],
    ids=["this machine last", "this machine first", "metadata", "past the addresses that are tried"],
)
def test_a_name_with_one_private_address_is_not_delivered_to_at_its_public_one(
    authority: Authority, found: tuple[str, ...]
) -> None:
    outcome, seen = deliver(authority, answered(*found))

    assert (outcome.status, outcome.error) == (None, Failure.REFUSED_ADDRESS)
    assert seen.connections == 0


def test_when_the_first_address_refuses_the_second_gets_the_delivery(authority: Authority) -> None:
    outcome, seen = deliver(authority, answered(PUBLIC[1], PUBLIC[0]))

    assert (outcome.status, outcome.error) == (200, None)
    assert seen.addresses == [PUBLIC[0]]


def test_where_the_first_address_is_silent_the_second_is_delivered_to(authority: Authority) -> None:
    async def attempt() -> tuple[Outcome, Receiver]:
        async with (
            Sender(resolver=answered(PUBLIC[1], PUBLIC[0]), tls=authority.trusting()) as sender,
            receiver(answers(OK), host=PUBLIC[0], tls=authority.serving("hook.example.com")) as seen,
        ):
            with full_listener(PUBLIC[1], seen.port):
                url = seen.url("hook.example.com", "https")
                return await sender.send(url, b"{}", {}, deadline_seconds=5), seen

    outcome, seen = asyncio.run(attempt())

    assert (outcome.status, outcome.error) == (200, None)
    assert outcome.duration_ms < 2000
    assert seen.addresses == [PUBLIC[0]]


def test_silent_names_of_many_batches_hold_up_neither_their_batch_nor_the_next(authority: Authority) -> None:
    released = threading.Event()

    def silent(_: str) -> list[str]:
        released.wait()
        return []

    async def batch() -> set[Failure | None]:
        async with Sender(resolver=silent) as sender:
            urls = [f"https://silent{n}.example.com/" for n in range(10)]
            outcomes = await asyncio.gather(
                *(sender.send(url, b"{}", {}, deadline_seconds=0.1) for url in urls)
            )
        return {outcome.error for outcome in outcomes}

    try:
        started = time.monotonic()
        for _ in range(10):
            assert asyncio.run(batch()) == {Failure.TIMEOUT}
        took = time.monotonic() - started
        outcome, _ = deliver(authority, answered(PUBLIC[0]))
    finally:
        released.set()

    assert took < 5
    assert (outcome.status, outcome.error) == (200, None)
    assert outcome.duration_ms < 1000
