"""Errors of the inbox and of visitors' messages (Specification: Errors, Inbox; Messages and uploads; Not found)."""

from helpdesk.accounts.members import errors as members
from helpdesk.platform.errors import BadRequestError, ConflictError, NotFoundError, at_most
from helpdesk.platform.units import DAY_MS, MINUTE_MS

MAX_BODY_CHARACTERS = 4_000
MAX_ATTACHMENTS = 6
MIN_SESSION_CHARACTERS, MAX_SESSION_CHARACTERS = 8, 128
MIN_SNOOZE_MS, MAX_SNOOZE_MS = MINUTE_MS, 365 * DAY_MS
MAX_TAGS, MAX_TAG_CHARACTERS = 20, 40
MAX_MERGED = 10
MIN_STARS, MAX_STARS = 1, 5
MAX_NOTE_CHARACTERS = 2_000
"""How long the note with a rating may be."""
CHANGEABLE_HOURS = 24
"""How long a rating can be changed."""


class ConversationNotFound(NotFoundError):
    code = "conversation_not_found"
    message = "No conversation has this ID in your organization."


class MailSourceNotFound(NotFoundError):
    code = "mail_source_not_found"
    message = (
        "This message didn't come by mail, or its mail is gone: mails are kept for 30 days. The thread says which "
        "messages have a `mail`."
    )


class ConversationArchived(BadRequestError):
    code = "conversation_archived"
    message = "This conversation is archived. Unarchive it first."


class ConversationMerged(ConversationArchived):
    code = "conversation_merged"
    message = "This conversation was merged into another one. Use the one in its `mergedInto`."

    def __init__(self, merged_into: str) -> None:
        super().__init__(f"This conversation was merged into {merged_into}. Use that one.")


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


class BadSnoozeTime(BadRequestError):
    code = "bad_snooze_time"
    message = (
        f"`until` must be a time in milliseconds since 1970, a minute to a year ({MAX_SNOOZE_MS // DAY_MS} days) "
        "ahead, or null to end the snooze."
    )


class InvalidSession(BadRequestError):
    code = "invalid_session"
    message = (
        f"`session` must be {MIN_SESSION_CHARACTERS} to {MAX_SESSION_CHARACTERS} visible characters after trimming. "
        "Send the same random text with every message of one visitor."
    )


class ConversationMoved(ConflictError):
    """Someone has written in the conversation since the caller last read it."""

    code = "conversation_moved"
    message = (
        "`ifLastMessageId` isn't the newest message of this conversation. Read what is new with GET "
        "/v1/conversations/{id}, then send the ID of the newest message, or leave `ifLastMessageId` out."
    )

    def __init__(self, newest_message_id: str | None) -> None:
        super().__init__(f"{self.message} The newest message is {newest_message_id}.")


class InvalidFeedback(BadRequestError):
    code = "invalid_feedback"
    message = at_most("note", MAX_NOTE_CHARACTERS)


# The specification does not have the errors below.


class InvalidTag(BadRequestError):
    code = "invalid_tag"
    message = f"A tag must be 1 to {MAX_TAG_CHARACTERS} visible characters, without `#` and commas."


class MergedWithItself(BadRequestError):
    code = "same_conversation"
    message = "A conversation can't be merged into itself. Set `into` to the ID of another one."


class DifferentCustomers(BadRequestError):
    code = "different_customers"
    message = (
        "Both conversations must be of one customer. List a customer's conversations with GET "
        "/v1/conversations?customerId=."
    )


class MergeApprovalsPending(ConflictError):
    code = "approvals_pending"
    message = (
        "Calls of tools in this conversation wait for approval. Approve or deny them first. GET /v1/approvals lists "
        "them."
    )


class DiscordNotMerged(BadRequestError):
    code = "discord_conversation"
    message = (
        "A conversation from Discord can't be merged: its answers go to its place there. Resolve it instead."
    )


class MailNotMerged(BadRequestError):
    code = "mail_conversation"
    message = (
        "A conversation that began by mail can't end in one that didn't: its customer expects answers by mail. Merge "
        "the other one into it instead."
    )


class TooManyMerged(BadRequestError):
    code = "too_many_merged"
    message = f"At most {MAX_MERGED} conversations can end in one. Merge the rest into another one."


class NotResolved(BadRequestError):
    code = "not_resolved"
    message = "This conversation is open. You can rate it once it's resolved."


class RatingSettled(ConflictError):
    code = "rating_settled"
    message = (
        f"This rating is more than {CHANGEABLE_HOURS} hours old and can no longer be changed. You can rate the "
        "conversation again after it's reopened and resolved again."
    )
