"""Cards as responses. Their assignees, their signals and the naming of cards cost one call each, whatever the rows."""

from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

from helpdesk.accounts.members import membership
from helpdesk.accounts.members.record import MemberRecord
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.service import TaskKeys
from helpdesk.signals import service as signals
from helpdesk.signals.record import Signal
from helpdesk.storage import by_name as by_names
from helpdesk.tasks.record import Task
from helpdesk.tasks.schemas import Assignee, TaskShape


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
    return TaskShape.from_record(
        task,
        key=key,
        assignee=None if assignee is None else Assignee.from_record(assignee, email=assignee.email or None),
        created_by=by_names.id_of(task.created_by_name),
        tracker=None if signal is None else signal.tracker,
        codehost=None if signal is None else signal.codehost,
        url=_page(named.board_url, key),
    )


def _page(board_url: str | None, key: str) -> str | None:
    """Return a card's page, which is below the organization's board address."""
    if board_url is None:
        return None
    board = urlsplit(board_url)
    return urlunsplit(board._replace(path=f"{board.path.rstrip('/')}/{key}"))
