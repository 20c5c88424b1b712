"""URLs that the service refuses to call (Specification: Errors, Keys, webhooks, tool endpoints)."""

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
