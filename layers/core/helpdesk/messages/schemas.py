"""What goes in and out of the messaging routes (Specification: Message input; Messaging)."""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import AfterValidator, BeforeValidator

from helpdesk.conversations.schemas import MessageShape
from helpdesk.conversations.state import Status
from helpdesk.http.schemas import Answer, Body, ClosedBody, Query
from helpdesk.platform.text import cut

MAX_NAME_CHARACTERS = 80
MAX_EMAIL_CHARACTERS = 320
MAX_URL_CHARACTERS = 512
MAX_METADATA_ENTRIES = 16
MAX_METADATA_CHARACTERS = 200
# The specification bounds the fields above; these keep the rest of what a browser reports within an item.
MAX_CONTEXT_CHARACTERS = 200
MAX_PAGE_CHARACTERS = 2_048


def _cutter(characters: int) -> AfterValidator:
    return AfterValidator(lambda text: cut(text, characters) or None if text is not None else None)


def _https_or_nothing(value: Any) -> str | None:
    """Return an HTTPS address of acceptable length; anything else is dropped, not refused."""
    if not isinstance(value, str) or len(value) > MAX_URL_CHARACTERS:
        return None
    try:
        parts = urlsplit(value)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme != "https" or not host or any(c.isspace() or not c.isprintable() for c in value):
        return None
    return value


def _as_text(value: str | float) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return cut(text, MAX_METADATA_CHARACTERS)


def _facts(entries: dict[str, str | bool | int | float | None] | None) -> dict[str, str] | None:
    """Return the first sixteen entries as text, in the order of the body."""
    if entries is None:
        return None
    kept = [(name, value) for name, value in entries.items() if value is not None][:MAX_METADATA_ENTRIES]
    return {cut(name, MAX_METADATA_CHARACTERS): _as_text(value) for name, value in kept}


def _without_query(url: str) -> str:
    """Return an address without its query string, the one inside its fragment included, and cut to length.

    A query is where sites carry tokens and search terms, and single-page applications carry it behind the `#`.
    """
    try:
        parts = urlsplit(url)
        bare = urlunsplit(parts._replace(query="", fragment=parts.fragment.partition("?")[0]))
    except ValueError:
        before, mark, fragment = url.partition("#")
        bare = before.partition("?")[0] + mark + fragment.partition("?")[0]
    return cut(bare, MAX_PAGE_CHARACTERS)


type ShortText = Annotated[str | None, _cutter(MAX_CONTEXT_CHARACTERS)]


class UserInput(ClosedBody):
    """Who the visitor is. New values overwrite stored ones; an omitted field erases nothing."""

    name: Annotated[str | None, _cutter(MAX_NAME_CHARACTERS)] = None
    email: Annotated[str | None, _cutter(MAX_EMAIL_CHARACTERS)] = None
    avatar_url: Annotated[str | None, BeforeValidator(_https_or_nothing)] = None
    metadata: Annotated[dict[str, str | bool | int | float | None] | None, AfterValidator(_facts)] = None


class ContextInput(ClosedBody):
    """The visitor's browser, shown beside the thread."""

    time_zone: ShortText = None
    locale: ShortText = None
    browser: ShortText = None
    os: ShortText = None
    screen: ShortText = None
    device: Literal["desktop", "tablet", "mobile"] | None = None


class PageInput(ClosedBody):
    """Where the visitor wrote from; kept on the conversation's first message."""

    url: Annotated[str, AfterValidator(_without_query)]
    title: ShortText = None
    referrer: Annotated[
        str | None, AfterValidator(lambda url: _without_query(url) or None if url else None)
    ] = None


class AttachmentInput(Body):
    """A file from POST /uploads."""

    id: str
    name: str


class MessageInput(Body):
    """The body of POST /messages."""

    session: str
    body: str
    user: UserInput | None = None
    context: ContextInput | None = None
    page: PageInput | None = None
    attachments: list[AttachmentInput] | None = None


class MessageAccepted(Answer):
    """The answer of POST /messages."""

    conversation_id: str
    message_id: str


class HistoryQuery(Query):
    """The parameters of GET /messages."""

    session: str


class HistoryConversation(Answer):
    """One conversation of a visitor, its messages oldest first."""

    id: str
    status: Status
    awaiting_human: bool
    started_at: int
    messages: list[MessageShape]


class History(Answer):
    """GET /messages: the visitor's conversations, the most recently active first."""

    conversations: list[HistoryConversation]
