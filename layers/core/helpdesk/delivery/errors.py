"""Errors of the delivery routes (docs/decisions/0051)."""

from helpdesk.platform.errors import AppError


class DeliveryNotFound(AppError):
    """There is no such delivery: the event was not sent to this endpoint, or over 30 days ago."""

    status, code = 404, "delivery_not_found"
    message = "No delivery of this event to this endpoint is known. Deliveries are kept for 30 days."


LOST_AFTER_MINUTES = 10
"""How long after it was due an attempt that has not started blocks a redelivery."""


class DeliveryInProgress(AppError):
    """An attempt of the delivery is under way, or due and about to start."""

    status, code = 409, "delivery_in_progress"
    message = (
        "An attempt to send this event is under way, or due and not begun yet. Look at its delivery, and try again "
        f"when the attempt is over, or {LOST_AFTER_MINUTES} minutes after it was due."
    )
