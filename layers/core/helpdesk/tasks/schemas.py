"""Requests and responses of the task board (Specification: Task, GET /tasks)."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, PageQuery, schema_hint
from helpdesk.signals.kinds import Priority, SentPriority
from helpdesk.signals.shapes import CodehostIssue, TrackerIssue
from helpdesk.tasks.errors import MAX_DESCRIPTION_CHARACTERS, MAX_LISTED, MAX_TITLE_CHARACTERS


class TaskStatus(StrEnum):
    """The columns of the board, from left to right."""

    REQUESTS = "requests"
    PLANNED = "planned"
    IN_PROGRESS = "in_progress"
    IN_REVIEW = "in_review"
    DONE = "done"


class PullRequestState(StrEnum):
    """The state of a pull request."""

    OPEN = "open"
    CLOSED = "closed"
    MERGED = "merged"


class Assignee(Answer):
    """The teammate who works on a card."""

    user_id: str
    name: str
    email: str | None


class TaskShape(Answer):
    """A card on the task board."""

    id: str
    key: str
    """What a commit message references, such as `ACME-12`."""
    number: int
    title: str
    description: str
    """Markdown."""
    status: TaskStatus
    priority: Priority | None
    assignee: Assignee | None
    """Also null while the person it was assigned to is not a member of the organization."""
    created_by: str | None
    """The ID of the person or key."""
    created_by_name: str
    """The person or key that made the card."""
    created_at: Milliseconds
    updated_at: Milliseconds
    done_at: Milliseconds | None
    signal_id: str | None
    """The signal it was adopted from."""
    tracker: TrackerIssue | None
    codehost: CodehostIssue | None
    commits: int
    """How many commits are linked to it."""
    pull_requests: int
    """How many pull requests are linked to it."""
    url: str | None
    """The card's page: the organization's `boardUrl` and the key. Null where no board address is set."""


class TasksQuery(PageQuery):
    """The parameters of GET /tasks."""

    max_limit: ClassVar[int] = MAX_LISTED

    limit: int = MAX_LISTED
    """The maximum number of cards."""
    status: TaskStatus | None = None
    """Only this column; by default the whole board, from left to right."""
    assignee: str | None = None
    """Only the cards of this teammate: a user ID or an e-mail address."""
    q: str | None = None
    """Only cards whose title, description and key have all of these words, newest first."""


class TasksAnswer(Answer):
    """The response of GET /tasks: columns from left to right, each in its order; `done` is newest first."""

    tasks: list[TaskShape]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end. A page can be shorter than `limit`."""


class TaskCommitShape(Answer):
    """A commit that is linked to a card."""

    repo: str
    sha: str
    message: str
    """Its first line."""
    url: str | None
    author: str | None
    reported_at: Milliseconds


class TaskPullRequestShape(Answer):
    """A pull request that is linked to a card."""

    repo: str
    number: int
    title: str
    url: str | None
    state: PullRequestState
    reported_at: Milliseconds
    """When its state was reported."""


class TaskAnswer(Answer):
    """A card with what is linked to it: up to 100 commits, and up to 100 pull requests."""

    task: TaskShape
    commits: list[TaskCommitShape]
    pull_requests: list[TaskPullRequestShape]


# JSON has no enumerations: in a body their values are texts.
SentStatus = Annotated[TaskStatus, Field(strict=False)]
SentState = Annotated[PullRequestState, Field(strict=False)]
TaskTitle = Annotated[str, schema_hint(maxLength=MAX_TITLE_CHARACTERS)]
TaskDescription = Annotated[str, schema_hint(maxLength=MAX_DESCRIPTION_CHARACTERS)]


class TaskInput(Body):
    """The body of POST /tasks. A missing title has an error code of its own, so it is not required here."""

    model_config = ConfigDict(json_schema_extra={"required": ["title"]})

    title: TaskTitle | None = None
    """Required, up to 200 characters after trimming. The error is `title_required` if it is missing or blank."""
    description: TaskDescription | None = None
    """Markdown, up to 20,000 characters; empty by default."""
    status: SentStatus = TaskStatus.PLANNED
    """The column; the card is its last one."""
    priority: SentPriority | None = None
    assignee_id: str | None = None
    """The user ID of a member."""


class TaskUpdate(Body):
    """The body of PATCH /tasks/{id}: only the fields that you send change."""

    title: TaskTitle | None = None
    """Up to 200 characters after trimming."""
    description: TaskDescription | None = None
    """Markdown, up to 20,000 characters."""
    status: SentStatus | None = None
    """Another column. The card becomes its last one, unless `before` or `after` says where. Its signal moves, too."""
    priority: SentPriority | None = None
    """Null removes it."""
    assignee_id: str | None = None
    """The user ID of a member; null for nobody."""
    before: str | None = None
    """The ID or key of the card before which to put this one, in the same column. Not in `done`, which is by time."""
    after: str | None = None
    """The ID or key of the card after which to put this one. Send one of `before` and `after`."""


class TaskCreated(Answer):
    """The response of POST /tasks and POST /tasks/adopt."""

    id: str
    key: str


class TaskChanged(Answer):
    """The card after a change."""

    task: TaskShape


Place = Literal["before", "after"]
