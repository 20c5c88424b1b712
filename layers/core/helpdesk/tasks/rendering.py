"""Cards as responses. Their assignees, their signals and the naming of cards cost one call each, whatever the rows."""

from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

from helpdesk.members import membership
from helpdesk.members.record import MemberRecord
from helpdesk.organizations import service as organizations
from helpdesk.organizations.service import TaskKeys
from helpdesk.signals import service as signals
from helpdesk.signals.record import Signal
from helpdesk.signals.rendering import tracker_issue
from helpdesk.signals.shapes import CodehostIssue
from helpdesk.storage import by_name as by_names
from helpdesk.tasks.record import LinkedCommit, LinkedPullRequest, Task
from helpdesk.tasks.schemas import Assignee, TaskCommitShape, TaskPullRequestShape, TaskShape


def task_shapes(organization: str, tasks: Sequence[Task]) -> list[TaskShape]:
    """Return cards as responses. Up to three calls for 100: the organization, members with cards, signals of cards."""
    if not tasks:
        return []
    named = organizations.task_keys(organization)
    assigned = {task.assignee_id for task in tasks if task.assignee_id is not None}
    members = membership.by_ids(organization, sorted(assigned)) if assigned else {}
    adopted = sorted({task.signal_id for task in tasks if task.signal_id is not None})
    of_cards = signals.by_ids(organization, adopted)
    return [
        _shape(task, named, members.get(task.assignee_id or ""), of_cards.get(task.signal_id or ""))
        for task in tasks
    ]


def _shape(task: Task, named: TaskKeys, assignee: MemberRecord | None, signal: Signal | None) -> TaskShape:
    key = named.key_of(task.number)
    issue = None if signal is None else signal.codehost
    return TaskShape(
        id=task.id,
        key=key,
        number=task.number,
        title=task.title,
        description=task.description,
        status=task.status,
        priority=task.priority,
        assignee=None
        if assignee is None
        else Assignee(user_id=assignee.user_id, name=assignee.name, email=assignee.email or None),
        created_by=by_names.id_of(task.created_by_name),
        created_by_name=task.created_by_name,
        created_at=task.created_at,
        updated_at=task.updated_at,
        done_at=task.done_at,
        signal_id=task.signal_id,
        tracker=None if signal is None else tracker_issue(signal.tracker),
        codehost=None if issue is None else CodehostIssue(number=issue.number, url=issue.url),
        commits=task.commits,
        pull_requests=task.pull_requests,
        url=_page(named.board_url, key),
    )


def _page(board_url: str | None, key: str) -> str | None:
    """Return a card's page, which is below the organization's board address."""
    if board_url is None:
        return None
    board = urlsplit(board_url)
    return urlunsplit(board._replace(path=f"{board.path.rstrip('/')}/{key}"))


def commit_shape(commit: LinkedCommit) -> TaskCommitShape:
    """Return a linked commit as a response."""
    return TaskCommitShape(
        repo=commit.repo,
        sha=commit.sha,
        message=commit.message,
        url=commit.url,
        author=commit.author,
        reported_at=commit.reported_at,
    )


def pull_request_shape(pull: LinkedPullRequest) -> TaskPullRequestShape:
    """Return a linked pull request as a response."""
    return TaskPullRequestShape(
        repo=pull.repo,
        number=pull.number,
        title=pull.title,
        url=pull.url,
        state=pull.state,
        reported_at=pull.reported_at,
    )
