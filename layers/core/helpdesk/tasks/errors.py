"""Errors and limits of the task board (Specification: Errors, Signals and tasks; Not found; Limits)."""

from helpdesk.platform.errors import NotFoundError
from helpdesk.signals import errors as signals

MAX_TITLE_CHARACTERS = 200
MAX_DESCRIPTION_CHARACTERS = 20_000
MAX_LISTED = 100
"""Cards of one page (Specification: Limits, Task list limit)."""


class TaskNotFound(NotFoundError):
    code = "task_not_found"
    message = "No card has this ID or key in your organization. GET /v1/tasks lists them."


class TitleRequired(signals.TitleRequired):
    message = (
        f"The card needs a `title` of 1 to {MAX_TITLE_CHARACTERS} characters that says what needs to be done."
    )


class StaleTask(Exception):
    """The card has changed since it was read; read it again. Not an error of the API."""
