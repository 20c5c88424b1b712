"""Request and response of POST /live/tokens."""

from typing import Annotated

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, OneTimeSecret
from helpdesk.conversations.messages.sessions import Session


class LiveTokenInput(Body):
    """The body of POST /live/tokens."""

    conversation_id: str | None = None
    """Get hints of this conversation only. Without it, a member gets those of all conversations."""
    session: Session | None = None
    """With a secret key: the session of the visitor whose conversations the connection is for."""


class LiveTokenAnswer(Answer):
    """A token that opens one connection."""

    url: str
    """Where to connect, with the query parameter `token`: `new WebSocket(url + "?token=" + token)`."""
    token: Annotated[str, OneTimeSecret("Call the route again with a new Idempotency-Key.")]
    """Opens one connection until `expiresAt`."""
    expires_at: Milliseconds
    """When the token expires: 60 seconds from now. The connection that it opens lasts up to two hours."""
