"""What a message's item says of its mail."""

from helpdesk.conversations.message_record import MailState
from helpdesk.storage.stored import Stored


class MailedMessage(Stored, kw_only=True):
    """How far the mail of a message is; None for a message that is not mailed.

    `mail_token` says who has begun it, until its result is known.
    """

    VIEW_OF = "Message"
    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "MSG#{id}"
    organization: str
    conversation_id: str
    id: str
    mail: MailState | None = None
    mail_token: str | None = None
