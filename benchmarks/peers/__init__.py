"""The product's core beside the same job in an always-on service of well-known parts."""

import asyncio
import importlib
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from standardwebhooks import Webhook

from benchmarks import fanning_out, recording, request_cpu, sending, stub
from benchmarks.measuring import take_turns
from benchmarks.peers import running
from benchmarks.peers.running import Figures
from benchmarks.receiver import receiving
from benchmarks.report import Section
from helpdesk.events.outbox import Event
from helpdesk.outbound import signing
from helpdesk.storage.wire import from_wire
from tests.support.api import Context, function

TITLE = "Peers"

TEXT = """The same job in an always-on service (`benchmarks/peers/`): FastAPI on uvicorn, SQLAlchemy on SQLite in WAL
mode and on PostgreSQL (where it is installed), and as the queue Celery with a database as its broker, or the table of
deliveries itself. POST /messages stores the message, the change of its conversation, the event and its delivery in one
transaction. A worker claims an attempt, signs it (`standardwebhooks`), sends it over a kept connection and records the
outcome; there are five attempts, on the product's schedule. It has no rate limit, search, analytics, roles, guarded
addresses or erasure. CPU time of the processes, with their threads; "its database" is that of the PostgreSQL server.
SQLite works inside the program. DynamoDB's work is not in the product's figures: it is paid by the unit
(docs/cost.md). A second and core is what one core does, its database included. Signing is of one event with one
secret, the libraries' objects made for it."""

DATABASES = {"SQLite": running.sqlite, "PostgreSQL": running.postgresql}
QUEUES = {"Celery": True, "the table as the queue": False}


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    rounds, count = (1, 20) if tiny else (3, 300)
    present = [name for name in DATABASES if name != "PostgreSQL" or shutil.which("initdb")]
    contenders = [(database, queue) for database in present for queue in QUEUES]
    figures: dict[tuple[str, str], list[Figures]] = {each: [] for each in contenders}
    running.install()
    for _ in range(rounds):
        for database, queue in contenders:
            with DATABASES[database]() as service:
                measured = running.measure(service, celery=QUEUES[queue], count=count)
                figures[database, queue].append(asyncio.run(measured))
    request, fan_out, delivery = _ours(tiny=tiny)

    def least(each: tuple[str, str], *names: str) -> list[float]:
        return [min(getattr(one, name) for one in figures[each]) for name in names]

    rows = [
        _row("POST /messages: the product", request),
        *(
            _row(f"POST /messages: FastAPI, {', '.join(each)}", *least(each, "request", "request_database"))
            for each in contenders
        ),
        _row("A delivery: the product, its fan-out included", fan_out + delivery),
        *(
            _row(f"A delivery: {', '.join(each)}", *least(each, "delivery", "delivery_database"))
            for each in contenders
        ),
        *(_row(f"Signing: {name}", seconds) for name, seconds in _signing(tiny=tiny).items()),
    ]
    return Section(TITLE, TEXT, ("", "CPU", "its database", "a second and core"), rows)


def _row(name: str, seconds: float, database: float = 0.0) -> Sequence[str]:
    cpu = f"{seconds * 1_000:.2f} ms" if seconds >= 0.0001 else f"{seconds * 1_000_000:.1f} us"
    shown = f"{database * 1_000:.2f} ms" if database else ""
    return name, cpu, shown, f"{1 / (seconds + database):,.0f}"


def _ours(*, tiny: bool) -> tuple[float, float, float]:
    """Return the CPU seconds of a request, of the fan-out of its event, and of a delivery."""
    record, context = recording.recorded(), Context()
    event = Event.from_item(from_wire(record.outbox[0]))
    with receiving() as url:
        answers = record.answers | fanning_out.answers(record) | sending.answers(record, event.id, url)
        with stub.answering(answers) as address:
            stub.use(address)
            fan_out, worker = function("fanout").handler, function("delivery")
            records = {"Records": fanning_out.stream_records(record)}
            batch = {
                "Records": [sending.queue_message(record, event.id, one) for one in range(sending.BATCH)]
            }

            def whole(handler: Callable[..., dict[str, Any]], batch: dict[str, Any]) -> Callable[[], None]:
                def work() -> None:
                    if handler(batch, context)["batchItemFailures"]:
                        raise RuntimeError("not all are handled")

                return work

            works = {
                "request": request_cpu.handled_by(function("messages").handler, record),
                "fan-out": whole(fan_out, records),
                "delivery": whole(worker.handler, batch),
            }
            timings = take_turns(works, rounds=1 if tiny else 20, repeats=1 if tiny else 5)
            worker._runner.run(worker._sender().__aexit__(None, None, None))  # noqa: SLF001
    return (
        timings.least("request"),
        timings.least("fan-out") / fanning_out.BATCH,
        timings.least("delivery") / sending.BATCH,
    )


def _signing(*, tiny: bool) -> dict[str, float]:
    """Return the CPU seconds of signing the recorded event, by each library."""
    sys.path.append(str(running.PACKAGES))  # for svix; behind this environment's own packages
    secret, event_id, at = signing.standard_secret(), "evt_" + "0" * 32, datetime.now(tz=UTC)
    body = json.dumps({"data": recording.MESSAGE})
    raw, seconds = body.encode(), int(at.timestamp())
    svix: Any = importlib.import_module("svix.webhooks")
    works: dict[str, Callable[[], str]] = {
        "the product": lambda: signing.sign_standard(secret, event_id, seconds, raw),
        "standardwebhooks": lambda: Webhook(secret).sign(event_id, at, body),
        "svix": lambda: svix.Webhook(secret).sign(event_id, at, body),
    }
    if len({work() for work in works.values()}) != 1:
        raise RuntimeError("signatures differ")
    timings = take_turns(works, rounds=2 if tiny else 20, repeats=1_000)
    return {name: timings.least(name) for name in works}
