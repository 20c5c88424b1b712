"""What a message may hold, whoever writes it (Specification: Limits, Size and count limits). No AWS."""

from helpdesk.conversations.errors import (
    MAX_ATTACHMENTS,
    MAX_BODY_CHARACTERS,
    EmptyMessage,
    MessageTooLong,
    TooManyAttachments,
)
from helpdesk.platform.text import trimmed


def require_body(text: str, attachments: int) -> str:
    """Return a message's text, trimmed. Raises TooManyAttachments, EmptyMessage or MessageTooLong."""
    if attachments > MAX_ATTACHMENTS:
        raise TooManyAttachments
    body = trimmed(text)
    if not body and attachments == 0:
        raise EmptyMessage
    if len(body) > MAX_BODY_CHARACTERS:
        raise MessageTooLong
    return body
