"""A card, its number, and what is linked to it, as items. Times are in ms."""

from copy import replace

from helpdesk.signals.kinds import Priority
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.stored import Stored
from helpdesk.tasks.schemas import PullRequestState, TaskStatus

COLUMNS = tuple(TaskStatus)
"""From left to right."""


class Task(Stored, kw_only=True):
    """A card.

    `rank` sorts it in its column; it is empty in `done`, which is sorted by `done_at`. `version` counts the writes
    other than links. `moved_by_person_at` is when a person or a key, and not a report of commits, last gave it another
    status. `commits` and `pull_requests` are how many are linked.
    """

    PK, SK = "ORG#{organization}#TASK#{id}", "TASK"
    GSI1 = "ORG#{organization}#COLUMN#{status}", "{place}"
    GSI3 = "ORG#{organization}#COLUMN#{status}#{assignee_id}", "{place}"
    organization: str
    id: str
    number: int
    title: str
    description: str
    status: TaskStatus
    rank: str
    priority: Priority | None = None
    assignee_id: str | None = None
    created_by_name: ActorName
    created_at: int
    updated_at: int
    done_at: int | None = None
    signal_id: str | None = None
    commits: int = 0
    pull_requests: int = 0
    moved_by_person_at: int | None = None
    version: int = 1

    @property
    def place(self) -> str:
        """Its sort key in its column: by rank, or in `done` by time."""
        if self.done_at is not None:
            return f"{self.done_at:013d}#{self.id}"
        return f"{self.rank}#{self.id}"

    def moved(self, status: TaskStatus, rank: str, at: int, *, by_person: bool) -> "Task":
        """Return the card in another column, at a rank there; the rank does not count in `done`."""
        done = status is TaskStatus.DONE
        return replace(
            self,
            status=status,
            rank="" if done else rank,
            done_at=at if done else None,
            moved_by_person_at=at if by_person else self.moved_by_person_at,
        )


class TaskNumber(Stored):
    """Which card has a number, so that a key in a commit message leads to it."""

    PK, SK = "ORG#{organization}#TASKNUMBER#{number}", "TASKNUMBER"
    organization: str
    number: str
    task_id: str


class TaskCounter(Stored):
    """The highest number that a card of the organization was given."""

    PK, SK = "ORG#{organization}#TASKS", "COUNTER"
    organization: str
    last: int


class LinkedCommit(Stored, kw_only=True):
    """A commit that is linked to a card; its item counts it once. `on_default` says that it's on the default branch.

    A commit that was reported and is not linked yet belongs to no card.
    """

    PK, SK = "ORG#{organization}#TASK#{task_id}", "COMMIT#{sha}"
    organization: str = ""
    task_id: str = ""
    sha: str
    repo: str
    message: str
    url: str | None = None
    author: str | None = None
    on_default: bool
    reported_at: int


class LinkedPullRequest(Stored, kw_only=True):
    """A pull request that is linked to a card, with its state, and since when (ms) it was that at the earliest."""

    PK, SK = "ORG#{organization}#TASK#{task_id}", "PULL#{repo}#{number}"
    organization: str = ""
    task_id: str = ""
    repo: str
    number: int
    title: str
    url: str | None = None
    state: PullRequestState
    reported_at: int
    at: int
