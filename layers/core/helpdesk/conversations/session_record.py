"""Visitors' sessions as they are stored. The messages package writes them."""

from helpdesk.platform import clock
from helpdesk.storage.stored import Stored, field


class Session(Stored, kw_only=True):
    """A visitor's session by the SHA-256 of its token.

    `current` hints at its newest open conversation and `handled_by` at who handled that at the last message: the
    conversation's own item decides, and a wrong hint costs a call. `openings` counts how often a resolved conversation
    of the session was reopened, which makes every earlier hint stale. `identity_fingerprint` is the hash of what the
    visitor last said about themselves.
    """

    PK, SK = "ORG#{organization}#SESSION#{hash}", "SESSION"
    organization: str
    hash: str
    customer_id: str
    current: str | None = field(name="conversationId", default=None)
    handled_by: str
    identity_fingerprint: str
    openings: int = 0
    created_at: int = field(default_factory=clock.now_ms)


class SessionConversation(Stored, kw_only=True):
    """One conversation of a session; IDs sort by start, so the newest is the last."""

    PK, SK = "ORG#{organization}#SESSION#{session_hash}", "CONV#{conversation_id}"
    organization: str
    session_hash: str
    conversation_id: str
