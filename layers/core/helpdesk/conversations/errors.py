"""Errors of the inbox (Specification: Errors, Inbox; Not found)."""

from helpdesk.accounts.members import errors as members
from helpdesk.platform.errors import BadRequestError, NotFoundError, at_most

MAX_BODY_CHARACTERS = 4_000
MAX_ATTACHMENTS = 6


class ConversationNotFound(NotFoundError):
    code = "conversation_not_found"
    message = "No conversation has this ID in your organization."


class ConversationArchived(BadRequestError):
    code = "conversation_archived"
    message = "This conversation is archived. Unarchive it first."


class NotArchived(BadRequestError):
    code = "not_archived"
    message = "This conversation isn't archived, so it can't be unarchived."


class NotAMember(members.NotAMember):
    message = "`userId` must be the ID of a member of your organization. GET /v1/members lists them."


class EmptyMessage(BadRequestError):
    """Neither text nor attachment. A body without a visible character counts as empty."""

    code = "empty_message"
    message = "Write something in `body`, or attach a file."


class MessageTooLong(BadRequestError):
    code = "message_too_long"
    message = f"{at_most('body', MAX_BODY_CHARACTERS)} Shorten it or send two messages."


class TooManyAttachments(BadRequestError):
    code = "too_many_attachments"
    message = f"A message must have at most {MAX_ATTACHMENTS} attachments. Send the rest in another message."
