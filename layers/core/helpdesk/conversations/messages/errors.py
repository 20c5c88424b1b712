"""Errors of the messaging routes (Specification: Errors, Messages and uploads)."""

from helpdesk.platform.errors import BadRequestError

MIN_SESSION_CHARACTERS, MAX_SESSION_CHARACTERS = 8, 128


class InvalidSession(BadRequestError):
    code = "invalid_session"
    message = (
        f"`session` must be {MIN_SESSION_CHARACTERS} to {MAX_SESSION_CHARACTERS} visible characters after trimming. "
        "Send the same random text with every message of one visitor."
    )
