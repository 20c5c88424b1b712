"""The queues of delivery tasks: one for first attempts, one for retries and failing endpoints.

Both are standard queues with the endpoint as message group. That makes them fair: one endpoint's backlog does not hold
up the others (Amazon SQS Developer Guide, "fair queues").
"""

from collections.abc import Sequence
from typing import Self

from helpdesk.events.outbox import Event, Job, JobBody, JobQueue
from helpdesk.platform import clients
from helpdesk.platform.queues import hop_delay_seconds, send_all
from helpdesk.platform.settings import settings
from helpdesk.webhooks.delivery.record import DeliveryId
from helpdesk.webhooks.record import WebhookEndpoint


class DeliveryTask(JobBody, rename=None, omit_defaults=False):
    """An attempt to make: of which delivery, its number in which run, and when it is due (ms).

    Its fields are in snake case in the message. `key_id` is the key that signed for the endpoint when the task was
    made. The attempt reads that key's secret together with the endpoint.
    """

    organization: str
    endpoint_id: str
    event_id: str
    key_id: str | None
    attempt: int
    due_at: int
    run: int = 1

    def __post_init__(self) -> None:
        """Raise ValueError for a part that no key can have."""
        _ = self.delivery.key

    @property
    def delivery(self) -> DeliveryId:
        """The delivery that the attempt belongs to."""
        return DeliveryId(self.organization, self.endpoint_id, self.event_id)

    @classmethod
    def first(cls, event: Event, endpoint: WebhookEndpoint) -> Self:
        """Return the task of the first attempt to send an event to an endpoint."""
        return cls(event.organization, endpoint.id, event.id, endpoint.key_id, 1, event.created_at)

    def to_job(self) -> Job:
        """Return the outbox job that queues the task. The stream may repeat it, which is harmless."""
        return Job(JobQueue.DELIVERY, self.to_body(), self.endpoint_id)


def enqueue_first(tasks: Sequence[DeliveryTask]) -> list[DeliveryTask]:
    """Queue first attempts to endpoints that are not failing; return the tasks that could not be queued."""
    return _send(settings().delivery_queue_url, tasks)


def enqueue_retry(tasks: Sequence[DeliveryTask]) -> list[DeliveryTask]:
    """Queue attempts that are due on the retry queue, where healthy endpoints do not wait behind them.

    Returns the tasks that could not be queued (docs/decisions/0052).
    """
    return _send(settings().retry_queue_url, tasks)


def _send(url: str, tasks: Sequence[DeliveryTask]) -> list[DeliveryTask]:
    refused = send_all(
        url,
        [{"Id": "", "MessageBody": task.to_json(), "MessageGroupId": task.endpoint_id} for task in tasks],
    )
    return [tasks[place] for place in refused]


def enqueue_later(task: DeliveryTask, *, not_before: int, now: int) -> None:
    """Queue a task on the retry queue until `not_before` (ms), or for the longest delay that SQS allows."""
    clients.sqs().send_message(
        QueueUrl=settings().retry_queue_url,
        MessageBody=task.to_json(),
        DelaySeconds=hop_delay_seconds(not_before, now, settings().longest_hop_seconds),
        MessageGroupId=task.endpoint_id,
    )
