"""Errors of moving signals and cards together (Specification: Errors, Conflicts), and limits of reports."""

from helpdesk.platform.errors import AppError

MAX_REPO_CHARACTERS = 140
"""As many as GitHub's `owner/repo` has at most: 39 and 100."""
MAX_BRANCH_CHARACTERS = 250


class AlreadyATask(AppError):
    """The signal has a card."""

    status, code = 409, "already_a_task"
    message = "This signal is on the task board already. Move its card with PATCH /v1/tasks/{id}."


class NotARequest(AppError):
    """The card is not in the column of requests, or the signal is not waiting for a decision."""

    status, code = 409, "not_a_request"
    message = "Only a card in `requests` can be declined. Move it there first, or delete it."
