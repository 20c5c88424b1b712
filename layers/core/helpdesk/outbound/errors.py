"""URLs that the service refuses to call (Specification: Errors, Keys, webhooks, tool endpoints)."""

from helpdesk.platform.errors import BadRequestError

MAX_URL_CHARACTERS = 512


class InvalidUrl(BadRequestError):
    """The URL is malformed, not https, or not on the public internet; the message says which."""

    code = "invalid_url"
    message = (
        f"The URL must be an https:// address on the public internet, of at most {MAX_URL_CHARACTERS} characters and "
        "without credentials."
    )


class RefusedAddress(InvalidUrl):
    message = "The URL must lead to a server on the public internet."
