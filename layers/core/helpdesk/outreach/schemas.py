"""The request and the response of a message that the team writes first."""

from enum import StrEnum
from typing import Annotated

from helpdesk.api.http.schemas import Answer, Body, schema_hint
from helpdesk.conversations.errors import MAX_ATTACHMENTS, MAX_BODY_CHARACTERS
from helpdesk.conversations.schemas import ReplyAttachment


class OutreachInput(Body):
    """A message that the team writes first."""

    body: Annotated[str, schema_hint(maxLength=MAX_BODY_CHARACTERS)]
    """Counted after trimming; can be empty if files are attached."""
    attachments: Annotated[list[ReplyAttachment], schema_hint(maxItems=MAX_ATTACHMENTS)] | None = None
    """Up to 6 files from POST /v1/uploads."""


class MailOutcome(StrEnum):
    """Whether a message to a customer also goes out by e-mail, or why it does not."""

    QUEUED = "queued"
    NO_ADDRESS = "no_address"
    UPGRADE_REQUIRED = "upgrade_required"
    NOT_SET_UP = "not_set_up"
    UNSUBSCRIBED = "unsubscribed"


class OutreachAccepted(Answer):
    """The response to POST /customers/{id}/messages."""

    conversation_id: str
    message_id: str
    mail: MailOutcome
    """`queued`: the message also goes out by e-mail. Otherwise the customer reads it in their session only:
    `no_address`: the customer has no e-mail address. `upgrade_required`: e-mail to customers requires a paid plan.
    `not_set_up`: this deployment sends no e-mail. `unsubscribed` is of notices only."""
