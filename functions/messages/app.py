"""/v1/messages: the visitor's side."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.conversations.errors import EmptyMessage, MessageTooLong, TooManyAttachments
from helpdesk.files.errors import AttachmentMissing, AttachmentWrongType
from helpdesk.http.api import Api
from helpdesk.messages import service as messages
from helpdesk.messages.errors import InvalidSession
from helpdesk.messages.schemas import History, HistoryQuery, MessageAccepted, MessageInput

api = Api()


@api.post(
    "/v1/messages",
    access=Access.SECRET_KEY,
    errors=(
        InvalidSession,
        EmptyMessage,
        MessageTooLong,
        TooManyAttachments,
        AttachmentMissing,
        AttachmentWrongType,
    ),
)
def post_message(caller: Caller, message: MessageInput) -> MessageAccepted:
    """Take a visitor's message; the first one creates the visitor and a conversation."""
    return messages.post(caller.organization, message)


@api.get("/v1/messages", access=Access.SECRET_KEY, errors=(InvalidSession,))
def get_history(caller: Caller, query: HistoryQuery) -> History:
    """Return a visitor's thread: 200 messages across their 10 most recently started conversations."""
    return messages.history(caller.organization, query.session)


handler = api.handler
