"""A card, and what is linked to it, as items. Times are in ms."""

from copy import replace
from typing import Self

from helpdesk.platform.record import Record
from helpdesk.signals.kinds import Priority
from helpdesk.storage import by_name as by_names
from helpdesk.storage import keys
from helpdesk.storage.table import Item
from helpdesk.tasks.schemas import PullRequestState, TaskStatus

COLUMNS = tuple(TaskStatus)
"""From left to right."""


class Task(Record, kw_only=True):
    """A card.

    `rank` sorts it in its column; it is empty in `done`, which is sorted by `done_at`. `version` counts the writes
    other than links, and each of those writes requires it. `moved_by_person_at` is when a person or a key, and not a
    report of commits, last gave it another status. `commits` and `pull_requests` are how many are linked.
    """

    organization: str
    id: str
    number: int
    title: str
    description: str
    status: TaskStatus
    rank: str
    priority: Priority | None = None
    assignee_id: str | None = None
    created_by_name: str
    created_at: int
    updated_at: int
    done_at: int | None = None
    signal_id: str | None = None
    commits: int = 0
    pull_requests: int = 0
    moved_by_person_at: int | None = None
    version: int = 1

    @property
    def key(self) -> keys.Task:
        """The key of its item."""
        return keys.Task(self.organization, self.id)

    @property
    def place(self) -> str:
        """Its sort key in its column."""
        if self.done_at is not None:
            return f"{self.done_at:013d}#{self.id}"
        return f"{self.rank}#{self.id}"

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read a card's item."""
        priority = item["priority"]
        return cls(
            organization=organization,
            id=item["id"],
            number=int(item["number"]),
            title=item["title"],
            description=item["description"],
            status=TaskStatus(item["status"]),
            rank=item["rank"],
            priority=None if priority is None else Priority(priority),
            assignee_id=item["assigneeId"],
            created_by_name=by_names.from_item(item, "createdBy"),
            created_at=int(item["createdAt"]),
            updated_at=int(item["updatedAt"]),
            done_at=item["doneAt"],
            signal_id=item["signalId"],
            commits=int(item["commits"]),
            pull_requests=int(item["pullRequests"]),
            moved_by_person_at=item["movedByPersonAt"],
            version=int(item["version"]),
        )

    def to_item(self) -> Item:
        """Return the card as an item."""
        return {
            **self.key.attributes(),
            "GSI1PK": keys.task_column(self.organization, self.status.value),
            "GSI1SK": self.place,
            **self._of_assignee(),
            "id": self.id,
            "number": self.number,
            "title": self.title,
            "description": self.description,
            "status": self.status.value,
            "rank": self.rank,
            "priority": None if self.priority is None else self.priority.value,
            "assigneeId": self.assignee_id,
            **by_names.to_item("createdBy", self.created_by_name),
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
            "doneAt": self.done_at,
            "signalId": self.signal_id,
            "commits": self.commits,
            "pullRequests": self.pull_requests,
            "movedByPersonAt": self.moved_by_person_at,
            "version": self.version,
        }

    def _of_assignee(self) -> Item:
        if self.assignee_id is None:
            return {}
        return {
            "GSI2PK": keys.assigned_tasks(self.organization, self.status.value, self.assignee_id),
            "GSI2SK": self.place,
        }

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


class LinkedCommit(Record, kw_only=True):
    """A commit that is linked to a card. `on_default` says whether it was reported on the default branch."""

    sha: str
    repo: str
    message: str
    url: str | None
    author: str | None
    on_default: bool
    reported_at: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a commit's item."""
        return cls(
            sha=item["sha"],
            repo=item["repo"],
            message=item["message"],
            url=item["url"],
            author=item["author"],
            on_default=item["onDefault"],
            reported_at=int(item["reportedAt"]),
        )

    def key(self, task: Task) -> keys.TaskCommit:
        """Return the key of its item."""
        return keys.TaskCommit(task.organization, task.id, self.sha)

    def to_item(self, task: Task) -> Item:
        """Return it as an item of a card."""
        return {**self.key(task).attributes(), **self.attributes()}

    def attributes(self) -> Item:
        """Return what its item says, whichever card it is linked to."""
        return {
            "sha": self.sha,
            "repo": self.repo,
            "message": self.message,
            "url": self.url,
            "author": self.author,
            "onDefault": self.on_default,
            "reportedAt": self.reported_at,
        }


class LinkedPullRequest(Record, kw_only=True):
    """A pull request that is linked to a card, with its state, and since when (ms) it was that at the earliest."""

    repo: str
    number: int
    title: str
    url: str | None
    state: PullRequestState
    reported_at: int
    at: int = 0

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a pull request's item."""
        return cls(
            repo=item["repo"],
            number=int(item["number"]),
            title=item["title"],
            url=item["url"],
            state=PullRequestState(item["state"]),
            reported_at=int(item["reportedAt"]),
            at=int(item.get("at", 0)),
        )

    def key(self, task: Task) -> keys.TaskPullRequest:
        """Return the key of its item."""
        return keys.TaskPullRequest(task.organization, task.id, self.repo, str(self.number))

    def to_item(self, task: Task) -> Item:
        """Return it as an item of a card."""
        return {**self.key(task).attributes(), **self.attributes()}

    def attributes(self) -> Item:
        """Return what its item says, whichever card it is linked to."""
        return {
            "repo": self.repo,
            "number": self.number,
            "title": self.title,
            "url": self.url,
            "state": self.state.value,
            "reportedAt": self.reported_at,
            "at": self.at,
        }
