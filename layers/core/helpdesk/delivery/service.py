"""Delivering: booking an event for each endpoint that listens, and making attempts.

Specification: Events, Delivery and retries. `attempts` holds the rules, this module carries them out. The order of
the steps of an attempt is what makes a crash at any of them harmless; tests/simulation walks through every one.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.delivery import queue, repository
from helpdesk.delivery.attempts import Decision, DeliveryState, Progress, Step, decide
from helpdesk.delivery.outcome import Outcome
from helpdesk.delivery.queue import Reminder
from helpdesk.delivery.repository import ClaimLost, Envelope, Result
from helpdesk.delivery.schedule import next_due, parse_delays
from helpdesk.delivery.signing import Signing, signed_headers
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.storage.table import Throttled
from helpdesk.storage.transactions import Conflict
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.record import Endpoint


class SecretNotSeen(Exception):
    """An endpoint is there and nothing to sign with: what was read at once was not of one instant.

    Its key is being revoked, or it is being removed itself. The reminder comes back, and then all of it is seen.
    """


class Sends(Protocol):
    """What makes an attempt; `sender.Sender` does."""

    async def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
        """Make one attempt and return what came of it; never raises for what the receiver does."""


def book(
    organization: str,
    event_id: str,
    event_type: str,
    created_at: int,
    endpoints: list[Endpoint],
    only_to: str | None = None,
) -> list[Reminder]:
    """Book an event's deliveries and return the reminders of their first attempts, to be queued.

    An endpoint listens to its kinds of event from its creation on; an event that is `only_to` one goes there whatever
    the endpoint listens to. Booking again changes nothing.
    """
    reminders = []
    for endpoint in endpoints:
        if only_to is None:
            wanted = event_type in endpoint.events and endpoint.created_at <= created_at
        else:  # asked for of that endpoint, which was there then, whatever the clocks of two functions say
            wanted = endpoint.id == only_to
        if wanted:
            reminder = Reminder(organization, endpoint.id, event_id, endpoint.key_id, 1, created_at)
            repository.book(reminder.delivery, event_type, created_at)
            reminders.append(reminder)
    return reminders


async def handle(reminder: Reminder, sender: Sends, *, answering_only: bool = False) -> None:
    """Do what a reminder calls for. When this returns, its message may be deleted; when it raises, it comes back.

    With `answering_only` an attempt to an endpoint that is failing is not made but queued beside the retries, so that
    no hanging receiver holds up this queue (docs/decisions/0052).
    """
    now = clock.now_ms()
    if reminder.due_at > now:
        await asyncio.to_thread(queue.send_later, reminder, not_before=reminder.due_at, now=now)
        return
    envelope = await asyncio.to_thread(repository.load, reminder.delivery, reminder.key_id)
    progress = envelope.progress
    while True:
        decision = decide(progress, reminder.attempt, reminder.due_at, clock.now_ms(), reminder.chain)
        try:
            if decision.step is Step.CLAIM and answering_only and _is_failing(reminder, envelope):
                await asyncio.to_thread(queue.send_later, reminder, not_before=now, now=now)
            elif progress is not None:
                await _carry_out(decision, reminder, progress, envelope, sender)
        except ClaimLost as lost:
            progress = lost.progress
        else:
            return


def _is_failing(reminder: Reminder, envelope: Envelope) -> bool:
    item = envelope.endpoint
    return item is not None and Endpoint.from_item(reminder.organization, item).failing_since is not None


async def _carry_out(
    decision: Decision, reminder: Reminder, progress: Progress, envelope: Envelope, sender: Sends
) -> None:
    match decision.step:
        case Step.DONE:
            return
        case Step.LATER:
            await asyncio.to_thread(queue.send_later, reminder, not_before=decision.at, now=clock.now_ms())
        case Step.RECOVER:
            await asyncio.to_thread(_recover, reminder, progress)
        case Step.CLAIM:
            await _attempt(reminder, progress, envelope, sender)


async def _attempt(reminder: Reminder, progress: Progress, envelope: Envelope, sender: Sends) -> None:
    """Claim, then send, then settle."""
    if envelope.endpoint is None or envelope.body is None:
        # Removing the endpoint cancels its retries; an event that was erased cannot be sent any more.
        await asyncio.to_thread(repository.cancel, reminder.delivery)
        return
    if envelope.secret is None:
        raise SecretNotSeen
    endpoint = Endpoint.from_item(reminder.organization, envelope.endpoint)
    body = envelope.body.encode()
    started_at = clock.now_ms()
    await asyncio.to_thread(repository.claim, reminder.delivery, progress, reminder.attempt, started_at)
    signing = Signing(reminder.event_id, envelope.secret, tuple(envelope.standard_secrets))
    outcome = await sender.send(endpoint.url, body, signed_headers(signing, clock.now_ms(), body))
    await asyncio.to_thread(_settle, reminder, endpoint, started_at, outcome)


def _settle(reminder: Reminder, endpoint: Endpoint, started_at: int, outcome: Outcome) -> None:
    """Queue the next attempt where one is due, record the result, then show it at the endpoint: in this order.

    The endpoint's status is for people to see. It must not cost a delivery: were it written first and failed, an
    event that arrived would be sent again.
    """
    finished_at = clock.now_ms()
    state, next_at = (
        (DeliveryState.DELIVERED, None) if outcome.succeeded else _queue_next(reminder, finished_at)
    )
    result = Result(reminder.chain, reminder.attempt, started_at, outcome, state, next_at)
    if repository.record(reminder.delivery, result) and state is DeliveryState.DROPPED:
        _report_dropped(reminder)
    try:
        webhooks.note_result(endpoint, succeeded=outcome.succeeded, at=finished_at)
    except (Throttled, Conflict, ClientError, BotoCoreError) as error:
        logger.warning("status_not_noted", extra={"endpoint": endpoint.id, "error": type(error).__name__})


def _recover(reminder: Reminder, progress: Progress) -> None:
    """Go on after a worker that died in the middle of an attempt.

    Its receiver may or may not have got the event; the endpoint's status is left alone, as nothing is known.
    """
    state, next_at = _queue_next(reminder, clock.now_ms())
    repository.record_interrupted(reminder.delivery, progress, state, next_at)
    if state is DeliveryState.DROPPED:
        _report_dropped(reminder)


def _queue_next(reminder: Reminder, failed_at: int) -> tuple[DeliveryState, int | None]:
    """Queue the attempt after a failed one; return what becomes of the delivery, and when (ms) that attempt is due."""
    due_at = next_due(reminder.attempt, failed_at, parse_delays(settings().retry_delays_seconds))
    if due_at is None:
        return DeliveryState.DROPPED, None
    following = replace(reminder, attempt=reminder.attempt + 1, due_at=due_at)
    queue.send_later(following, not_before=due_at, now=clock.now_ms())
    return DeliveryState.PENDING, due_at


def _report_dropped(reminder: Reminder) -> None:
    logger.warning(
        "event_dropped",
        extra={
            "organization": reminder.organization,
            "endpoint": reminder.endpoint_id,
            "event": reminder.event_id,
        },
    )
