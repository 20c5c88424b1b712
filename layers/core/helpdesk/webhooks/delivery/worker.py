"""Creating the deliveries of an event, and making attempts (Specification: Events, Delivery and retries).

`attempts` holds the rules, and this module applies them. The order of an attempt's steps makes a crash at any of them
harmless. tests/simulation crashes at every one.
"""

import asyncio
from collections.abc import Mapping
from copy import replace
from typing import Protocol

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.outbound.outcome import Outcome
from helpdesk.outbound.signing import Signing, signed_headers
from helpdesk.platform import clock, metrics
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.table import Throttled
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import queue, repository
from helpdesk.webhooks.delivery.attempts import Decision, DeliveryState, Progress, Step, decide
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.repository import ClaimLost, DeliveryContext, Result
from helpdesk.webhooks.delivery.schedule import next_due, parse_delays
from helpdesk.webhooks.record import WebhookEndpoint


class SecretNotFound(Exception):
    """An endpoint exists without a secret to sign with, because one batch read is not a snapshot.

    The endpoint's key is being revoked, or the endpoint is being removed. The task comes back and reads the result.
    """


class AttemptSender(Protocol):
    """Makes attempts; `outbound.sender.Sender` does."""

    async def send(self, url: str, body: bytes, headers: Mapping[str, str], endpoint: str) -> Outcome:
        """Make one attempt and return its outcome. Raises nothing for what the receiver does.

        `endpoint` is the ID of the endpoint, for which the connection may be kept.
        """


def create(
    organization: str,
    event_id: str,
    event_type: str,
    created_at: int,
    endpoints: list[WebhookEndpoint],
    only_to: str | None = None,
) -> list[DeliveryTask]:
    """Create an event's deliveries and return the tasks of their first attempts, which the caller queues.

    An endpoint listens to its kinds of event from its creation on. An event with `only_to` goes to that endpoint alone,
    whatever it listens to. Creating a delivery again changes nothing.
    """
    tasks = []
    for endpoint in endpoints:
        if only_to is None:
            wanted = event_type in endpoint.events and endpoint.created_at <= created_at
        else:  # the endpoint existed when the event was requested, whatever the clocks of two functions say
            wanted = endpoint.id == only_to
        if wanted:
            task = DeliveryTask(organization, endpoint.id, event_id, endpoint.key_id, 1, created_at)
            repository.create(task.delivery, event_type, created_at)
            tasks.append(task)
    return tasks


async def handle(task: DeliveryTask, sender: AttemptSender, *, healthy_only: bool = False) -> None:
    """Handle a task. When this returns, its message may be deleted. When it raises, the message must come back.

    With `healthy_only`, a task for a failing endpoint moves to the retry queue instead, so that a receiver that hangs
    does not hold up this queue (docs/decisions/0052).
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
            if decision.step is Step.CLAIM and healthy_only and _is_failing(context):
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
    decision: Decision,
    task: DeliveryTask,
    progress: Progress,
    context: DeliveryContext,
    sender: AttemptSender,
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


async def _attempt(
    task: DeliveryTask, progress: Progress, context: DeliveryContext, sender: AttemptSender
) -> None:
    """Claim the attempt, send the request, record the result."""
    if context.endpoint is None or context.body is None:
        # Removing an endpoint cancels its retries. An event that was erased cannot be sent.
        await asyncio.to_thread(repository.cancel, task.delivery)
        return
    if context.secret is None:
        raise SecretNotFound
    endpoint = context.endpoint
    body = context.body.encode()
    started_at = clock.now_ms()
    await asyncio.to_thread(repository.claim, task.delivery, progress, task.attempt, started_at)
    signing = Signing(task.event_id, context.secret, tuple(context.standard_secrets))
    headers = signed_headers(signing, clock.now_ms(), body)
    outcome = await sender.send(endpoint.url, body, headers, endpoint.id)
    await asyncio.to_thread(_record_result, task, endpoint, started_at, outcome)


def _record_result(task: DeliveryTask, endpoint: WebhookEndpoint, started_at: int, outcome: Outcome) -> None:
    """Queue the next attempt if there is one, record the result, then update the endpoint's status: in this order.

    The status only informs people. If it were written first and that failed, an event that arrived would be sent again.
    """
    finished_at = clock.now_ms()
    state, next_at = (
        (DeliveryState.DELIVERED, None) if outcome.succeeded else _enqueue_next(task, finished_at)
    )
    result = Result(task.run, task.attempt, started_at, outcome, state, next_at)
    if repository.record(task.delivery, result) and state is DeliveryState.DROPPED:
        _report_dropped(task)
    try:
        webhooks.record_result(endpoint, succeeded=outcome.succeeded, at=finished_at)
    except (Throttled, Conflict, ClientError, BotoCoreError) as error:
        logger.warning(
            "endpoint_status_not_updated", extra={"endpoint": endpoint.id, "error": type(error).__name__}
        )


def _recover(task: DeliveryTask, progress: Progress) -> None:
    """Record an attempt whose worker died, and queue the next one.

    The receiver may have got the event, so the endpoint's status does not change.
    """
    state, next_at = _enqueue_next(task, clock.now_ms())
    repository.record_interrupted(task.delivery, progress, state, next_at)
    if state is DeliveryState.DROPPED:
        _report_dropped(task)


def _enqueue_next(task: DeliveryTask, failed_at: int) -> tuple[DeliveryState, int | None]:
    """Queue the attempt after a failed one; return the delivery's new state and when (ms) that attempt is due."""
    due_at = next_due(task.attempt, failed_at, parse_delays(settings().retry_delays_seconds))
    if due_at is None:
        return DeliveryState.DROPPED, None
    following = replace(task, attempt=task.attempt + 1, due_at=due_at)
    queue.enqueue_later(following, not_before=due_at, now=clock.now_ms())
    return DeliveryState.PENDING, due_at


def _report_dropped(task: DeliveryTask) -> None:
    metrics.count("EventsDropped")
    logger.warning(
        "event_dropped",
        extra={
            "organization": task.organization,
            "endpoint": task.endpoint_id,
            "event": task.event_id,
        },
    )
