"""Requests and responses of saved replies."""

from typing import Annotated

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, schema_hint
from helpdesk.conversations.errors import MAX_BODY_CHARACTERS
from helpdesk.conversations.replies.errors import MAX_TITLE_CHARACTERS

Title = Annotated[str, schema_hint(minLength=1, maxLength=MAX_TITLE_CHARACTERS)]
Text = Annotated[str, schema_hint(minLength=1, maxLength=MAX_BODY_CHARACTERS)]


class SavedReplyInput(Body):
    """The body of POST /replies."""

    title: Title
    """What teammates look for: 1 to 80 characters after trimming."""
    body: Text
    """1 to 4,000 characters after trimming. It can contain `{{customer.name}}`, `{{customer.email}}`,
    `{{teammate.name}}` and `{{organization.name}}`, which the client fills in."""


class SavedReplyUpdate(Body):
    """The body of PATCH /replies/{replyId}; omitted fields stay as they are."""

    title: Title | None = None
    """What teammates look for: 1 to 80 characters after trimming."""
    body: Text | None = None
    """1 to 4,000 characters after trimming, with the same placeholders."""


class SavedReplyShape(Answer):
    """A text that teammates send often."""

    id: str
    title: str
    body: str
    """With its placeholders: fill them in before you send it."""
    created_at: Milliseconds
    created_by: str | None
    created_by_name: str
    updated_at: Milliseconds


class SavedRepliesAnswer(Answer):
    """GET /replies, the newest first."""

    replies: list[SavedReplyShape]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""
