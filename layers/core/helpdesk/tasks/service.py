"""The rules of cards that routes and other nouns call: reading, making, changing and removing them.

Functions named `add_…` add writes to a transaction of the caller, which also moves the card's signal (see
`progress.moves`). The transaction raises StaleTask if the card has changed since it was read: read it again.
"""

import re
from collections.abc import Sequence
from copy import replace

from helpdesk.accounts.members import membership
from helpdesk.accounts.members.errors import NotAMember
from helpdesk.accounts.organizations import service as organizations
from helpdesk.api.admission.caller import Caller
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest, at_most
from helpdesk.platform.text import as_name, trimmed
from helpdesk.search import jobs as search
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks import placing, repository
from helpdesk.tasks.errors import (
    MAX_DESCRIPTION_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    TaskNotFound,
    TitleRequired,
)
from helpdesk.tasks.record import Task
from helpdesk.tasks.repository import next_number
from helpdesk.tasks.schemas import TaskInput, TaskStatus, TaskUpdate

__all__ = ["next_number"]  # and everything below

_KEY = re.compile(r"(?P<prefix>[A-Za-z][A-Za-z0-9]{0,7})-(?P<number>[1-9][0-9]{0,8})")


get = repository.tasks.get
"""Return a card by its ID. Raises TaskNotFound."""


def find(organization: str, name: str) -> Task:
    """Return a card by its id or its key, such as `ACME-12`. A key costs two reads more. Raises TaskNotFound."""
    return get(organization, id_of(organization, name))


def id_of(organization: str, name: str) -> str:
    """Return the id of a card that is named by it or by its key. A key costs two reads. Raises TaskNotFound."""
    match = _KEY.fullmatch(name)
    if match is None:
        return name
    prefixes = {each.upper() for each in organizations.get(organization).key_prefixes}
    number = int(match.group("number"))
    task_id = repository.ids_of_numbers(organization, [number]).get(number)
    if match.group("prefix").upper() not in prefixes or task_id is None:
        raise TaskNotFound
    return task_id


def by_number(organization: str, numbers: Sequence[int]) -> list[Task]:
    """Return the cards with these numbers that exist. Two calls for up to 100."""
    found = repository.ids_of_numbers(organization, numbers)
    wanted = [found[number] for number in numbers if number in found]
    return list(repository.tasks.by_ids(organization, ids=wanted).values())


def create(caller: Caller, wanted: TaskInput) -> Task:
    """Make a card, the last one of its column. Raises TitleRequired, InvalidRequest, NotAMember."""
    transaction = Transaction()
    task = add_new(transaction, caller, wanted)
    transaction.commit()
    return task


def add_new(
    transaction: Transaction,
    caller: Caller,
    wanted: TaskInput,
    *,
    signal_id: str | None = None,
    number: int | None = None,
) -> Task:
    """Add a new card as the last one of its column. Two calls: the number, unless it is given, and the last rank.

    Raises TitleRequired, InvalidRequest. The transaction raises NotAMember.
    """
    now = clock.now_ms()
    organization = caller.organization
    title, description = _title(wanted.title), _description(wanted.description or "")
    task = Task(
        organization=organization,
        id=ids.new("task"),
        number=next_number(organization) if number is None else number,
        title=title,
        description=description,
        status=wanted.status,
        rank=placing.last(organization, wanted.status),
        priority=wanted.priority,
        assignee_id=wanted.assignee_id,
        created_by_name=caller.actor,
        created_at=now,
        updated_at=now,
        done_at=now if wanted.status is TaskStatus.DONE else None,
        signal_id=signal_id,
    )
    repository.put_new(transaction, task)
    _require_member(transaction, organization, wanted.assignee_id)
    search.put(transaction, search.task(organization, task.id))
    return task


def numbered(organization: str, after: int, limit: int) -> tuple[list[str], int | None]:
    """Return the ids of the cards with the next numbers after one, and the number to continue after, None at the end.

    Two calls for up to 100 numbers; those of deleted cards are passed over.
    """
    last = repository.last_number(organization)
    numbers = range(after + 1, min(after + limit, last) + 1)
    found = repository.ids_of_numbers(organization, numbers) if numbers else {}
    return list(found.values()), numbers[-1] if numbers and numbers[-1] < last else None


def add_update(transaction: Transaction, seen: Task, wanted: TaskUpdate) -> Task:
    """Add what a request changes of a card, and return the card as it will be. An empty change adds nothing.

    Raises TitleRequired, InvalidRequest, and TaskNotFound for a neighbour that is not there. The transaction raises
    NotAMember.
    """
    now = clock.now_ms()
    sent = wanted.model_fields_set
    changed = seen
    if wanted.title is not None:
        changed = replace(changed, title=_title(wanted.title))
    if wanted.description is not None:
        changed = replace(changed, description=_description(wanted.description))
    if "priority" in sent:
        changed = replace(changed, priority=wanted.priority)
    if "assignee_id" in sent:
        changed = replace(changed, assignee_id=wanted.assignee_id)
    changed = _placed(transaction, changed, wanted, now)
    if changed == seen:
        return seen
    if changed.assignee_id != seen.assignee_id:
        _require_member(transaction, seen.organization, changed.assignee_id)
    if (changed.title, changed.description) != (seen.title, seen.description):
        search.put(transaction, search.task(seen.organization, seen.id))
    return repository.save(transaction, seen, replace(changed, updated_at=now))


def add_move(
    transaction: Transaction,
    seen: Task,
    status: TaskStatus,
    *,
    by_person: bool,
    commits: int = 0,
    pull_requests: int = 0,
) -> Task:
    """Add the move of a card to the end of another column, with the count of new links. One query."""
    now = clock.now_ms()
    moved = seen.moved(
        status,
        placing.last(seen.organization, status, without=seen.id),
        now,
        by_person=by_person,
    )
    return repository.save(
        transaction, seen, replace(moved, updated_at=now), commits=commits, pull_requests=pull_requests
    )


def add_signal(transaction: Transaction, seen: Task, signal_id: str | None) -> Task:
    """Add that a card belongs to a signal, or to none."""
    return repository.save(transaction, seen, replace(seen, signal_id=signal_id, updated_at=clock.now_ms()))


def add_delete(transaction: Transaction, seen: Task) -> None:
    """Add the removal of a card. Call `forget_links` once it is written."""
    repository.delete(transaction, seen)
    search.put(transaction, search.task(seen.organization, seen.id))


def forget_links(organization: str, task_id: str) -> None:
    """Remove what was linked to a card that is gone; nothing of an existing one."""
    try:
        get(organization, task_id)
    except TaskNotFound:
        repository.delete_links(organization, task_id)


def _placed(transaction: Transaction, task: Task, wanted: TaskUpdate, now: int) -> Task:
    """Return the card at the place that a request names: a column, and a neighbour in it."""
    status = wanted.status or task.status
    if wanted.before is not None and wanted.after is not None:
        raise InvalidRequest("Send either `before` or `after`, not both.")
    neighbour = wanted.before if wanted.before is not None else wanted.after
    if neighbour is None:
        if status is task.status:
            return task
        rank = placing.last(task.organization, status, without=task.id)
        return task.moved(status, rank, now, by_person=True)
    side = "before" if wanted.before is not None else "after"
    if status is TaskStatus.DONE:
        raise InvalidRequest(f"`{side}` is not for the column `done`, which is sorted by time.")
    anchor = find(task.organization, neighbour)
    if anchor.id == task.id:
        raise InvalidRequest(f"`{side}` must name another card.")
    if anchor.status is not status:
        raise InvalidRequest(
            f"`{side}` must name a card of the column `{status}`. That card is in `{anchor.status}`: send its column "
            "as `status`, too."
        )
    placed = placing.beside(anchor, "before" if side == "before" else "after", task.id)
    if anchor.id not in {other.id for other, _ in placed.others}:
        repository.require_place(transaction, anchor)
    for other, rank in placed.others:
        repository.save(transaction, other, replace(other, rank=rank))
    if status is task.status:
        return replace(task, rank=placed.rank)
    return task.moved(status, placed.rank, now, by_person=True)


def _require_member(transaction: Transaction, organization: str, user_id: str | None) -> None:
    if user_id is not None:
        try:
            membership.require(transaction, organization, user_id, lambda _: NotAMember())
        except MalformedKey:
            raise NotAMember from None


def _title(title: str | None) -> str:
    line = " ".join(as_name(title or "").split())
    if not line:
        raise TitleRequired
    if len(line) > MAX_TITLE_CHARACTERS:
        raise InvalidRequest(at_most("title", MAX_TITLE_CHARACTERS))
    return line


def _description(description: str) -> str:
    description = trimmed(description)
    if len(description) > MAX_DESCRIPTION_CHARACTERS:
        raise InvalidRequest(at_most("description", MAX_DESCRIPTION_CHARACTERS))
    return description
