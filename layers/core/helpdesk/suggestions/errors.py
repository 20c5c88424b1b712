"""Errors and limits of knowledge suggestions (Specification: Errors, Conflicts; Not found)."""

from helpdesk.platform.errors import ConflictError, NotFoundError

MAX_QUESTION_CHARACTERS = 500
MAX_EVIDENCE = 20
MAX_CHANGED_BYTES = 60_000
"""The size of a document that a suggestion can change: its item and its event hold the whole new text."""


class SuggestionNotFound(NotFoundError):
    code = "suggestion_not_found"
    message = (
        "No knowledge suggestion has this ID in your organization. GET /v1/knowledge/suggestions lists them."
    )


class SuggestionSettled(ConflictError):
    code = "suggestion_settled"
    message = "This suggestion has already been accepted or dismissed. Get it again to see the decision."


class SuggestionStale(ConflictError):
    code = "suggestion_stale"
    message = (
        "The document has changed since this suggestion was made. Edit the document yourself, then dismiss the "
        "suggestion."
    )


class SuggestionGone(ConflictError):
    code = "suggestion_gone"
    message = (
        "The document that this suggestion changes has been deleted. Dismiss the suggestion, "
        "or create a document with its text."
    )
