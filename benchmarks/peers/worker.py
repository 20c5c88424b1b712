"""The deliveries of the always-on service: by Celery, or with the table itself as the queue (`python worker.py`)."""

import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import sqlalchemy as sa
from celery import Celery
from standardwebhooks import Webhook
from tables import deliveries, endpoints, engine, events, now

USES_CELERY = "BROKER_URL" in os.environ
DELAYS_SECONDS = (30, 300, 1_800, 7_200)  # after attempts 1 to 4; the fifth is the last
LEASE = timedelta(seconds=60)
BATCH = 10

app = Celery("peers", broker=os.environ.get("BROKER_URL"))
app.conf.task_ignore_result = True
app.conf.task_acks_late = True
app.conf.beat_schedule = {"sweep": {"task": "worker.sweep", "schedule": 10}}
client = httpx.Client(timeout=15)

_PENDING = (
    sa.select(deliveries.c.id, deliveries.c.attempts, endpoints.c.url, endpoints.c.secret)
    .add_columns(events.c.id.label("event_id"), events.c.body)
    .select_from(deliveries.join(events).join(endpoints))
    .where(deliveries.c.status == "pending")
    .with_for_update(of=deliveries, skip_locked=True)
)
_CHANGE = (
    sa.update(deliveries)
    .where(deliveries.c.id == sa.bindparam("delivery"))
    .values({name: sa.bindparam(name) for name in ("status", "attempts", "due_at", "last_outcome")})
)


@app.task
def deliver(delivery_id: str) -> None:
    """Make the next attempt of a delivery."""
    claimed = _claim(deliveries.c.id == delivery_id)
    _record(claimed, [_send(one) for one in claimed])


@app.task
def sweep() -> None:
    """Queue what is due: retries, and what a crash has left behind."""
    with engine.begin() as connection:
        due = sa.select(deliveries.c.id).where(deliveries.c.due_at <= now()).with_for_update(skip_locked=True)
        found = connection.scalars(due).all()
        connection.execute(
            sa.update(deliveries).where(deliveries.c.id.in_(found)).values(due_at=now() + LEASE)
        )
    for delivery_id in found:
        deliver.delay(delivery_id)


def work() -> None:
    """Deliver what is due, without Celery, for ever."""
    with ThreadPoolExecutor(BATCH) as pool:
        while True:
            claimed = _claim(deliveries.c.due_at <= now())
            if claimed:
                _record(claimed, list(pool.map(_send, claimed)))
            else:
                time.sleep(0.2)


def _claim(condition: sa.ColumnElement[bool]) -> Sequence[sa.Row[Any]]:
    """Count attempts before they are made, so that no crash leads to a sixth; return those to make."""
    with engine.begin() as connection:
        found = connection.execute(_PENDING.where(condition).order_by(deliveries.c.due_at).limit(BATCH)).all()
        if found:
            lease = {"status": "pending", "due_at": now() + LEASE, "last_outcome": ""}
            dropped = {"status": "dropped", "due_at": None, "last_outcome": "interrupted"}
            connection.execute(
                _CHANGE,
                [
                    {"delivery": one.id, "attempts": one.attempts + 1}
                    | (dropped if one.attempts > len(DELAYS_SECONDS) else lease)
                    for one in found
                ],
            )
        return [one for one in found if one.attempts <= len(DELAYS_SECONDS)]


def _send(one: sa.Row[Any]) -> str:
    at = now()
    headers = {
        "content-type": "application/json",
        "webhook-id": one.event_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(one.secret).sign(one.event_id, at, one.body),
    }
    try:
        return str(client.post(one.url, content=one.body.encode(), headers=headers).status_code)
    except httpx.HTTPError as error:
        return type(error).__name__


def _record(claimed: Sequence[sa.Row[Any]], outcomes: Sequence[str]) -> None:
    changes: list[Mapping[str, Any]] = []
    for one, outcome in zip(claimed, outcomes, strict=True):
        succeeded, over = outcome.startswith("2"), one.attempts == len(DELAYS_SECONDS)
        delay = None if succeeded or over else timedelta(seconds=DELAYS_SECONDS[one.attempts])
        changes.append(
            {
                "delivery": one.id,
                "attempts": one.attempts + 1,
                "status": "delivered" if succeeded else "dropped" if over else "pending",
                "due_at": delay and now() + delay,
                "last_outcome": outcome,
            }
        )
    with engine.begin() as connection:
        connection.execute(_CHANGE, changes)


if __name__ == "__main__":
    work()
