"""Errors of the messaging routes (Specification: Errors, Messages and uploads)."""

from helpdesk.platform.errors import AppError

MIN_SESSION_CHARACTERS, MAX_SESSION_CHARACTERS = 8, 128


class InvalidSession(AppError):
    """The session token is too short or too long, or none of its characters is visible."""

    status, code = 400, "invalid_session"
    message = (
        f"`session` must have {MIN_SESSION_CHARACTERS} to {MAX_SESSION_CHARACTERS} visible characters after trimming. "
        "Send the same random text with every message of one visitor."
    )
