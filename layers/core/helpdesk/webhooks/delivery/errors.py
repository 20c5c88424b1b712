"""Errors of the delivery routes (docs/decisions/0051)."""

from helpdesk.platform.errors import ConflictError, NotFoundError


class DeliveryNotFound(NotFoundError):
    """This event was not sent to this endpoint, or was sent over 30 days ago."""

    code = "delivery_not_found"
    message = "No delivery of this event to this endpoint exists. Deliveries are kept for 30 days."


LOST_AFTER_MINUTES = 10
"""How long after it was due an attempt that has not started blocks a redelivery."""


class DeliveryInProgress(ConflictError):
    code = "delivery_in_progress"
    message = (
        "An attempt to send this event is running or about to start. Try again when it has ended, or "
        f"{LOST_AFTER_MINUTES} minutes after it was due."
    )
