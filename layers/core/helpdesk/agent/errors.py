"""Errors of the agent's settings (Specification: Errors; Limits, Size and count limits)."""

from helpdesk.platform.errors import BadRequestError, at_most

MIN_NAME_CHARACTERS, MAX_NAME_CHARACTERS = 2, 40
MAX_PERSONALITY_CHARACTERS = 2_000
MAX_QUESTION_CHARACTERS = 4_000


class InvalidName(BadRequestError):
    code = "invalid_name"
    message = f"The agent's `name` must be {MIN_NAME_CHARACTERS} to {MAX_NAME_CHARACTERS} characters after trimming."


class InvalidPersonality(BadRequestError):
    code = "invalid_personality"
    message = at_most("personality", MAX_PERSONALITY_CHARACTERS)
