"""Requests and responses of signals (Specification: Signal, Reporter, SignalCommit; GET /signals/{id})."""

from typing import Annotated

from helpdesk.api.http.schemas import (
    Answer,
    Body,
    Milliseconds,
    PageQuery,
    Query,
    schema_hint,
)
from helpdesk.signals.errors import (
    MAX_BODY_CHARACTERS,
    MAX_COMMIT_MESSAGE_CHARACTERS,
    MAX_IMAGES,
    MAX_QUOTE_CHARACTERS,
    MAX_SHA_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    MAX_WHO_CHARACTERS,
    MAX_WHY_CHARACTERS,
)
from helpdesk.signals.kinds import Priority, SentKind, SentPriority, SentStatus, SignalKind, SignalStatus
from helpdesk.signals.shapes import ReporterImage, SignalShape


class ReportedConversation(Answer):
    """A conversation in which a customer reported the signal."""

    conversation_id: str
    subject: str


class ReporterShape(Answer):
    """A customer who reported the signal."""

    conversations: list[ReportedConversation]
    who: str
    """The customer's name or e-mail address when they reported it, or the name that was sent."""
    quote: str
    """The customer's own words; empty if none were sent."""
    reported_at: Milliseconds
    notified_at: Milliseconds | None
    """When the message that it is done reached them."""
    images: list[ReporterImage]


class CommitShape(Answer):
    """A commit that may finish the signal."""

    id: str
    sha: str
    message: str
    url: str
    author: str
    why: str
    """One line on why it is thought to finish the signal."""
    applied: bool


class SignalsQuery(PageQuery):
    """The parameters of GET /signals."""

    kind: SignalKind | None = None
    """Only bugs, or only suggestions."""
    status: SignalStatus | None = None
    """Only signals with this status."""
    priority: Priority | None = None
    """Only signals with this priority."""
    q: str | None = None
    """Only signals whose title, aliases and body have all of these words."""


class SignalsAnswer(Answer):
    """The response of GET /signals, newest first."""

    signals: list[SignalShape]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end. With filters, a page can be shorter than `limit`."""


class SignalQuery(PageQuery):
    """The parameters of GET /signals/{id}."""

    limit: int = 200
    """The maximum number of reporters."""


class SignalAnswer(Answer):
    """A signal with its reporters, oldest first, and its commits."""

    signal: SignalShape
    reporters: list[ReporterShape]
    commits: list[CommitShape]
    next_cursor: str | None
    """Send it as `cursor` for more reporters; null at the end."""


class SimilarQuery(Query):
    """The parameters of GET /signals/similar."""

    title: str
    """The title to compare with."""


class SimilarAnswer(Answer):
    """Signals with a similar title, the most similar first: five at most."""

    signals: list[SignalShape]


class ImageInput(Body):
    """An image: either an upload by its `id`, or an address."""

    id: str | None = None
    """The ID of a file from POST /uploads."""
    url: str | None = None
    """An https address; it can be any file's address on this service, or elsewhere."""
    name: str | None = None
    """What to call it; by default the upload's name, or the last part of the address."""


_IMAGES = Annotated[list[ImageInput] | None, schema_hint(maxItems=MAX_IMAGES)]
_QUOTE = Annotated[str | None, schema_hint(maxLength=MAX_QUOTE_CHARACTERS)]
_WHO = Annotated[str | None, schema_hint(maxLength=MAX_WHO_CHARACTERS)]


class ReportInput(Body):
    """The body of POST /signals/{id}/reports. Send one of `conversationId`, `customerId` and `who`."""

    conversation_id: str | None = None
    """The conversation in which the customer reported it. The images that they send there, before or after it, are kept
    with the report."""
    customer_id: str | None = None
    """The customer who reported it elsewhere."""
    who: _WHO = None
    """The name of a reporter who is not a customer."""
    quote: _QUOTE = None
    """The reporter's own words."""
    images: _IMAGES = None
    """Images that show the problem: six at most for a reporter."""


class SignalInput(ReportInput):
    """The body of POST /signals. The fields of a report are optional; with them the signal has its first reporter."""

    kind: SentKind
    title: Annotated[str | None, schema_hint(maxLength=MAX_TITLE_CHARACTERS)] = None
    """Unique among the titles and aliases of your signals. Case, width and spaces do not count."""
    body: Annotated[str | None, schema_hint(maxLength=MAX_BODY_CHARACTERS)] = None
    """What happens, or what is wanted, in Markdown."""
    priority: SentPriority | None = None
    """`medium` by default."""


class SignalUpdate(Body):
    """The body of PATCH /signals/{id}: only the fields that you send change."""

    kind: SentKind | None = None
    title: Annotated[str | None, schema_hint(maxLength=MAX_TITLE_CHARACTERS)] = None
    body: Annotated[str | None, schema_hint(maxLength=MAX_BODY_CHARACTERS)] = None
    priority: SentPriority | None = None
    status: SentStatus | None = None
    """A status moves the signal's card, too. `done` sends each reporter a message."""
    notify: bool | None = None
    """False: reporters get no message when the status becomes `done`. True by default."""


class SignalFiled(Answer):
    """The response of POST /signals."""

    id: str


class SignalChanged(Answer):
    """The signal after a change."""

    signal: SignalShape


class MergeInput(Body):
    """The body of POST /signals/{id}/merge."""

    duplicate_id: str
    """The signal whose reporters, commits, posts and titles move to the one in the path."""


class CommitInput(Body):
    """The body of POST /signals/{id}/commits."""

    sha: Annotated[str, schema_hint(maxLength=MAX_SHA_CHARACTERS)]
    """The commit's hash. A commit that the signal has is not added again."""
    message: Annotated[str, schema_hint(maxLength=MAX_COMMIT_MESSAGE_CHARACTERS)]
    url: str
    """The commit's page."""
    author: Annotated[str, schema_hint(maxLength=MAX_WHO_CHARACTERS)]
    why: Annotated[str | None, schema_hint(maxLength=MAX_WHY_CHARACTERS)] = None
    """One line on why it is thought to finish the signal."""


class CommitAdded(Answer):
    """The response of POST /signals/{id}/commits."""

    id: str
