"""The request body of a message that the team writes first."""

from typing import Annotated

from helpdesk.conversations.errors import MAX_ATTACHMENTS, MAX_BODY_CHARACTERS
from helpdesk.conversations.schemas import ReplyAttachment
from helpdesk.http.schemas import Body, schema_hint


class OutreachInput(Body):
    """A message that the team writes first."""

    body: Annotated[str, schema_hint(maxLength=MAX_BODY_CHARACTERS)]
    """Counted after trimming; can be empty if files are attached."""
    attachments: Annotated[list[ReplyAttachment], schema_hint(maxItems=MAX_ATTACHMENTS)] | None = None
    """Up to 6 files from POST /v1/uploads."""
