"""Send events to failing receivers while workers are killed, and check that none is lost or attempted too often.

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
from pathlib import Path
from random import Random

from helpdesk.accounts import provisioning
from helpdesk.api.admission.limits import Plan
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.platform import clients, clock
from helpdesk.storage import table
from helpdesk.webhooks.delivery.attempts import DeliveryState
from helpdesk.webhooks.delivery.record import Delivery
from scripts import admin, redrive
from scripts.local import deployment
from scripts.local.emulator import Emulator
from scripts.local.progress import Progress
from scripts.local.settings import ACCOUNT, HOST, LOCAL, REGION, STACK_NAME, StackSettings, settings_for
from tests.chaos.in_flight import InFlightRequests
from tests.chaos.invariants import ChaosError, Endpoint, check
from tests.chaos.kills import Moment, WorkerKiller
from tests.chaos.receivers import ChaoticReceiver, Kind, mixed
from tests.support.web import Web

PARAMETERS = "RetryDelaysSeconds=2,5,15,30"
VISIBILITY_SECONDS = 45  # longer than a claim
LATE_SECONDS = 10
SEND_SECONDS = (
    100  # slowly enough for the emulator, whose one thread fans out and hands out messages in turns
)
KILLING_SECONDS = 60  # for so long at least workers die on when everything is sent
MAX_KILLING_SECONDS = (
    240  # and for so long until enough of them died at work: a busy machine comes to it late
)
ENOUGH_KILLS = 30  # with a request in flight
MAX_SECONDS = 600  # from the first event to the last result


def main() -> int:
    """Run once; return 1 if an invariant is violated."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=2_000)
    options = parser.parse_args()
    random = Random(options.seed)
    started = time.monotonic()
    logging.disable(logging.WARNING)  # a line for each repair
    in_flight = InFlightRequests()
    receivers = mixed(random, in_flight)
    try:
        with _stack(options.seed) as emulator:
            endpoints = [_register(number, receiver) for number, receiver in enumerate(receivers)]
            killer = WorkerKiller(emulator, in_flight, random, least=0.8, most=2.4)
            sent_at = time.monotonic()
            _send(endpoints, options.events, random, killer)
            redriven = _settle(sent_at)
            report = check(endpoints, killer.report)
    except ChaosError as broken:
        sys.stderr.write(f"BROKEN with seed {options.seed}: {broken}\n")
        return 1
    finally:
        for receiver in receivers:
            receiver.close()
    figures = {
        "seed": options.seed,
        "seconds": round(time.monotonic() - started),
        "workers killed": dict(killer.report.functions),
        "killed at": dict(killer.report.moments),
        "dead letters redriven": redriven,
        **report,
    }
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    return 0


@contextmanager
def _stack(seed: int) -> Iterator[int]:
    """Start a stack with an empty table; give the emulator's process id."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = int(probe.getsockname()[1])
    settings = settings_for(port, PARAMETERS, folder=LOCAL / f"chaos-{seed}")
    emulator = Emulator(settings)
    emulator.discard()
    settings.folder.mkdir(parents=True, exist_ok=True)
    emulator.log.unlink(missing_ok=True)
    try:
        # Without the demo organization and its guides, which take longer than all of this.
        emulator.start(Progress())
        deployment.deploy(settings, emulator.deployment_record, Progress())
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
    created = provisioning.create_organization(
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


def _send(endpoints: list[Endpoint], events: int, random: Random, killer: WorkerKiller) -> None:
    """Write the events in a random order, at an even pace, and kill workers meanwhile."""
    targets = [endpoints[number % len(endpoints)] for number in range(events)]
    random.shuffle(targets)
    began = time.monotonic()
    killer.start()
    opened = False
    for number, endpoint in enumerate(targets):
        if not opened and time.monotonic() - began > LATE_SECONDS:
            opened = True
            for each in endpoints:
                if each.receiver.kind is Kind.LATE:
                    each.receiver.open()
        event = Event.new(
            endpoint.organization, WebhookEvent.MESSAGE_CREATED, {"number": number}, clock.now_ms()
        )
        table.put_new(event.to_item())
        endpoint.events.append(event.id)
        time.sleep(max(0.0, began + number * SEND_SECONDS / events - time.monotonic()))
    # Retries are under way now; kills must interrupt them too.
    time.sleep(KILLING_SECONDS)
    until = time.monotonic() + MAX_KILLING_SECONDS - KILLING_SECONDS
    while time.monotonic() < until and killer.report.moments[Moment.IN_FLIGHT] < ENOUGH_KILLS:
        time.sleep(1)
    killer.stop()


def _settle(sent_at: float) -> dict[str, int]:
    """Wait until every delivery is over; redrive the dead letters, whose workers died five times."""
    redriven: Counter[str] = Counter()
    while unfinished := _unfinished():
        if time.monotonic() - sent_at > MAX_SECONDS:
            raise ChaosError(f"{unfinished} deliveries are not over")
        time.sleep(10)
        for queue in ("delivery", "retry", "fanout"):
            redriven[queue] += int(redrive.redrive(queue)["moved"])
    return dict(redriven)


def _unfinished() -> int:
    """Return how many events have no delivery that is over; each organization has one endpoint."""
    happened, over, after = set(), set(), None
    while True:
        page = table.scan(limit=1_000, after=after)
        for item in page.items:
            key = table.key_of(item)
            if event := Event.parse(*key):
                happened.add(event["id"])
            elif (delivery := Delivery.parse(*key)) and item["state"] != DeliveryState.PENDING:
                over.add(delivery["event_id"])
        after = page.after
        if after is None:
            return len(happened - over)


if __name__ == "__main__":
    sys.exit(main())
