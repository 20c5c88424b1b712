"""/v1/live, the live connections themselves, and the hints that the fan-out sends to them."""

from typing import Any

import msgspec

from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.routing.api import Api
from helpdesk.conversations.errors import ConversationNotFound, InvalidSession
from helpdesk.live import posting, sockets
from helpdesk.live import service as live
from helpdesk.live.errors import SessionNotAllowed, SessionRequired, TooManyConnections
from helpdesk.live.hints import Hints
from helpdesk.live.schemas import LiveTokenAnswer, LiveTokenInput
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL", "LIVE_URL")

api = Api()


@api.post(
    "/v1/live/tokens",
    access=Access.MEMBER,
    errors=(SessionRequired, SessionNotAllowed, InvalidSession, ConversationNotFound, TooManyConnections),
)
def create_live_token(caller: Caller, wanted: LiveTokenInput) -> LiveTokenAnswer:
    """Get a token that opens a WebSocket connection for live updates.

    With a secret key, the connection is for one visitor's `session`.
    """
    return live.issue(caller, wanted)


def handler(event: dict[str, Any], context: Any) -> Any:
    """Handle a request of the API, an event of a live connection, or hints of the fan-out."""
    if "httpMethod" in event:
        return api.handler(event, context)
    if "requestContext" in event:
        return sockets.handle(event)
    posting.deliver(msgspec.convert(event, Hints))
    return None
