"""Reading the board: a column, the whole board, a search, and one card (Specification: GET /tasks).

A page costs the same calls whatever the number of cards: at most one query for each of the five columns, one read of
the organization, one of the assignees, and one of the signals.
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from helpdesk.accounts.members import membership
from helpdesk.accounts.members.errors import NotAMember
from helpdesk.accounts.members.record import Member
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.record import Organization
from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import fitting, next_cursor, position
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import is_blank, trimmed
from helpdesk.search import service as search
from helpdesk.signals import service as signals
from helpdesk.signals.record import Signal
from helpdesk.tasks import repository
from helpdesk.tasks import service as tasks
from helpdesk.tasks.record import COLUMNS, Task
from helpdesk.tasks.schemas import (
    Assignee,
    TaskAnswer,
    TaskCommitShape,
    TaskPullRequestShape,
    TasksAnswer,
    TaskShape,
    TasksQuery,
    TaskStatus,
)

_SEARCHES = 4
"""How often one page searches at most: hits may not match the other parameters."""
_LINKS = 100


def get(organization: str, name: str) -> TaskAnswer:
    """Return a card, by its id or key, with what is linked to it. Raises TaskNotFound.

    The card is read last, so that nobody sees a commit with the card before it.
    """
    task_id = tasks.id_of(organization, name)
    commits, pulls = repository.links(organization, task_id, _LINKS)
    task = tasks.get(organization, task_id)
    commits.sort(key=lambda each: each.reported_at, reverse=True)
    pulls.sort(key=lambda each: each.reported_at, reverse=True)
    return TaskAnswer(
        task=task_shapes(organization, [task])[0],
        commits=[TaskCommitShape.from_record(each) for each in commits],
        pull_requests=[TaskPullRequestShape.from_record(each) for each in pulls],
    )


def board(caller: Caller, query: TasksQuery) -> TasksAnswer:
    """Return a page of cards. Raises InvalidCursor, InvalidRequest, NotAMember for an unknown assignee.

    A person who left and still has cards is found by their user ID.
    """
    text = _text(query)
    assignee = _assignee(caller.organization, query.assignee)
    name = f"tasks?{query.status!r}&{assignee!r}&{text!r}"  # None is not the text "None"
    start = position(caller, query, name)
    if text is not None:
        found, end = _searched(caller.organization, query, text, assignee, start)
        shapes = task_shapes(caller.organization, found)
        return TasksAnswer(tasks=shapes, next_cursor=next_cursor(caller, end, name))
    found, end = _columns(caller.organization, query, assignee, start)
    shapes = task_shapes(caller.organization, found)
    room = fitting(shapes)
    if room < len(shapes):
        shapes, end = shapes[:room], _place(found[room - 1], assignee)
    return TasksAnswer(tasks=shapes, next_cursor=next_cursor(caller, end, name))


def _columns(
    organization: str, query: TasksQuery, assignee: str | None, start: Any
) -> tuple[list[Task], list[Any] | None]:
    """Return cards of one column, or of all from left to right, and the column and position to continue from."""
    columns = COLUMNS if query.status is None else (query.status,)
    after = None
    if start is not None:
        columns = columns[columns.index(TaskStatus(start[0])) :]
        after = start[1]
    found: list[Task] = []
    for column in columns:
        # One more than the page holds: without it, a full page is the last one.
        part, after = repository.column(
            organization, column, limit=query.limit + 1 - len(found), assignee=assignee, after=after
        )
        found += part
        if len(found) > query.limit:
            return found[: query.limit], _place(found[query.limit - 1], assignee)
        if after is not None:
            return found, [column.value, after]
    return found, None


def _place(task: Task, assignee: str | None) -> list[Any]:
    return [task.status.value, task.position("GSI1" if assignee is None else "GSI3")]


def _assignee(organization: str, wanted: str | None) -> str | None:
    """Return the id of the person whose cards are asked for; None for everyone's. Raises NotAMember."""
    if wanted is None:
        return None
    member = membership.find(organization, wanted)
    if member is not None:
        return member.user_id
    for column in COLUMNS:  # they may have left, and their cards wait for somebody else
        if repository.column(organization, column, limit=1, assignee=wanted).records:
            return wanted
    raise NotAMember


def _text(query: TasksQuery) -> str | None:
    if query.q is None:
        return None
    if is_blank(query.q):
        raise InvalidRequest("`q` must not be blank. Omit it to list all cards.")
    return trimmed(query.q)


def _searched(
    organization: str, query: TasksQuery, text: str, assignee: str | None, after: Any
) -> tuple[list[Task], Any]:
    """Search for words, and keep what matches the other parameters."""
    prefixes = organizations.get(organization).key_prefixes
    kept: list[Task] = []
    for _ in range(_SEARCHES):
        hits = search.tasks(organization, text, query.limit - len(kept), after, prefixes=prefixes)
        kept += [
            found
            for found in repository.tasks.by_ids(organization, ids=hits.ids).values()
            if query.status in {None, found.status} and assignee in {None, found.assignee_id}
        ]
        after = hits.after
        if after is None or len(kept) == query.limit:
            break
    return kept, after


def task_shapes(organization: str, tasks: Sequence[Task]) -> list[TaskShape]:
    """Return cards as responses. Up to three calls for 100: the organization, members with cards, signals of cards."""
    if not tasks:
        return []
    owner = organizations.get(organization)
    assigned = {task.assignee_id for task in tasks if task.assignee_id is not None}
    members = membership.members.by_ids(organization, ids=sorted(assigned)) if assigned else {}
    adopted = sorted({task.signal_id for task in tasks if task.signal_id is not None})
    of_cards = signals.by_ids(organization, adopted)
    return [
        _shape(task, owner, members.get(task.assignee_id or ""), of_cards.get(task.signal_id or ""))
        for task in tasks
    ]


def _shape(task: Task, owner: Organization, assignee: Member | None, signal: Signal | None) -> TaskShape:
    key = owner.key_of_task(task.number)
    return TaskShape.from_record(
        task,
        key=key,
        assignee=None if assignee is None else Assignee.from_record(assignee, email=assignee.email or None),
        tracker=None if signal is None else signal.tracker,
        codehost=None if signal is None else signal.codehost,
        url=_page(owner.board_url, key),
    )


def _page(board_url: str | None, key: str) -> str | None:
    """Return a card's page, which is below the organization's board address."""
    if board_url is None:
        return None
    board = urlsplit(board_url)
    return urlunsplit(board._replace(path=f"{board.path.rstrip('/')}/{key}"))
