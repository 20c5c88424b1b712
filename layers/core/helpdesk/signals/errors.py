"""Errors and limits of signals (Specification: Errors, Signals; Conflicts; Not found)."""

from helpdesk.platform.errors import BadRequestError, ConflictError, NotFoundError

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


class SignalNotFound(NotFoundError):
    code = "signal_not_found"
    message = "No signal has this ID in your organization. GET /v1/signals lists them."


class SignalMerged(SignalNotFound):
    """The signal was merged into another, and that one maybe into a third: the message names the last of them."""

    def __init__(self, survivor_id: str) -> None:
        super().__init__(f"This signal was merged into {survivor_id}. Use that ID instead.")


class CommitNotFound(NotFoundError):
    code = "commit_not_found"
    message = "This signal has no commit with this ID. GET /v1/signals/{id} lists its commits."


class SignalEmpty(BadRequestError):
    code = "signal_empty"
    message = "Both `title` and `body` are blank. Send a `title`, a `body` or both."


class TitleRequired(BadRequestError):
    code = "title_required"
    message = (
        f"The signal needs a `title` of 1 to {MAX_TITLE_CHARACTERS} characters that says what happens or "
        "is wanted."
    )


class SignalExists(ConflictError):
    code = "signal_exists"
    message = "Another signal has this title or alias. Add a report to it with POST /v1/signals/{id}/reports."
