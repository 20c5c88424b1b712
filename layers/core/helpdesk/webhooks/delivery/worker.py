"""Making the attempts of deliveries (Specification: Events, Delivery and retries).

`attempts` holds the rules, and this module applies them. The order of an attempt's steps makes a crash at any of them
harmless. tests/simulation crashes at every one.
"""

import asyncio
from collections.abc import Mapping, Sequence
from copy import replace
from operator import attrgetter
from typing import NamedTuple, Protocol

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
from helpdesk.webhooks.delivery.repository import ClaimLost, ContextKeys, DeliveryContext, Result
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


class StatusChange(NamedTuple):
    """What an attempt says of its endpoint: whether it succeeded, and when it ended (ms)."""

    endpoint: WebhookEndpoint
    succeeded: bool
    at: int


async def handle(
    tasks: Sequence[DeliveryTask], sender: AttemptSender, *, healthy_only: bool = False
) -> list[BaseException | None]:
    """Handle the tasks of a batch at once; return for each the error with which its message must come back, or None.

    With `healthy_only`, a task for a failing endpoint moves to the retry queue instead, so that a receiver that hangs
    does not hold up this queue (docs/decisions/0052). What the attempts say of endpoints is written once, at the end.
    """
    now = clock.now_ms()
    wanted = {task: ContextKeys.of(task.delivery, task.key_id) for task in tasks if task.due_at <= now}
    try:
        found = await asyncio.to_thread(repository.load, list(wanted.values()))
    except (Throttled, ClientError, BotoCoreError) as error:
        return [error for _ in tasks]

    async def begin(task: DeliveryTask) -> StatusChange | None:
        if task not in wanted:
            await asyncio.to_thread(queue.enqueue_later, task, not_before=task.due_at, now=now)
            return None
        context = repository.context_of(wanted[task], found)
        return await handle_one(task, context, sender, healthy_only=healthy_only)

    outcomes = await asyncio.gather(*map(begin, tasks), return_exceptions=True)
    changes = [outcome for outcome in outcomes if isinstance(outcome, StatusChange)]
    await asyncio.to_thread(_record_statuses, changes)
    return [outcome if isinstance(outcome, BaseException) else None for outcome in outcomes]


async def handle_one(
    task: DeliveryTask, context: DeliveryContext, sender: AttemptSender, *, healthy_only: bool = False
) -> StatusChange | None:
    """Handle one task; return what an attempt says of its endpoint. When this raises, the message must come back."""
    progress = context.progress
    while True:
        decision = decide(progress, task.attempt, task.due_at, clock.now_ms(), task.run)
        try:
            if decision.step is Step.CLAIM and healthy_only and _is_failing(context):
                now = clock.now_ms()
                await asyncio.to_thread(queue.enqueue_later, task, not_before=now, now=now)
                return None
            return await _carry_out(decision, task, progress, context, sender)
        except ClaimLost as lost:
            progress = lost.progress
            if progress is None:
                return None  # erased meanwhile


def _is_failing(context: DeliveryContext) -> bool:
    return context.endpoint is not None and context.endpoint.failing_since is not None


async def _carry_out(
    decision: Decision,
    task: DeliveryTask,
    progress: Progress | None,
    context: DeliveryContext,
    sender: AttemptSender,
) -> StatusChange | None:
    match decision.step:
        case Step.LATER:
            await asyncio.to_thread(queue.enqueue_later, task, not_before=decision.at, now=clock.now_ms())
        case Step.RECOVER if progress is not None:
            await asyncio.to_thread(_recover, task, progress)
        case Step.CLAIM:
            return await _attempt(task, progress, context, sender)
    return None


async def _attempt(
    task: DeliveryTask, progress: Progress | None, context: DeliveryContext, sender: AttemptSender
) -> StatusChange | None:
    """Claim the attempt, send the request, record the result."""
    endpoint, event = context.endpoint, context.event
    if endpoint is None or event is None:
        # Removing an endpoint cancels its retries. An event that was erased cannot be sent.
        await asyncio.to_thread(repository.cancel, task.delivery)
        return None
    if context.secret is None:
        raise SecretNotFound
    body = event.body.encode()
    started_at = clock.now_ms()
    await asyncio.to_thread(repository.claim, task.delivery, event, progress, task.attempt, started_at)
    signing = Signing(task.event_id, context.secret, tuple(context.standard_secrets))
    headers = signed_headers(signing, clock.now_ms(), body)
    outcome = await sender.send(endpoint.url, body, headers, endpoint.id)
    finished_at = clock.now_ms()
    await asyncio.to_thread(_record_result, task, started_at, finished_at, outcome)
    return StatusChange(endpoint, outcome.succeeded, finished_at)


def _record_result(task: DeliveryTask, started_at: int, finished_at: int, outcome: Outcome) -> None:
    """Queue the next attempt if there is one, then record the result: in this order."""
    state, next_at = (
        (DeliveryState.DELIVERED, None) if outcome.succeeded else _enqueue_next(task, finished_at)
    )
    result = Result(task.run, task.attempt, started_at, outcome, state, next_at)
    if repository.record(task.delivery, result) and state is DeliveryState.DROPPED:
        _report_dropped(task)


def _record_statuses(changes: Sequence[StatusChange]) -> None:
    """Update the endpoints' statuses: for each the latest success and the latest failure of a batch, in order.

    The status only informs people, so it comes last, and a failure to write it repeats no attempt.
    """
    ended_at = attrgetter("at")
    latest = {(change.endpoint.id, change.succeeded): change for change in sorted(changes, key=ended_at)}
    for change in sorted(latest.values(), key=ended_at):
        try:
            webhooks.record_result(change.endpoint, succeeded=change.succeeded, at=change.at)
        except (Throttled, Conflict, ClientError, BotoCoreError) as error:
            logger.warning(
                "endpoint_status_not_updated",
                extra={"endpoint": change.endpoint.id, "error": type(error).__name__},
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
