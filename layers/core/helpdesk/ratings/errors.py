"""Errors of ratings (Specification: Errors, Inbox; the latter two are ours)."""

from helpdesk.platform.errors import AppError

MIN_STARS, MAX_STARS = 1, 5
MAX_NOTE_CHARACTERS = 2_000
CHANGEABLE_HOURS = 24


class InvalidFeedback(AppError):
    """The note is too long."""

    status, code = 400, "invalid_feedback"
    message = f"`note` may have {MAX_NOTE_CHARACTERS:,} characters after trimming. Shorten it."


class NotResolved(AppError):
    """Rating a conversation that is still open."""

    status, code = 400, "not_resolved"
    message = "This conversation is open. It can be rated once it is resolved."


class RatingSettled(AppError):
    """Changing a rating after its day."""

    status, code = 409, "rating_settled"
    message = (
        f"This rating was given more than {CHANGEABLE_HOURS} hours ago and can no longer be changed. The "
        "conversation can be rated again after it was reopened and resolved again."
    )
