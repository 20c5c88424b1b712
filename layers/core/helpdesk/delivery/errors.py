"""What can be wrong with an address that the service is asked to call."""

from helpdesk.platform.errors import AppError


class InvalidUrl(AppError):
    """The URL is malformed, not https, or does not lead to the public internet; the message says which."""

    status, code = 400, "invalid_url"
    message = (
        "Give an https:// URL of at most 512 characters, without credentials, on a public internet address."
    )


class RefusedAddress(InvalidUrl):
    """The URL is well formed, but leads to an address that is not on the public internet."""

    message = "Give the URL of a server on a public internet address."
