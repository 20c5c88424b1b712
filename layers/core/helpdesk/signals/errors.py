"""Errors and limits of signals (Specification: Errors, Signals; Conflicts; Not found)."""

from helpdesk.platform.errors import AppError

MAX_TITLE_CHARACTERS = 200
MAX_BODY_CHARACTERS = 10_000
MAX_QUOTE_CHARACTERS = 2_000
MAX_WHO_CHARACTERS = 80
MAX_IMAGES = 6
"""Of one reporter, as a message has at most six attachments."""
MAX_ALIASES = 100
MAX_COMMITS = 100
"""Added to one signal. Merged signals keep the commits of both."""
MAX_SHA_CHARACTERS = 64  # SHA-256, in hexadecimal
MAX_COMMIT_MESSAGE_CHARACTERS = 2_000
MAX_WHY_CHARACTERS = 200
MAX_URL_CHARACTERS = 2_000


class SignalNotFound(AppError):
    """No such signal in this organization."""

    status, code = 404, "signal_not_found"
    message = "No signal has this ID in your organization. List the signals with GET /v1/signals."


class SignalMerged(SignalNotFound):
    """The signal was merged into another, and that one maybe into a third: the message names the last of them."""

    def __init__(self, survivor_id: str) -> None:
        super().__init__(f"This signal was merged into {survivor_id}. Use that ID instead.")


class CommitNotFound(AppError):
    """The signal has no such commit."""

    status, code = 404, "commit_not_found"
    message = "This signal has no commit with this ID. GET /v1/signals/{id} lists its commits."


class SignalEmpty(AppError):
    """Neither title nor body has text."""

    status, code = 400, "signal_empty"
    message = "Write a `title`, and what happens or is wanted as `body`: both have no visible text."


class TitleRequired(AppError):
    """The title has no text."""

    status, code = 400, "title_required"
    message = "Write a `title` of 1 to 200 characters: one line that says what happens or is wanted."


class SignalExists(AppError):
    """Another signal has this title, or has it as an alias."""

    status, code = 409, "signal_exists"
    message = (
        "A signal with this title or alias exists. Add a report to it with POST /v1/signals/{id}/reports."
    )
