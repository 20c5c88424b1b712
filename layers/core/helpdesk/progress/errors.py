"""Errors of moving signals and cards together (Specification: Errors, Conflicts), and limits of reports."""

from helpdesk.platform.errors import ConflictError

MAX_REPO_CHARACTERS = 140
"""As many as GitHub's `owner/repo` has at most: 39 and 100."""
MAX_BRANCH_CHARACTERS = 250


class AlreadyATask(ConflictError):
    code = "already_a_task"
    message = "This signal is already on the task board. Move its card with PATCH /v1/tasks/{id}."


class NotARequest(ConflictError):
    """The card is not in the column `requests`, or the signal is not waiting for a decision."""

    code = "not_a_request"
    message = "Only a card in `requests` can be declined. Move it there first, or delete it."
