"""How many deliveries one worker makes in a second, and its CPU time over the same sends by bare aiohttp."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

import aiohttp

from benchmarks import recording, stub
from benchmarks.measuring import take_turns
from benchmarks.receiver import receiving
from benchmarks.recording import Recorded
from benchmarks.report import Section, Target
from helpdesk.accounts.secret_keys.record import KeySecret
from helpdesk.events.outbox import Event
from helpdesk.outbound.sender import Sender
from helpdesk.platform import clock
from helpdesk.storage.wire import from_wire, to_wire
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import repository
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.repository import DeliveryContext
from helpdesk.webhooks.record import WebhookEndpoint
from tests.support.api import Context, function

TITLE = "Deliveries"
BATCH = 10  # the event source mapping's, in template.yaml
SECRET = "00" * 32

SENDER, BARE = "the product's sender, a connection for each send", "bare aiohttp, a connection for each send"
KEEPING, KEPT = "the product's sender, connections kept", "bare aiohttp, connections kept"
STUBBED = "the worker without AWS"
WHOLE = "the worker with its calls to AWS"

TEXT = f"""Webhooks of a message.created event to a receiver on loopback in another process, {BATCH} at once as
a batch of the queue has them; CPU time of this process for one delivery. The target is for the sender alone,
which makes the attempt (guarded addresses, one deadline, bounded reading), over aiohttp used bare in the same
way: a session for a batch and one connection for each send, as for the first batch of a worker. A warm worker
keeps up to two connections to each endpoint (`layers/core/helpdesk/outbound/keeping.py`); "connections kept" is
that, with ten endpoints. The receiver speaks plain HTTP; with TLS, keeping saves about 2 ms more.
"The worker without AWS" is `functions/delivery/app.py` whole (reading the message,
deciding, signing, three changes of thread), with its calls to DynamoDB answered in memory; the last row
makes those calls, to a server on loopback that answers at once, and they are most of a delivery."""


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    record = recording.recorded()
    event = Event.from_item(from_wire(record.outbox[0]))
    body = event.body.encode()
    headers = {"content-type": "application/json", "svc-signature": "t=1,v1=" + "0" * 64}
    rounds, repeats = (1, 1) if tiny else (20, 10)
    with receiving() as url, stub.answering(answers(record, event.id, url)) as address:
        stub.use(address)
        batch = {"Records": [queue_message(record, event.id, number) for number in range(BATCH)]}
        worker = function("delivery")

        def whole() -> None:
            if worker.handler(batch, Context())["batchItemFailures"]:
                raise RuntimeError("deliveries failed")

        def without_aws() -> None:
            with _answered_in_memory(record, event, url):
                whole()

        kept, keeping = _Kept(url, body, headers), _Keeping(url, body, headers)
        contenders = {
            SENDER: lambda: asyncio.run(_by_new_sender(url, body, headers)),
            KEEPING: keeping.send,
            BARE: lambda: asyncio.run(_bare(url, body, headers)),
            KEPT: kept.send,
            STUBBED: without_aws,
            WHOLE: whole,
        }
        by_cpu = take_turns(contenders, rounds=rounds, repeats=repeats)
        by_clock = take_turns(
            contenders, rounds=max(1, rounds // 2), repeats=repeats, clock=time.perf_counter
        )
        kept.close()
        keeping.close()
        worker._runner.run(worker._sender().__aexit__(None, None, None))  # noqa: SLF001
    rows: list[Sequence[str]] = [
        (
            name,
            f"{by_cpu.median(name) / BATCH * 1_000:.2f} ms",
            f"{by_cpu.ratio(name, BARE):.2f}",
            f"{by_cpu.ratio(name, KEPT):.2f}",
            f"{BATCH / by_clock.median(name):.0f}",
        )
        for name in contenders
    ]
    return Section(
        TITLE,
        TEXT,
        ("One delivery", "CPU", "over bare", "over kept connections", "deliveries a second"),
        rows,
        [Target("The sender over bare aiohttp", by_cpu.ratio(SENDER, BARE), 1.5)],
    )


async def _by_new_sender(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    async with Sender(allow_loopback=True) as sender:
        await _by_sender(sender, url, body, headers)


async def _by_sender(sender: Sender, url: str, body: bytes, headers: Mapping[str, str]) -> None:
    outcomes = await asyncio.gather(
        *(sender.send(url, body, headers, f"wh_{number}") for number in range(BATCH))
    )
    if not all(outcome.succeeded for outcome in outcomes):
        raise RuntimeError(str(outcomes))


async def _bare(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as session:
        await _post_batch(session, url, body, headers)


async def _post_batch(
    session: aiohttp.ClientSession, url: str, body: bytes, headers: Mapping[str, str]
) -> None:
    async def post() -> int:
        async with session.post(url, data=body, headers=headers, allow_redirects=False) as response:
            await response.read()
            return response.status

    if set(await asyncio.gather(*(post() for _ in range(BATCH)))) != {200}:
        raise RuntimeError("a send failed")


class _Keeping:
    """Sends by the product's sender, over connections that stay open from batch to batch."""

    def __init__(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        self._runner, self._sender = asyncio.Runner(), Sender(allow_loopback=True)
        self._sent = (url, body, headers)

    def send(self) -> None:
        self._runner.run(_by_sender(self._sender, *self._sent))

    def close(self) -> None:
        self._runner.run(self._sender.__aexit__(None, None, None))
        self._runner.close()


class _Kept:
    """Sends over connections that stay open from batch to batch."""

    def __init__(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        self._runner = asyncio.Runner()
        self._sent = (url, body, headers)
        self._session = self._runner.run(self._open())

    def send(self) -> None:
        self._runner.run(_post_batch(self._session, *self._sent))

    def close(self) -> None:
        self._runner.run(self._session.close())
        self._runner.close()

    @staticmethod
    async def _open() -> aiohttp.ClientSession:
        return aiohttp.ClientSession()


def _task(record: Recorded, event_id: str) -> DeliveryTask:
    endpoint = WebhookEndpoint.from_item(from_wire(record.endpoint))
    return DeliveryTask(
        endpoint.organization, endpoint.id, event_id, endpoint.key_id, 1, clock.now_ms() - 1_000
    )


def queue_message(record: Recorded, event_id: str, number: int) -> dict[str, Any]:
    """Return a first attempt as the queue hands it out."""
    return {
        "messageId": str(number),
        "receiptHandle": str(number),
        "body": _task(record, event_id).to_json(),
        "attributes": {"ApproximateReceiveCount": "1"},
        "eventSourceARN": "arn:aws:sqs:eu-west-1:000000000000:delivery",
    }


def answers(record: Recorded, event_id: str, url: str) -> dict[str, str]:
    """Return what DynamoDB answers to the batch read of first attempts: event, endpoint and secret."""
    task = _task(record, event_id)
    secret = KeySecret(
        organization=task.organization, key_id=task.key_id or "", webhooks=SECRET, tools=SECRET
    )
    items = [
        record.outbox[0],
        {**record.endpoint, "url": {"S": url}},
        to_wire(secret.to_item()),
    ]
    return {"BatchGetItem": json.dumps({"Responses": {"helpdesk": items}, "UnprocessedKeys": {}})}


@contextmanager
def _answered_in_memory(record: Recorded, event: Event, url: str) -> Iterator[None]:
    endpoint = WebhookEndpoint.from_item(from_wire(record.endpoint) | {"url": url})
    context = DeliveryContext(None, event, endpoint, SECRET)

    def load(*_: object) -> DeliveryContext:
        return context

    nothing: Callable[..., Awaitable[None] | None] = lambda *_, **__: None  # noqa: E731
    with (
        mock.patch.object(repository, "load", return_value={}),
        mock.patch.object(repository, "context_of", load),
        mock.patch.object(repository, "claim", nothing),
        mock.patch.object(repository, "record", nothing),
        mock.patch.object(webhooks, "record_result", nothing),
    ):
        yield
