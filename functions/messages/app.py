"""/v1/messages: the visitor's side."""

from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.schemas import OK, Ok
from helpdesk.api.routing.api import Api
from helpdesk.conversations.errors import (
    ConversationArchived,
    ConversationNotFound,
    EmptyMessage,
    InvalidFeedback,
    InvalidSession,
    MessageTooLong,
    NotResolved,
    RatingSettled,
    TooManyAttachments,
)
from helpdesk.conversations.files.errors import AttachmentMissing, AttachmentWrongType
from helpdesk.conversations.messages import feed, ratings
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages.schemas import (
    History,
    HistoryQuery,
    MessageAccepted,
    MessageInput,
    RatingInput,
)
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL", "FILES_BUCKET")

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
    """Send a visitor's message. The first message creates the visitor and a conversation."""
    return messages.post(caller.organization, message)


@api.get("/v1/messages", access=Access.SECRET_KEY, errors=(InvalidSession,))
def get_history(caller: Caller, query: HistoryQuery) -> History:
    """Get a visitor's thread: up to 200 messages of their 10 most recently started conversations.

    With `after`, only messages newer than that one are returned.
    """
    if query.after is None:
        return messages.history(caller.organization, query.session)
    return feed.news(caller.organization, query.session, query.after)


@api.post(
    "/v1/messages/rating",
    access=Access.SECRET_KEY,
    errors=(
        InvalidSession,
        InvalidFeedback,
        ConversationNotFound,
        ConversationArchived,
        NotResolved,
        RatingSettled,
    ),
)
def rate(caller: Caller, rating: RatingInput) -> Ok:
    """Rate a resolved conversation, or change the rating within 24 hours."""
    ratings.rate(caller.organization, rating)
    return OK


handler = api.handler
