"""How long a healthy receiver waits for an event while others hang for the whole 15 s, or refuse."""

import asyncio
import contextlib
import json
import os
import socket
import time
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any
from unittest import mock

from benchmarks.report import Section, Target
from helpdesk.accounts.secret_keys.record import KeySecret
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.outbound.sender import Sender
from helpdesk.platform import clients, clock, settings
from helpdesk.storage import table
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.schedule import parse_delays
from helpdesk.webhooks.record import WebhookEndpoint
from tests.simulation.memory import MemoryTable
from tests.support.api import function
from tests.support.template import template

TITLE = "Outages"
COMPARED = ("none", "50 % hang", "50 % refuse")  # the first is what the others are compared with
REPEATS = 3
SCALE = 10
BATCH, BATCHES = 10, 100  # the event source mapping's and DeliveryConcurrency, in template.yaml
# Events a second of this clock. All batches share one process here: more events would measure its processor's queue.
ENDPOINTS, RATE = 100, 20
CALL_SECONDS = 0.005
FIRST, LATER = "https://sqs/deliveries", "https://sqs/retries"
ORGANIZATION, KEY = "org_1", "key_1"

TEXT = f"""From the writing of an event to its arrival at a healthy receiver, while a share of {ENDPOINTS} endpoints
hangs or refuses connections: {RATE} events a second, spread evenly. The worker is `functions/delivery/app.py` whole,
with its real sender, to receivers on loopback. Modelled are the two queues (fair: of those that wait, a message of the
group with the fewest in flight is handed out first; batches of {BATCH}, {BATCHES} at once for each queue; no polling),
the table (in memory, with the product's own expressions, {CALL_SECONDS * 1_000:.0f} ms a call) and where fan-out queues
a first attempt. Time is {SCALE} times as fast for what waits: a receiver hangs for {15 / SCALE} s, and retries wait a
tenth. "Steady" begins after two and a half deadlines, when those that hang have the status failing; "at its onset"
is before that. {", ".join(f'"{name}"' for name in COMPARED)}: the median of {REPEATS} runs. The last rows leave out
decision 52, in part and in whole: hanging receivers then hold the batches that healthy ones wait for."""


@dataclass(frozen=True)
class Outage:
    """What is measured: the share of endpoints that is down, how, and whether they use the retry queue."""

    name: str
    share: float
    refuses: bool = False
    apart: bool = True
    batches: int = BATCHES


OUTAGES = (
    Outage("none", 0.0),
    Outage("1 % hang", 0.01),
    Outage("10 % hang", 0.1),
    Outage("50 % hang", 0.5),
    Outage("50 % refuse", 0.5, refuses=True),
    Outage("50 % hang, 7 batches at once", 0.5, batches=7),
    Outage("50 % hang, one queue for all, 7 batches", 0.5, apart=False, batches=7),
)


@dataclass
class _Queue:
    """A fair queue, and the number of its batches under way."""

    url: str
    groups: dict[str, deque[str]] = field(default_factory=lambda: defaultdict(deque))
    in_flight: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    batches: int = 0

    def put(self, group: str, body: str) -> None:
        self.groups[group].append(body)

    def take(self) -> list[tuple[str, str]]:
        taken: list[tuple[str, str]] = []
        while len(taken) < BATCH and (waiting := [group for group, bodies in self.groups.items() if bodies]):
            group = min(waiting, key=lambda each: self.in_flight[each])
            taken.append((group, self.groups[group].popleft()))
            self.in_flight[group] += 1
        return taken


class _Model:
    """SQS, its mappings, the table and the receivers, on one event loop."""

    def __init__(self, outage: Outage) -> None:
        self.outage, self.memory = outage, MemoryTable()
        self.queues = {FIRST: _Queue(FIRST), LATER: _Queue(LATER)}
        self.arrived: list[tuple[float, float]] = []
        self.app = function("delivery")
        self._loop = asyncio.get_running_loop()
        self._running: set[asyncio.Task[None]] = set()
        self._ended = False
        self._failures: list[BaseException] = []
        self._servers: list[asyncio.Server] = []

    async def run(self, seconds: float, warm: float) -> tuple[list[float], list[float]]:
        """Send for a while; return the seconds that healthy receivers waited at the onset, and after it.

        Raises the first failure of a batch: no delivery of this model may fail for another reason than its receiver.
        """
        await self._furnish()
        began = time.monotonic()
        try:
            for number in range(int((seconds + warm) * RATE)):
                await asyncio.sleep(max(0.0, began + number / RATE - time.monotonic()))
                self._raise_failure()
                self._happen(number)
            await asyncio.sleep(0.5)
            ended = time.monotonic()
        finally:
            await self._end()
        self._raise_failure()
        onset = [arrival - at for at, arrival in self.arrived if at < began + warm]
        steady = [arrival - at for at, arrival in self.arrived if at >= began + warm]
        # An event that has not arrived counts with the time that it has waited.
        missing = [at for at in self._expected if at not in {sent for sent, _ in self.arrived}]
        onset += [ended - at for at in missing if at < began + warm]
        steady += [ended - at for at in missing if at >= began + warm]
        return onset, steady

    async def _end(self) -> None:
        """End every batch and every thread of one, while the stand-ins for AWS are still in place."""
        self._ended = True
        for server in self._servers:
            server.close()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        # A task that is cancelled leaves its call in a thread behind.
        await self._loop.shutdown_default_executor()

    def _raise_failure(self) -> None:
        if self._failures:
            raise self._failures[0]

    def send_message(self, **message: Any) -> None:
        """Stand in for SQS; the worker calls it in a thread."""
        url, group, body = message["QueueUrl"], message["MessageGroupId"], message["MessageBody"]
        self._loop.call_soon_threadsafe(
            self._loop.call_later, message["DelaySeconds"], self._put, url, group, body
        )

    def change_message_visibility(self, **_: Any) -> None:
        """Do nothing: only receivers fail here."""

    def turn(self, endpoint: WebhookEndpoint, *, succeeded: bool, at: int) -> WebhookEndpoint | None:
        """Stand in for the transaction that changes an endpoint's status and logs it."""
        name, since = ("lastDeliveryAt", None) if succeeded else ("lastFailureAt", at)
        table.update(
            WebhookEndpoint.key_for(ORGANIZATION, endpoint.id),
            f"SET {name} = :at, failingSince = :since",
            values={":at": at, ":since": since},
        )
        return None

    def _happen(self, number: int) -> None:
        """Write an event, and do what fan-out does: queue the first attempt."""
        endpoint_id, event_id, at = f"wh_{number % ENDPOINTS}", f"evt_{number:032x}", time.monotonic()
        if number % ENDPOINTS >= self._down:
            self._expected.append(at)
        now = clock.now_ms()
        event = Event(
            organization=ORGANIZATION,
            id=event_id,
            type="message.created",
            created_at=now,
            data=json.dumps({"at": at}),
        )
        self.memory.put_new(event)
        place = WebhookEndpoint.key_for(ORGANIZATION, endpoint_id)
        item = self.memory.items[place.pk, place.sk]
        endpoint = WebhookEndpoint.from_item(item)
        apart = self.outage.apart and endpoint.failing_since is not None
        self._put(LATER if apart else FIRST, endpoint_id, DeliveryTask.first(event, endpoint).to_json())

    def _put(self, url: str, group: str, body: str) -> None:
        self.queues[url].put(group, body)
        self._start(self.queues[url])

    def _start(self, queue: _Queue) -> None:
        while not self._ended and queue.batches < self.outage.batches and (taken := queue.take()):
            queue.batches += 1
            task = self._loop.create_task(self._invoke(queue, taken))
            self._running.add(task)
            task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failures.append(error)

    async def _invoke(self, queue: _Queue, taken: list[tuple[str, str]]) -> None:
        arn = f"arn:aws:sqs:eu-west-1:000000000000:{queue.url.rpartition('/')[2]}"
        records = [
            {
                "messageId": str(number),
                "receiptHandle": "",
                "body": body,
                # Without the queue's own name the worker does not move failing endpoints to the retry queue.
                "eventSourceARN": arn if self.outage.apart else arn + "-all",
                "attributes": {"ApproximateReceiveCount": "1"},
            }
            for number, (_, body) in enumerate(taken)
        ]
        try:
            # The handler has an event loop and a sender of its own; here all batches share a loop.
            async with Sender(allow_loopback=True) as sender:
                if failed := await self.app._handle(records, sender):  # noqa: SLF001
                    raise RuntimeError(f"deliveries failed: {failed}")
        finally:
            queue.batches -= 1
            for group, _ in taken:
                queue.in_flight[group] -= 1
            self._start(queue)

    async def _furnish(self) -> None:
        self._expected: list[float] = []
        self._down = round(ENDPOINTS * self.outage.share)
        healthy, hanging = [
            await asyncio.start_server(each, "127.0.0.1", 0) for each in (self._answer, _hang)
        ]
        self._servers = [healthy, hanging]
        closed = socket.socket()
        closed.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        self._closed = closed
        down = closed.getsockname()[1] if self.outage.refuses else hanging.sockets[0].getsockname()[1]
        for number in range(ENDPOINTS):
            port = down if number < self._down else healthy.sockets[0].getsockname()[1]
            self.memory.put_new(_endpoint(f"wh_{number}", f"http://127.0.0.1:{port}/"))
        self.memory.put_new(
            KeySecret(organization=ORGANIZATION, key_id=KEY, webhooks="00" * 32, tools="00" * 32).to_item()
        )

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.partition(b":")[2])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length")
        )
        sent_at = json.loads(await reader.readexactly(length))["data"]["at"]
        self.arrived.append((sent_at, time.monotonic()))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        writer.close()


async def _hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Read everything and never respond, until the sender gives up."""
    with contextlib.suppress(ConnectionError):
        while await reader.read(65_536):
            pass
    writer.close()


def _endpoint(endpoint_id: str, url: str) -> WebhookEndpoint:
    return WebhookEndpoint(
        organization=ORGANIZATION,
        id=endpoint_id,
        url=url,
        events=(WebhookEvent.MESSAGE_CREATED,),
        key_id=KEY,
        created_at=1,
    )


@contextlib.contextmanager
def _modelled(model: _Model) -> Iterator[None]:
    """Replace AWS by the model, with a duration for each call."""

    def calling(name: str) -> Any:
        answer = getattr(model.memory, name)

        def called(*arguments: Any, **named: Any) -> Any:
            time.sleep(CALL_SECONDS)
            return answer(*arguments, **named)

        return called

    with contextlib.ExitStack() as stack:
        for name in ("get_many", "put_new", "update"):
            stack.enter_context(mock.patch.object(table, name, calling(name)))
        stack.enter_context(mock.patch.object(clients, "sqs", return_value=model))
        stack.enter_context(mock.patch.object(webhooks, "_change_status", model.turn))
        stack.enter_context(mock.patch.dict(Sender.send.__kwdefaults__, {"deadline_seconds": 15 / SCALE}))
        yield


async def _measure(outage: Outage, seconds: float, warm: float) -> tuple[list[float], list[float]]:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(64))
    model = _Model(outage)
    with _modelled(model):
        return await model.run(seconds, warm)


def _p(runs: list[list[float]], share: int) -> float:
    """Return the median over the runs of a percentile, in ms: one pause of the machine decides a single run's p99."""
    return median(quantiles(each, n=100)[share - 1] * 1_000 if len(each) > 1 else 0.0 for each in runs)


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    delays = parse_delays(template()["Parameters"]["RetryDelaysSeconds"]["Default"])
    os.environ |= {
        "TABLE_NAME": "helpdesk",
        "STAGE": "local",
        "ALLOW_LOOPBACK_URLS": "true",
        "DELIVERY_QUEUE_URL": FIRST,
        "RETRY_QUEUE_URL": LATER,
        "RETRY_DELAYS_SECONDS": ",".join(str(delay // SCALE) for delay in delays),
    }
    settings.settings.cache_clear()
    seconds, warm = (0.5, 0.2) if tiny else (12.0, 2.5 * 15 / SCALE)
    onset: dict[str, list[list[float]]] = defaultdict(list)
    steady: dict[str, list[list[float]]] = defaultdict(list)
    for turn in range(1 if tiny else REPEATS):
        for outage in OUTAGES:
            if turn == 0 or outage.name in COMPARED:
                early, late = asyncio.run(_measure(outage, seconds, warm))
                onset[outage.name].append(early)
                steady[outage.name].append(late)
    base = _p(steady["none"], 99) or 1.0
    rows: list[Sequence[str]] = [
        (
            outage.name,
            f"{_p(steady[outage.name], 50):.1f} ms",
            f"{_p(steady[outage.name], 99):.1f} ms",
            f"{_p(steady[outage.name], 99) / base:.2f}",
            f"{_p(onset[outage.name], 99):.1f} ms",
        )
        for outage in OUTAGES
    ]
    targets = [
        Target(f"Healthy p99 while {name}, over none", _p(steady[name], 99) / base, 1.2)
        for name in COMPARED[1:]
    ]
    columns = ("Endpoints that are down", "p50, steady", "p99, steady", "over none", "p99 at its onset")
    return Section(TITLE, TEXT, columns, rows, targets)
