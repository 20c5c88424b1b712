"""Tokens and connections of live updates, as they are stored."""

from helpdesk.platform.units import HOUR_MS, SECOND_MS
from helpdesk.storage.stored import Expiring

CONNECTS_WITHIN_MS = 60 * SECOND_MS
"""How long a token opens a connection."""
CONNECTION_MS = 2 * HOUR_MS
"""How long a connection lasts: API Gateway ends it then (Amazon API Gateway Developer Guide, "quotas")."""
MEMBERS = "usr_"
"""What the holder of a teammate's connection begins with. A visitor's is the hash of their session."""


class Grant(Expiring, kw_only=True):
    """What a token and the connection that it opens have in common.

    `holder` is the person's ID, or the hash of a visitor's session; `name` is the person's, None of a visitor. `only`
    is the one conversation that it is for, None for all. `ceiling` is how many connections the organization may have:
    it paid for this one from a bucket of that size (`helpdesk.live.ceilings`).
    """

    organization: str
    holder: str
    name: str | None = None
    only: str | None = None
    ceiling: int

    @property
    def of_member(self) -> bool:
        """Whether a teammate holds it."""
        return self.holder.startswith(MEMBERS)


class LiveToken(Grant, kw_only=True):
    """What opens one connection, by its SHA-256."""

    PK, SK = "ORG#{organization}#LIVE", "TOKEN#{token_hash}"
    token_hash: str


class LiveConnection(Grant, kw_only=True):
    """A connection, in one of its holder's places: there are as many as the holder may have connections.

    A place is free while it has no item, or one whose time is over: so no count is wrong after a lost disconnect.
    `viewing` is the conversation that the person has open.
    """

    PK, SK = "ORG#{organization}#LIVE", "CONNECTION#{holder}#{place}"
    place: str
    connection_id: str
    viewing: str | None = None

    @property
    def opened_at(self) -> int:
        """When it was opened (ms)."""
        return self.valid_until - CONNECTION_MS

    def shows(self, conversation_id: str) -> bool:
        """Whether it gets hints of a conversation that its holder may read."""
        return self.only is None or self.only == conversation_id
