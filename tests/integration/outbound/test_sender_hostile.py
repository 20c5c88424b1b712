"""The sender against every hostile receiver: the outcome is as specified, in time, in little memory, and alone."""

import asyncio
import selectors
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager

import pytest

from helpdesk.outbound import sender as sending
from helpdesk.outbound.outcome import Failure, Outcome
from tests.integration.outbound.hostile import FLOODING, HEAD, HOSTILE, OK, Hostile
from tests.integration.outbound.receivers import (
    Authority,
    Behaviour,
    answers,
    answers_and_waits,
    full_listener,
    receiver,
    waits,
)
from tests.integration.outbound.senders import Sender

BODY = b'{"id":"evt_00000000000000000000000000000001"}'
DEADLINE_SECONDS = 0.6
BODY_SECONDS = 0.3


pytestmark = pytest.mark.usefixtures("kept")


@pytest.fixture(autouse=True)
def aws() -> None:
    """Nothing of AWS is needed here."""


@pytest.fixture
def short_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies are read for a moment only."""
    monkeypatch.setattr(sending, "BODY_SECONDS", BODY_SECONDS)


@contextmanager
def memory_of_at_most(limit_bytes: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < limit_bytes


@pytest.mark.usefixtures("short_bodies")
@pytest.mark.parametrize("case", HOSTILE, ids=str)
def test_a_hostile_receiver_has_the_outcome_specified_and_harms_no_other_delivery(
    case: Hostile, kept: bool
) -> None:
    requests = 2 if kept and case.silent else 1
    deadline = DEADLINE_SECONDS if case.held else 10

    async def batch() -> None:
        async with (
            Sender(allow_loopback=True) as sender,
            receiver(case.behaviour, read_request=case.read_request) as seen,
            receiver(answers(OK)) as honest,
        ):
            started = asyncio.get_running_loop().time()
            outcome, beside = await asyncio.gather(
                sender.send(seen.url(), BODY, {}, deadline_seconds=deadline),
                sender.send(honest.url(), BODY, {}),
            )
            took = asyncio.get_running_loop().time() - started
            after = await sender.send(honest.url(), BODY, {})

        assert not case.slow_body or BODY_SECONDS <= took < BODY_SECONDS + 1
        assert (outcome.status, outcome.error) == (case.status, case.error)
        assert outcome.duration_ms < deadline * 1000 + 1000
        assert case.held == (outcome.duration_ms >= deadline * 1000)
        assert seen.connections == seen.accepted == requests
        assert len(seen.requests) <= requests
        assert beside.succeeded
        assert after.succeeded
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(batch())


@pytest.mark.usefixtures("short_bodies")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_batch_of_every_hostile_receiver_at_once_ends_in_time_and_delivers_to_the_honest(
    scheme: str, authority: Authority
) -> None:
    async def batch() -> None:
        async with AsyncExitStack() as stack:
            sender = Sender(allow_loopback=True, tls=authority.trusting())
            await stack.enter_async_context(sender)
            tls = authority.serving("127.0.0.1") if scheme == "https" else None
            hostile = [
                await stack.enter_async_context(
                    receiver(case.behaviour, read_request=case.read_request, tls=tls)
                )
                for case in HOSTILE
            ]
            honest = [await stack.enter_async_context(receiver(answers(OK), tls=tls)) for _ in range(10)]
            started = asyncio.get_running_loop().time()
            outcomes = await asyncio.gather(
                *(
                    sender.send(seen.url(scheme=scheme), BODY, {}, deadline_seconds=2 if case.held else 10)
                    for case, seen in zip(HOSTILE, hostile, strict=True)
                ),
                *(sender.send(seen.url(scheme=scheme), BODY, {}) for seen in honest),
            )
            took = asyncio.get_running_loop().time() - started

        assert took < 8
        verdicts = {(str(case), out.status, out.error) for case, out in zip(HOSTILE, outcomes, strict=False)}
        assert verdicts == {(str(case), case.status, case.error) for case in HOSTILE}
        assert all(outcome.succeeded for outcome in outcomes[len(HOSTILE) :])

    asyncio.run(batch())


@pytest.mark.parametrize("case", FLOODING, ids=str)
def test_a_flood_needs_little_memory(case: Hostile) -> None:
    async def attempt() -> Outcome:
        async with Sender(allow_loopback=True) as sender, receiver(case.behaviour) as seen:
            await sender.send(seen.url(), BODY, {})  # what is loaded once is loaded
            with memory_of_at_most(2_000_000):
                return await sender.send(seen.url(), BODY, {})

    outcome = asyncio.run(attempt())

    assert (outcome.status, outcome.error) == (case.status, case.error)


def test_a_hundred_redirects_are_one_request() -> None:
    async def attempt() -> tuple[Outcome, list[bytes]]:
        async with Sender(allow_loopback=True) as sender, AsyncExitStack() as stack:
            requests: list[bytes] = []
            location = "http://169.254.169.254/"
            for _ in range(100):
                head = f"HTTP/1.1 307 X\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n"
                seen = await stack.enter_async_context(receiver(answers(head.encode())))
                seen.requests = requests
                location = seen.url()
            return await sender.send(location, BODY, {}), requests

    outcome, requests = asyncio.run(attempt())

    assert (outcome.status, outcome.error) == (307, Failure.REDIRECT)
    assert len(requests) == 1


def test_a_receiver_whose_connections_are_never_accepted_meets_the_deadline() -> None:
    async def attempt() -> Outcome:
        loop = asyncio.get_running_loop()
        with full_listener() as port:
            async with Sender(allow_loopback=True) as sender:
                started = loop.time()
                outcome = await sender.send(f"http://127.0.0.1:{port}/", BODY, {}, deadline_seconds=0.3)
                assert loop.time() - started < 1.3
        return outcome

    outcome = asyncio.run(attempt())

    assert (outcome.status, outcome.error) == (None, Failure.TIMEOUT)


class _HurriedSelector(selectors.DefaultSelector):
    """Waits a twentieth of the time."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(None if timeout is None else timeout / 20)


class _HurriedLoop(asyncio.SelectorEventLoop):
    """An event loop whose seconds are twenty times as short."""

    def __init__(self) -> None:
        super().__init__(_HurriedSelector())

    def time(self) -> float:
        return super().time() * 20


def _hurried(behaviour: Behaviour) -> Outcome:
    """Make one attempt with the deadline as it is, on a loop for which 15 seconds pass in three quarters of one."""

    async def attempt() -> Outcome:
        async with Sender(allow_loopback=True) as sender, receiver(behaviour) as seen:
            return await sender.send(seen.url(), BODY, {})

    with asyncio.Runner(loop_factory=_HurriedLoop) as runner:
        return runner.run(attempt())


def _answers_after(seconds: float) -> Callable[..., Awaitable[None]]:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        await answers(OK)(reader, writer)

    return behave


def test_the_deadline_is_fifteen_seconds() -> None:
    assert sending.DEADLINE_SECONDS == 15

    outcome = _hurried(waits())

    assert outcome.error is Failure.TIMEOUT
    assert 15_000 <= outcome.duration_ms < 19_000


@pytest.mark.parametrize(
    ("seconds", "error"),
    [
        pytest.param(11, None, id="four seconds early"),
        pytest.param(18, Failure.TIMEOUT, id="three seconds late"),
    ],
)
def test_a_response_counts_within_fifteen_seconds_and_not_after(
    seconds: float, error: Failure | None
) -> None:
    assert _hurried(_answers_after(seconds)).error is error


@pytest.mark.parametrize(
    ("seconds_of_headers", "seconds_of_body"),
    [
        pytest.param(0, 5, id="the body is read for five seconds"),
        pytest.param(12, 3, id="the body is not read past the deadline"),
    ],
)
def test_a_body_that_never_ends_is_a_success_and_holds_the_attempt_for_a_bounded_time(
    seconds_of_headers: float, seconds_of_body: float
) -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds_of_headers)
        await answers_and_waits(HEAD + b"content-length: 99\r\n\r\nok")(reader, writer)

    async def attempt() -> tuple[Outcome, float]:
        now = asyncio.get_running_loop().time
        async with Sender(allow_loopback=True) as sender, receiver(behave) as seen:
            started = now()
            return await sender.send(seen.url(), BODY, {}), now() - started

    with asyncio.Runner(loop_factory=_HurriedLoop) as runner:
        outcome, took = runner.run(attempt())

    assert (outcome.status, outcome.error) == (200, None)
    assert outcome.duration_ms < seconds_of_headers * 1000 + 3000
    assert seconds_of_headers + seconds_of_body <= took < seconds_of_headers + seconds_of_body + 4
