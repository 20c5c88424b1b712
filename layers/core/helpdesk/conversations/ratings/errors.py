"""Errors of ratings (Specification: Errors, Inbox; the latter two are ours)."""

from helpdesk.platform.errors import BadRequestError, ConflictError, at_most

MIN_STARS, MAX_STARS = 1, 5
MAX_NOTE_CHARACTERS = 2_000
CHANGEABLE_HOURS = 24


class InvalidFeedback(BadRequestError):
    code = "invalid_feedback"
    message = at_most("note", MAX_NOTE_CHARACTERS)


class NotResolved(BadRequestError):
    code = "not_resolved"
    message = "This conversation is open. You can rate it once it's resolved."


class RatingSettled(ConflictError):
    code = "rating_settled"
    message = (
        f"This rating is more than {CHANGEABLE_HOURS} hours old and can no longer be changed. You can rate the "
        "conversation again after it's reopened and resolved again."
    )
