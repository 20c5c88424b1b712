"""What the team learns of a mail that bounced, or that its recipient marked as spam.

SES's own list decides whom nothing is sent to any more (template/mail.yaml).
"""

from enum import StrEnum

from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.message_record import MailState
from helpdesk.conversations.record import StaleConversation
from helpdesk.inbound_mail.notices import Bounced, BounceKind, Complained
from helpdesk.notifications import bounces as notifications
from helpdesk.outreach import returned
from helpdesk.outreach.returned import NotMailed
from helpdesk.platform import metrics
from helpdesk.platform.text import as_sentence
from helpdesk.storage.transactions import Transaction


class Outcome(StrEnum):
    """The result of a notice, for the log."""

    COUNTED = "counted"
    """The mail belongs to no conversation: a sign-in code, an invitation, a notice to a teammate."""
    NOTED = "noted"
    NOTED_BEFORE = "noted_before"
    GONE = "gone"
    """The message or its conversation was erased."""


def note(notice: Bounced | Complained) -> Outcome:
    """Mark the message whose mail came back and write a line for the team, once for each message.

    Those who handle the conversation are notified of a mail that bounced for good. A mail that had several messages is
    tagged with the newest.
    """
    bounced = isinstance(notice, Bounced)
    if bounced:
        metrics.count("MailBounced")
    else:
        metrics.count("MailComplained")
    if notice.tags is None:
        return Outcome.COUNTED
    conversation = conversations.find(notice.tags.organization, notice.tags.conversation)
    if conversation is None:
        return Outcome.GONE
    transaction = Transaction()
    returned.mark(transaction, notice.tags, MailState.BOUNCED if bounced else MailState.COMPLAINED)
    line = _bounce_line(notice) if isinstance(notice, Bounced) else _COMPLAINT_LINE
    conversations.add_line(transaction, conversation, line, alone=True)
    if isinstance(notice, Bounced) and notice.kind is BounceKind.PERMANENT and not conversation.archived:
        notifications.ask(transaction, conversation)
    try:
        transaction.commit()
    except NotMailed as not_mailed:
        return Outcome.GONE if not_mailed.state is None else Outcome.NOTED_BEFORE
    except (ConversationNotFound, StaleConversation):
        return Outcome.GONE
    return Outcome.NOTED


_COMPLAINT_LINE = (
    "The customer marked a mail of this conversation as spam, so no more mail is sent to this address. "
    "Ask for another address."
)
_REASONS = {
    "NoEmail": "the address doesn't exist",
    "Suppressed": "the address bounced before, so Amazon SES sends nothing to it",
    "OnAccountSuppressionList": "the address bounced before or marked a mail as spam, so nothing is sent to it",
    "MailboxFull": "the mailbox is full",
    "MessageTooLarge": "the mail is too large for the mailbox",
    "ContentRejected": "the customer's mail server rejects its content",
    "AttachmentRejected": "the customer's mail server rejects an attachment",
}
"""Reasons by SES's subtype of a bounce."""
_OTHER_REASONS = {
    BounceKind.PERMANENT: "the customer's mail server rejects it",
    # SES reports an out-of-office reply in the same way.
    BounceKind.TRANSIENT: "the customer's mail server didn't accept it for hours, or replied automatically",
    BounceKind.UNDETERMINED: "the reason is unknown",
}


def _bounce_line(bounce: Bounced) -> str:
    reason = _REASONS.get(bounce.subtype, _OTHER_REASONS[bounce.kind])
    words = f" ({bounce.words})" if bounce.words else ""
    what = as_sentence(f"The mail to this customer bounced: {reason}{words}")
    return f"{what} Ask for another address." if bounce.kind is BounceKind.PERMANENT else what
