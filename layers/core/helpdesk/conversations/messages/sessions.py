"""A visitor's session token: what it must be, and the form in which it is kept."""

from typing import Annotated

from helpdesk.api.http.schemas import schema_hint
from helpdesk.conversations.errors import MAX_SESSION_CHARACTERS, MIN_SESSION_CHARACTERS, InvalidSession
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.text import is_blank, trimmed

Session = Annotated[str, schema_hint(minLength=MIN_SESSION_CHARACTERS, maxLength=MAX_SESSION_CHARACTERS)]
"""A visitor's session token in a body or a query. `require_session` checks it."""


def require_session(text: str) -> str:
    """Return a session token, trimmed. Raises InvalidSession."""
    session = trimmed(text)
    if not MIN_SESSION_CHARACTERS <= len(session) <= MAX_SESSION_CHARACTERS or is_blank(session):
        raise InvalidSession
    return session


def hashed(session_token: str) -> str:
    """Return the form in which a session is kept: its token opens a visitor's thread, so it is stored nowhere."""
    return sha256_hex(session_token)
