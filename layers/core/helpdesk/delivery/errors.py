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


class DeliveryInProgress(AppError):
    """An attempt of the delivery is under way, or is about to be made."""

    status, code = 409, "delivery_in_progress"
    message = "This event is being sent at this moment. Look at its delivery, and try again when the attempt is over."
