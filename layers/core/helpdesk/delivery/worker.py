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
from helpdesk.delivery.queue import DeliveryTask
from helpdesk.delivery.repository import ClaimLost, DeliveryContext, Result
from helpdesk.delivery.schedule import next_due, parse_delays
from helpdesk.outbound.outcome import Outcome
from helpdesk.outbound.signing import Signing, signed_headers
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.storage.table import Throttled
from helpdesk.storage.transactions import Conflict
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.record import Endpoint


class SecretNotFound(Exception):
    """An endpoint is there and nothing to sign with: what was read at once was not of one instant.

    Its key is being revoked, or it is being removed itself. The task comes back, and then all of it is seen.
    """


class Sends(Protocol):
    """What makes an attempt; `sender.Sender` does."""

    async def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
        """Make one attempt and return what came of it; never raises for what the receiver does."""


def create(
    organization: str,
    event_id: str,
    event_type: str,
    created_at: int,
    endpoints: list[Endpoint],
    only_to: str | None = None,
) -> list[DeliveryTask]:
    """Book an event's deliveries and return the tasks of their first attempts, to be queued.

    An endpoint listens to its kinds of event from its creation on; an event that is `only_to` one goes there whatever
    the endpoint listens to. Booking again changes nothing.
    """
    tasks = []
    for endpoint in endpoints:
        if only_to is None:
            wanted = event_type in endpoint.events and endpoint.created_at <= created_at
        else:  # asked for of that endpoint, which was there then, whatever the clocks of two functions say
            wanted = endpoint.id == only_to
        if wanted:
            task = DeliveryTask(organization, endpoint.id, event_id, endpoint.key_id, 1, created_at)
            repository.create(task.delivery, event_type, created_at)
            tasks.append(task)
    return tasks


async def handle(task: DeliveryTask, sender: Sends, *, answering_only: bool = False) -> None:
    """Do what a task calls for. When this returns, its message may be deleted; when it raises, it comes back.

    With `answering_only` an attempt to an endpoint that is failing is not made but queued beside the retries, so that
    no hanging receiver holds up this queue (docs/decisions/0052).
    """
    now = clock.now_ms()
    if task.due_at > now:
        await asyncio.to_thread(queue.enqueue_later, task, not_before=task.due_at, now=now)
        return
    context = await asyncio.to_thread(repository.load_context, task.delivery, task.key_id)
    progress = context.progress
    while True:
        decision = decide(progress, task.attempt, task.due_at, clock.now_ms(), task.run)
        try:
            if decision.step is Step.CLAIM and answering_only and _is_failing(context):
                await asyncio.to_thread(queue.enqueue_later, task, not_before=now, now=now)
            elif progress is not None:
                await _carry_out(decision, task, progress, context, sender)
        except ClaimLost as lost:
            progress = lost.progress
        else:
            return


def _is_failing(context: DeliveryContext) -> bool:
    return context.endpoint is not None and context.endpoint.failing_since is not None


async def _carry_out(
    decision: Decision, task: DeliveryTask, progress: Progress, context: DeliveryContext, sender: Sends
) -> None:
    match decision.step:
        case Step.DONE:
            return
        case Step.LATER:
            await asyncio.to_thread(queue.enqueue_later, task, not_before=decision.at, now=clock.now_ms())
        case Step.RECOVER:
            await asyncio.to_thread(_recover, task, progress)
        case Step.CLAIM:
            await _attempt(task, progress, context, sender)


async def _attempt(task: DeliveryTask, progress: Progress, context: DeliveryContext, sender: Sends) -> None:
    """Claim, then send, then settle."""
    if context.endpoint is None or context.body is None:
        # Removing the endpoint cancels its retries; an event that was erased cannot be sent any more.
        await asyncio.to_thread(repository.cancel, task.delivery)
        return
    if context.secret is None:
        raise SecretNotFound
    endpoint = context.endpoint
    body = context.body.encode()
    started_at = clock.now_ms()
    await asyncio.to_thread(repository.claim, task.delivery, progress, task.attempt, started_at)
    signing = Signing(task.event_id, context.secret, tuple(context.standard_secrets))
    outcome = await sender.send(endpoint.url, body, signed_headers(signing, clock.now_ms(), body))
    await asyncio.to_thread(_record_result, task, endpoint, started_at, outcome)


def _record_result(task: DeliveryTask, endpoint: Endpoint, started_at: int, outcome: Outcome) -> None:
    """Queue the next attempt where one is due, record the result, then show it at the endpoint: in this order.

    The endpoint's status is for people to see. It must not cost a delivery: were it written first and failed, an
    event that arrived would be sent again.
    """
    finished_at = clock.now_ms()
    state, next_at = (
        (DeliveryState.DELIVERED, None) if outcome.succeeded else _enqueue_next(task, finished_at)
    )
    result = Result(task.run, task.attempt, started_at, outcome, state, next_at)
    if repository.record(task.delivery, result) and state is DeliveryState.DROPPED:
        _report_dropped(task)
    try:
        webhooks.note_result(endpoint, succeeded=outcome.succeeded, at=finished_at)
    except (Throttled, Conflict, ClientError, BotoCoreError) as error:
        logger.warning(
            "endpoint_status_not_updated", extra={"endpoint": endpoint.id, "error": type(error).__name__}
        )


def _recover(task: DeliveryTask, progress: Progress) -> None:
    """Go on after a worker that died in the middle of an attempt.

    Its receiver may or may not have got the event; the endpoint's status is left alone, as nothing is known.
    """
    state, next_at = _enqueue_next(task, clock.now_ms())
    repository.record_interrupted(task.delivery, progress, state, next_at)
    if state is DeliveryState.DROPPED:
        _report_dropped(task)


def _enqueue_next(task: DeliveryTask, failed_at: int) -> tuple[DeliveryState, int | None]:
    """Queue the attempt after a failed one; return what becomes of the delivery, and when (ms) that attempt is due."""
    due_at = next_due(task.attempt, failed_at, parse_delays(settings().retry_delays_seconds))
    if due_at is None:
        return DeliveryState.DROPPED, None
    following = replace(task, attempt=task.attempt + 1, due_at=due_at)
    queue.enqueue_later(following, not_before=due_at, now=clock.now_ms())
    return DeliveryState.PENDING, due_at


def _report_dropped(task: DeliveryTask) -> None:
    logger.warning(
        "event_dropped",
        extra={
            "organization": task.organization,
            "endpoint": task.endpoint_id,
            "event": task.event_id,
        },
    )
