"""Errors of the inbox (Specification: Errors, Inbox; Not found)."""

from helpdesk.members import errors as members
from helpdesk.platform.errors import AppError


class ConversationNotFound(AppError):
    """No such conversation in this organization."""

    status, code = 404, "conversation_not_found"
    message = "No conversation has this ID in your organization."


class ConversationArchived(AppError):
    """A write to an archived conversation."""

    status, code = 400, "conversation_archived"
    message = "This conversation is archived. Unarchive it first."


class NotArchived(AppError):
    """Unarchiving a conversation that is not archived."""

    status, code = 400, "not_archived"
    message = "This conversation is not archived. There is nothing to unarchive."


class NotAMember(members.NotAMember):
    """Assigning a conversation to someone outside the organization."""

    message = "`userId` must be the ID of a member of your organization. GET /v1/members lists them."


MAX_BODY_CHARACTERS = 4_000
MAX_ATTACHMENTS = 6


class EmptyMessage(AppError):
    """Neither text nor attachment. A body without a visible character counts as empty."""

    status, code = 400, "empty_message"
    message = "Write something in `body`, or attach a file."


class MessageTooLong(AppError):
    """More text than a message may have."""

    status, code = 400, "message_too_long"
    message = (
        f"`body` may have {MAX_BODY_CHARACTERS:,} characters after trimming. Shorten it or send two messages."
    )


class TooManyAttachments(AppError):
    """More files than a message may have."""

    status, code = 400, "too_many_attachments"
    message = f"A message may have {MAX_ATTACHMENTS} attachments. Send the rest with another message."
