"""Requests and responses of the messaging routes (Specification: Message input; Messaging)."""

import re
from typing import Annotated, Literal
from urllib.parse import SplitResult, urlsplit, urlunsplit

from pydantic import AfterValidator

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, OpenBody, Query, schema_hint
from helpdesk.conversations.errors import (
    MAX_ATTACHMENTS,
    MAX_BODY_CHARACTERS,
    MAX_NOTE_CHARACTERS,
    MAX_STARS,
    MIN_STARS,
)
from helpdesk.conversations.messages.sessions import Session
from helpdesk.conversations.schemas import MessageShape
from helpdesk.conversations.state import Status
from helpdesk.customers.profile import UserInput, cutter
from helpdesk.platform import ids
from helpdesk.platform.text import as_name, trimmed, without_hidden

# The specification limits the fields above; these keep the other values from a browser within an item.
MAX_CONTEXT_CHARACTERS = 200
MAX_PAGE_CHARACTERS = 2_048

_PAGE_SCHEMES = ("http", "https")
_NO_PAGE = "must be an http or https URL, such as https://shop.example.com/account"
# What a URL's host and port can consist of, also before a browser encodes letters of other alphabets.
_HOST = re.compile(r"""[^\s\\<>"^`{|}@/?#:\[\]]+(:\d{0,5})?|\[[0-9A-Fa-f:.]+\](:\d{0,5})?""")
_USER_INFO = re.compile(r"^(https?:/{2,})[^/?#\\]*@", re.IGNORECASE)


def _page_url(url: str) -> str:
    """Return a page's URL without user name, password and query string, also that within its fragment, cut to length.

    Sites put tokens and search terms in the query; single-page applications put it behind the `#`. Raises ValueError
    unless a browser could have shown the page.
    """
    try:
        parts = urlsplit(without_hidden(trimmed(url)))
        is_page = parts.scheme in _PAGE_SCHEMES and parts.port != 0
    except ValueError:  # a port or an address that cannot be read
        raise ValueError(_NO_PAGE) from None
    if not is_page or "\\" in parts.netloc or _HOST.fullmatch(_address(parts)) is None:
        raise ValueError(_NO_PAGE)
    bare = parts._replace(netloc=_address(parts), query="", fragment=parts.fragment.partition("?")[0])
    return trimmed(urlunsplit(bare)[:MAX_PAGE_CHARACTERS])


def _address(parts: SplitResult) -> str:
    """Return a URL's host and port, without user name and password."""
    return parts.netloc.rpartition("@")[2]


def _referrer(url: str | None) -> str | None:
    """Return a referrer with its query, cut to length; without user name and password if it has any.

    A referrer is not always a page: an app's is `android-app://com.example`.
    """
    if url is None:
        return None
    return as_name(_USER_INFO.sub(r"\1", as_name(url)), MAX_PAGE_CHARACTERS) or None


def _message_id(value: str | None) -> str | None:
    if value is not None and not ids.is_id("msg", value):
        raise ValueError("must be the ID of a message, such as msg_01jd3kq8w2h6c9g4s8d0m5x7ar")
    return value


def _stars(value: int) -> int:
    if not MIN_STARS <= value <= MAX_STARS:
        raise ValueError(f"must be from {MIN_STARS} to {MAX_STARS}")
    return value


ShortText = Annotated[str | None, cutter(MAX_CONTEXT_CHARACTERS)]


class ContextInput(Body):
    """The visitor's browser, shown to the team."""

    time_zone: ShortText = None
    """Such as `Europe/Berlin`."""
    locale: ShortText = None
    """Such as `de-DE`."""
    browser: ShortText = None
    os: ShortText = None
    screen: ShortText = None
    """Such as `1440x900`."""
    device: Literal["desktop", "tablet", "mobile"] | None = None


class PageInput(Body):
    """The page that the visitor wrote from; kept for the conversation's first message."""

    url: Annotated[str, AfterValidator(_page_url)]
    """An http or https URL. User name, password and query string are removed."""
    title: ShortText = None
    """Cut to 200 characters."""
    referrer: Annotated[str | None, AfterValidator(_referrer)] = None
    """Where they came from, with its query string; cut to 2,048 characters."""


class AttachmentInput(OpenBody):
    """A file from POST /uploads. Other fields are ignored."""

    id: str
    """The ID that POST /v1/uploads returned."""
    name: str
    """The name to show."""


class MessageInput(OpenBody):
    """The body of POST /messages. Other fields at this level are ignored (Specification: Messaging)."""

    session: Session
    """The visitor's token, 8 to 128 characters after trimming: the same random text with every message of theirs."""
    body: Annotated[str, schema_hint(maxLength=MAX_BODY_CHARACTERS)]
    """Plain text. Counted after trimming; can be empty if files are attached."""
    user: UserInput | None = None
    """Who the visitor is, shown to the team."""
    context: ContextInput | None = None
    """The visitor's browser."""
    page: PageInput | None = None
    """Where they wrote from."""
    attachments: Annotated[list[AttachmentInput], schema_hint(maxItems=MAX_ATTACHMENTS)] | None = None
    """Up to 6 files from POST /v1/uploads."""


class MessageAccepted(Answer):
    """The response to POST /messages."""

    conversation_id: str
    message_id: str


class HistoryQuery(Query):
    """The parameters of GET /messages."""

    session: Session
    """The visitor's session token."""
    after: Annotated[str | None, AfterValidator(_message_id)] = None
    """The ID of the newest message that you have: only newer ones are returned."""


class HistoryConversation(Answer):
    """One conversation of a visitor, its messages oldest first."""

    id: str
    status: Status
    awaiting_human: bool
    started_at: Milliseconds
    messages: list[MessageShape]


class History(Answer):
    """GET /messages: the visitor's conversations, the most recently active first."""

    conversations: list[HistoryConversation]
    """With `after`, all ten, each with its present state and its newer messages, if any."""


class RatingInput(Body):
    """The body of POST /messages/rating."""

    session: Session
    """The visitor's session token, as in POST /v1/messages."""
    conversation_id: str
    """The resolved conversation, one of that session."""
    stars: Annotated[int, AfterValidator(_stars), schema_hint(minimum=MIN_STARS, maximum=MAX_STARS)]
    """1 to 5."""
    note: Annotated[str, schema_hint(maxLength=MAX_NOTE_CHARACTERS)] | None = None
    """What the visitor says about it, for the team; up to 2,000 characters after trimming."""
