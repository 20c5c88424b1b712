"""Errors and limits of saved replies. The specification does not have them."""

from helpdesk.platform.errors import BadRequestError, NotFoundError

MAX_REPLIES = 500
MAX_TITLE_CHARACTERS = 80
PLACEHOLDERS = ("customer.name", "customer.email", "teammate.name", "organization.name")
"""What can be in double braces in the text of a saved reply."""


class ReplyNotFound(NotFoundError):
    code = "reply_not_found"
    message = "No saved reply of your organization has this ID. GET /v1/replies lists them."


class TooManyReplies(BadRequestError):
    code = "too_many_replies"
    message = f"Your organization has {MAX_REPLIES} saved replies. Delete one first."


class UnknownPlaceholder(BadRequestError):
    code = "unknown_placeholder"
    message = (
        f"`body` has an unknown placeholder. Use {', '.join(f'{{{{{each}}}}}' for each in PLACEHOLDERS)}."
    )
