"""Errors of the webhook routes (Specification: Errors, Keys, webhooks, tool endpoints; docs/decisions/0051)."""

from helpdesk.events.outbox import EVENT_DAYS
from helpdesk.platform.errors import BadRequestError, ConflictError, NotFoundError

MAX_WEBHOOK_ENDPOINTS = 10
LOST_AFTER_MINUTES = 10
"""How long after it was due an attempt that has not started blocks a redelivery."""


class NoEvents(BadRequestError):
    code = "no_events"
    message = "`events` must name at least one event, such as message.created."


class TooManyEndpoints(BadRequestError):
    code = "too_many_endpoints"
    message = f"An organization can have at most {MAX_WEBHOOK_ENDPOINTS} webhook endpoints. Delete one first."


class EndpointNotFound(NotFoundError):
    code = "endpoint_not_found"
    message = "No webhook endpoint has this ID in your organization. GET /v1/webhooks lists them."


class DeliveryNotFound(NotFoundError):
    """This event was not sent to this endpoint, or was sent over 30 days ago."""

    code = "delivery_not_found"
    message = f"No delivery of this event to this endpoint exists. Deliveries are kept for {EVENT_DAYS} days."


class DeliveryInProgress(ConflictError):
    code = "delivery_in_progress"
    message = (
        "An attempt to send this event is running or about to start. Try again when it has ended, or "
        f"{LOST_AFTER_MINUTES} minutes after it was due."
    )
