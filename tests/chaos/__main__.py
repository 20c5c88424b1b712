"""Send events to receivers that fail while workers die, and see that none is lost and none attempted too often.

A local stack of its own, on a port of its own: the deployed template in the emulator. Events are written to the table
as a request writes them; from there on everything is the product. What differs from AWS is set here: waits between
attempts, and a visibility of 45 s, so that what a dead worker held comes back within a run.
"""

import argparse
import json
import logging
import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from helpdesk.admission.limits import Plan
from helpdesk.events import leftover
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.organizations import operation as organizations
from helpdesk.platform import clients, clock
from helpdesk.storage import keys, shards, table
from scripts import admin, redrive
from scripts.local import stack as local_stack
from scripts.local.emulator import Emulator
from scripts.local.progress import Progress
from scripts.local.settings import ACCOUNT, HOST, LOCAL, REGION, STACK_NAME, StackSettings, settings_for
from tests.chaos.deaths import Deaths
from tests.chaos.receivers import ChaoticReceiver, Kind, mixed
from tests.support.web import Web

PARAMETERS = "RetryDelaysSeconds=2,5,15,30"
VISIBILITY_SECONDS = 45  # longer than a claim
LATE_SECONDS = 10
SEND_SECONDS = 60
DYING_SECONDS = 60  # for so long workers die on when everything is sent
STALLED_MS = 120_000  # fan-out is one thread in the emulator, which deaths hold up
MOST_SECONDS = 330  # from the first event to the last result


class ChaosError(Exception):
    """A promise was broken; the message says which."""


@dataclass
class Endpoint:
    """A receiver with the organization that it belongs to, and the events meant for it."""

    organization: str
    id: str
    receiver: ChaoticReceiver
    events: list[str]


def main() -> int:
    """Run once; return 1 when a promise is broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=2_000)
    options = parser.parse_args()
    random = Random(options.seed)
    started = time.monotonic()
    logging.disable(logging.WARNING)  # a line for each repair
    receivers = mixed(random)
    try:
        with _stack(options.seed) as emulator:
            endpoints = [_register(number, receiver) for number, receiver in enumerate(receivers)]
            deaths = Deaths(emulator, random, least=0.3, most=1.2)
            sent_at = time.monotonic()
            _send(endpoints, options.events, random, deaths)
            redriven = _settle(sent_at)
            deaths_told = dict(deaths.killed)
            report = _check(endpoints)
    except ChaosError as broken:
        sys.stderr.write(f"BROKEN with seed {options.seed}: {broken}\n")
        return 1
    finally:
        for receiver in receivers:
            receiver.close()
    told = {
        "seed": options.seed,
        "seconds": round(time.monotonic() - started),
        "workers killed": deaths_told,
        "dead letters redriven": redriven,
        **report,
    }
    sys.stdout.write(json.dumps(told, indent=2) + "\n")
    return 0


@contextmanager
def _stack(seed: int) -> Iterator[int]:
    """Start a stack with an empty table; give the emulator's process id."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = int(probe.getsockname()[1])
    settings = settings_for(port, PARAMETERS, folder=LOCAL / f"chaos-{seed}")
    emulator = Emulator(settings)
    emulator.stop()
    emulator.forget()
    for left in settings.folder.glob("*.json"):
        left.unlink()
    try:
        local_stack.up(settings, Progress())
        _use(settings)
        yield int(json.loads(Path(settings.folder / "emulator.json").read_text(encoding="utf-8"))["pid"])
    finally:
        emulator.stop()


def _use(settings: StackSettings) -> None:
    os.environ |= {
        **ACCOUNT,
        "STAGE": "local",
        "BASE_URL": settings.base_url,
    }
    admin.use_stack(STACK_NAME, region=REGION, endpoint_url=settings.endpoint_url)
    for name in ("DELIVERY", "RETRY"):
        clients.sqs().set_queue_attributes(
            QueueUrl=os.environ[f"{name}_QUEUE_URL"],
            Attributes={"VisibilityTimeout": str(VISIBILITY_SECONDS)},
        )


def _register(number: int, receiver: ChaoticReceiver) -> Endpoint:
    created = organizations.create_organization(
        name=f"Chaos {number}",
        slug=f"chaos-{number}",
        owner_name="Olga",
        owner_email=f"olga{number}@example.com",
        plan=Plan.PRO,
        api_limits=True,
        unlimited_api=False,
    )
    web = Web(os.environ["BASE_URL"], created.secret_key)
    answer = web.post(
        "/v1/webhooks",
        {"url": f"http://{HOST}:{receiver.port}/hook", "events": [WebhookEvent.MESSAGE_CREATED.value]},
    )
    if answer.status != 200:
        raise ChaosError(f"an endpoint was refused: {answer}")
    if receiver.kind not in {Kind.LATE, Kind.CLOSED}:
        receiver.open()
    return Endpoint(created.organization_id, answer.body["id"], receiver, [])


def _send(endpoints: list[Endpoint], events: int, random: Random, deaths: Deaths) -> None:
    """Write the events in a random order, at an even pace, and kill workers meanwhile."""
    targets = [endpoints[number % len(endpoints)] for number in range(events)]
    random.shuffle(targets)
    began = time.monotonic()
    deaths.begin()
    opened = False
    for number, endpoint in enumerate(targets):
        if not opened and time.monotonic() - began > LATE_SECONDS:
            opened = True
            for each in endpoints:
                if each.receiver.kind is Kind.LATE:
                    each.receiver.open()
        event = Event(endpoint.organization, WebhookEvent.MESSAGE_CREATED, {"number": number}, clock.now_ms())
        table.put_new(event.to_item())
        endpoint.events.append(event.id)
        time.sleep(max(0.0, began + number * SEND_SECONDS / events - time.monotonic()))
    # Retries are under way now: they shall meet deaths too.
    time.sleep(DYING_SECONDS)
    deaths.end()


def _settle(sent_at: float) -> dict[str, int]:
    """Wait until nothing is pending; redrive what was set aside because its workers died five times."""
    redriven: Counter[str] = Counter()
    while True:
        pending, left = _pending(), _left()
        if not pending and not left:
            return dict(redriven)
        if time.monotonic() - sent_at > MOST_SECONDS:
            raise ChaosError(f"{pending} deliveries and {left} outbox items are still pending")
        time.sleep(10)
        for queue in ("delivery", "retry"):
            redriven[queue] += int(redrive.redrive(queue)["moved"])
        if not _left(before=clock.now_ms() - STALLED_MS):
            continue
        redriven["fanout"] += int(redrive.redrive("fanout")["moved"])


def _pending() -> int:
    return sum(
        len(table.query(shards.pending_deliveries(shard), index="GSI1").items)
        for shard in range(shards.SHARDS)
    )


def _left(before: int | None = None) -> int:
    until = before or clock.now_ms() + 1
    return sum(len(leftover.left(shard, until, 1_000).items) for shard in range(shards.SHARDS))


def _check(endpoints: list[Endpoint]) -> dict[str, object]:
    """Hold every event to the promises; return what there is to report."""
    report: Counter[str] = Counter()
    states: Counter[str] = Counter()
    for endpoint in endpoints:
        receiver = endpoint.receiver
        found = {
            item["eventId"]: item
            for item in table.query_all(keys.Delivery(endpoint.organization, endpoint.id, "-").pk)
        }
        if found.keys() != set(endpoint.events):
            raise ChaosError(f"{len(found)} deliveries of {len(endpoint.events)} events were booked")
        for event_id in endpoint.events:
            item, requests = found[event_id], receiver.requests[event_id]
            numbers = [entry["attempt"] for entry in item["attempts"]]
            interrupted = sum(entry["error"] == "interrupted" for entry in item["attempts"])
            if item["made"] > 5 or requests > 5 or len(numbers) > 5:
                raise ChaosError(f"{event_id} was attempted {item['made']} times and sent {requests} times")
            if sorted(numbers) != list(range(1, item["made"] + 1)):
                raise ChaosError(f"{event_id} has the attempts {numbers}")
            if receiver.kind.gets_everything and event_id not in receiver.answered:
                raise ChaosError(f"{event_id} never reached a receiver that {receiver.kind.value}")
            if not receiver.kind.gets_everything and item["state"] != "dropped":
                raise ChaosError(f"{event_id} is {item['state']} at a receiver that {receiver.kind.value}")
            report["requests"] += requests
            report["attempts interrupted"] += interrupted
            # A request more than were needed: the receiver got the event before its worker died.
            needed = 2 if receiver.kind is Kind.STUMBLING else 1
            if receiver.kind in {Kind.HEALTHY, Kind.STUMBLING, Kind.LATE}:
                report["duplicates"] += requests - needed
            states[item["state"]] += 1
    return {"events": sum(states.values()), "states": dict(states), **report}


if __name__ == "__main__":
    sys.exit(main())
