"""Requests and responses of adopting, and of reports of commits (Specification: TaskRequest, GET /tasks/requests)."""

from typing import Annotated, ClassVar

from helpdesk.api.http.schemas import Answer, Body, Instant, Milliseconds, PageQuery, schema_hint
from helpdesk.progress.errors import MAX_BRANCH_CHARACTERS, MAX_REPO_CHARACTERS
from helpdesk.signals.kinds import Priority, SignalKind
from helpdesk.tasks.schemas import SentState, TaskStatus

MAX_REQUESTS_LISTED = 60
"""Requests of one page (Specification: Limits, Task list limit)."""
MAX_COMMITS_REPORTED = 500
MAX_PULL_REQUESTS_REPORTED = 100
MIN_SHA_CHARACTERS, MAX_SHA_CHARACTERS = 7, 64


class TaskRequestsQuery(PageQuery):
    """The parameters of GET /tasks/requests."""

    max_limit: ClassVar[int] = MAX_REQUESTS_LISTED

    limit: int = MAX_REQUESTS_LISTED
    """The maximum number of requests."""


class TaskRequest(Answer):
    """A customer request that nobody has decided on: an open signal without a card."""

    signal_id: str
    kind: SignalKind
    title: str
    body: str
    priority: Priority
    reporter_count: int
    """How many customers reported it."""
    filed_at: Milliseconds
    updated_at: Milliseconds


class TaskRequestsAnswer(Answer):
    """The response of GET /tasks/requests, newest first."""

    requests: list[TaskRequest]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""


class Adoption(Body):
    """The body of POST /tasks/adopt."""

    signal_id: str
    """The signal to make a card."""


class ReportedCommit(Body):
    """A commit."""

    sha: Annotated[str, schema_hint(minLength=MIN_SHA_CHARACTERS, maxLength=MAX_SHA_CHARACTERS)]
    """The whole hash, in hexadecimal: a shorter one counts as another commit."""
    message: str
    """The whole message. Of a very long one, the first 10,000 characters are read."""
    url: str | None = None
    """The commit's page; 2,000 characters at most."""
    author: str | None = None
    """The author's name."""


class ReportedPullRequest(Body):
    """A pull request, also called merge request."""

    number: int
    title: str
    """Read for keys of cards, as commits' messages are."""
    url: str | None = None
    """The pull request's page; 2,000 characters at most."""
    state: SentState


class CommitsReport(Body):
    """The body of POST /commits and POST /tasks/{id}/commits."""

    repo: Annotated[str, schema_hint(minLength=1, maxLength=MAX_REPO_CHARACTERS)]
    """The repository, such as `acme/shop`."""
    branch: Annotated[str | None, schema_hint(maxLength=MAX_BRANCH_CHARACTERS)] = None
    """The branch that the commits are on."""
    default: bool = False
    """Whether that is the repository's default branch. Only there does a commit finish a card."""
    commits: Annotated[list[ReportedCommit] | None, schema_hint(maxItems=MAX_COMMITS_REPORTED)] = None
    """Up to 500, oldest first."""
    pull_requests: Annotated[
        list[ReportedPullRequest] | None, schema_hint(maxItems=MAX_PULL_REQUESTS_REPORTED)
    ] = None
    """Up to 100."""
    at: Instant | None = None
    """When this happened, in milliseconds since 1970, such as the time of the push; now by default. A card that a
    person moved later stays."""


class ReportedTask(Answer):
    """A card that a report names."""

    id: str
    key: str
    status: TaskStatus
    """Its column after the report."""
    moved: bool
    """Whether the report moved it."""


class CommitsReported(Answer):
    """The response to a report: the cards that it is linked to, in the order of their numbers."""

    ok: bool
    tasks: list[ReportedTask]
    queued: int
    """How many more cards there are. They are linked and moved within seconds after the response; mostly 0."""
