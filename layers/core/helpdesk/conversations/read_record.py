"""How far each teammate has read each conversation, as it is stored."""

from helpdesk.platform.units import DAY_MS, DAY_SECONDS
from helpdesk.storage.stored import Stored

_KEPT_DAYS = 90
KEPT_SECONDS = _KEPT_DAYS * DAY_SECONDS
UNREAD_MS = _KEPT_DAYS * DAY_MS
"""A message is unread for so long, at most. Marks are kept as long, so none is gone while it matters."""


class ReadMark(Stored, kw_only=True):
    """The newest message of a conversation that a teammate has read. DynamoDB deletes it after 90 days."""

    PK, SK = "ORG#{organization}#READ#{user_id}", "CONV#{conversation_id}"
    organization: str
    user_id: str
    conversation_id: str
    message_id: str
    expires_at: int
