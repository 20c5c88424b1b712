"""Errors of the agent's settings (Specification: Errors; Limits, Size and count limits)."""

from helpdesk.platform.errors import AppError

MIN_NAME_CHARACTERS, MAX_NAME_CHARACTERS = 2, 40
MAX_PERSONALITY_CHARACTERS = 2_000
MAX_QUESTION_CHARACTERS = 4_000


class InvalidName(AppError):
    """The agent's name is too short or too long."""

    status, code = 400, "invalid_name"
    message = f"The agent's `name` must have {MIN_NAME_CHARACTERS} to {MAX_NAME_CHARACTERS} characters after trimming."


class InvalidPersonality(AppError):
    """The personality is too long."""

    status, code = 400, "invalid_personality"
    message = f"`personality` may have {MAX_PERSONALITY_CHARACTERS:,} characters. Shorten it."
