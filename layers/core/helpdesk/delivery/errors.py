"""What can be wrong with an address that the service is asked to call, and with a delivery asked for."""

from helpdesk.platform.errors import AppError

MAX_URL_CHARACTERS = 512


class InvalidUrl(AppError):
    """The URL is malformed, not https, or does not lead to the public internet; the message says which."""

    status, code = 400, "invalid_url"
    message = (
        f"Give an https:// URL of at most {MAX_URL_CHARACTERS} characters, without credentials, on a public "
        "internet address."
    )


class RefusedAddress(InvalidUrl):
    """The URL is well formed, but leads to an address that is not on the public internet."""

    message = "Give the URL of a server on a public internet address."


class DeliveryNotFound(AppError):
    """No such delivery: the event was not sent to this endpoint, or over 30 days ago."""

    status, code = 404, "delivery_not_found"
    message = "No delivery of this event to this endpoint is known. Deliveries are kept for 30 days."


LOST_AFTER_MINUTES = 10
"""How long after it was due an attempt that nobody has begun is waited for before another may be asked for."""


class DeliveryInProgress(AppError):
    """An attempt of the delivery is under way, or due and about to begin."""

    status, code = 409, "delivery_in_progress"
    message = (
        "An attempt to send this event is under way, or due and not begun yet. Look at its delivery, and try again "
        f"when the attempt is over, or {LOST_AFTER_MINUTES} minutes after it was due."
    )
