"""Errors and limits of knowledge suggestions (Specification: Errors, Conflicts; Not found)."""

from helpdesk.platform.errors import AppError

MAX_QUESTION_CHARACTERS = 500
MAX_EVIDENCE = 20
MAX_CHANGED_BYTES = 60_000
"""The size of a document that a suggestion can change: its item and its event hold the whole new text."""


class SuggestionNotFound(AppError):
    """No such suggestion in this organization."""

    status, code = 404, "suggestion_not_found"
    message = "No knowledge suggestion has this ID in your organization."


class SuggestionSettled(AppError):
    """The suggestion is accepted or dismissed."""

    status, code = 409, "suggestion_settled"
    message = "This suggestion has been accepted or dismissed already. Get it again to see the decision."


class SuggestionStale(AppError):
    """The document has changed since the suggestion was made."""

    status, code = 409, "suggestion_stale"
    message = (
        "The document has changed since this suggestion. Add what is missing to the document itself, "
        "then dismiss the suggestion."
    )


class SuggestionGone(AppError):
    """The document that the suggestion would change has been deleted."""

    status, code = 409, "suggestion_gone"
    message = (
        "The document that this suggestion changes has been deleted. Dismiss the suggestion, "
        "or create a document with its text."
    )
