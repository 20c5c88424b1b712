"""Items of cards, of their numbers and of what is linked to them.

Every write of a card other than a link requires the version that was read. A link only counts: its row is new, and the
count changes in the same transaction.
"""

from collections.abc import Sequence
from copy import replace

from helpdesk.storage import keys, table
from helpdesk.storage.keys import MalformedKey
from helpdesk.storage.table import Index
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks.errors import StaleTask, TaskNotFound
from helpdesk.tasks.record import LinkedCommit, LinkedPullRequest, Task
from helpdesk.tasks.schemas import TaskStatus

_COUNTED = frozenset({"commits", "pullRequests"})
_OPTIONAL = ("GSI2PK", "GSI2SK")


def get(organization: str, task_id: str) -> Task:
    """Return a card. Raises TaskNotFound."""
    item = table.get(keys.Task(organization, task_id))
    if item is None:
        raise TaskNotFound
    return Task.from_item(organization, item)


def get_many(organization: str, task_ids: Sequence[str]) -> list[Task]:
    """Return those of the cards that exist, in the order given. One call for up to 100."""
    wanted = [keys.Task(organization, task_id) for task_id in task_ids]
    found = table.get_many(wanted)
    return [Task.from_item(organization, found[key]) for key in wanted if key in found]


def ids_of_numbers(organization: str, numbers: Sequence[int]) -> dict[int, str]:
    """Return the ids of the cards that have these numbers. One call for up to 100."""
    wanted = {number: keys.TaskNumber(organization, str(number)) for number in numbers}
    found = table.get_many(list(wanted.values()))
    return {number: str(found[key]["taskId"]) for number, key in wanted.items() if key in found}


def last_number(organization: str) -> int:
    """Return the highest number that a card was given; 0 if there is none. One read."""
    item = table.get(keys.TaskCounter(organization))
    return 0 if item is None else int(item["last"])


def next_number(organization: str) -> int:
    """Take the next number. A card that is not made after all leaves a gap."""
    counted = table.update(
        keys.TaskCounter(organization),
        "ADD #last :one",
        names={"#last": "last"},
        values={":one": 1},
        returning="UPDATED_NEW",
    )
    return int(counted["last"])


def column(
    organization: str,
    status: TaskStatus,
    *,
    limit: int,
    assignee: str | None = None,
    after: tuple[str, str] | None = None,
    backwards: bool = False,
) -> tuple[list[Task], tuple[str, str] | None]:
    """Return cards of a column in its order, after a place, and the place to continue from (None at the end).

    A place is a sort key and a card's id. `done` is newest first. One query.
    """
    index: Index = "GSI1" if assignee is None else "GSI2"
    try:
        partition = (
            keys.task_column(organization, status.value)
            if assignee is None
            else keys.assigned_tasks(organization, status.value, assignee)
        )
        start = None
        if after is not None:
            sort_key, task_id = after
            own = keys.Task(organization, task_id).attributes()
            start = {**own, f"{index}PK": partition, f"{index}SK": sort_key}
    except MalformedKey:
        return [], None
    newest_first = (status is TaskStatus.DONE) is not backwards
    page = table.query(partition, index=index, limit=limit, newest_first=newest_first, after=start)
    found = [Task.from_item(organization, item) for item in page.items]
    return found, (found[-1].place, found[-1].id) if found and page.after is not None else None


def put_new(transaction: Transaction, task: Task) -> None:
    """Add a card and its number."""
    transaction.put(task.to_item(), new=True)
    number = keys.TaskNumber(task.organization, str(task.number))
    transaction.put({**number.attributes(), "taskId": task.id}, new=True)


def save(
    transaction: Transaction, seen: Task, changed: Task, *, commits: int = 0, pull_requests: int = 0
) -> Task:
    """Write what differs from the card that was read, and count new links. Return the card as written.

    The transaction raises StaleTask if the card has changed since or is gone.
    """
    changed = replace(changed, version=seen.version + 1)
    before, after = seen.to_item(), changed.to_item()
    changes = {
        name: value
        for name, value in after.items()
        if name not in _COUNTED and (name not in before or before[name] != value)
    }
    gone = [name for name in _OPTIONAL if name in before and name not in after]
    transaction.set(
        seen.key,
        changes,
        removed=gone,
        added={"commits": commits, "pullRequests": pull_requests},
        condition="#version = :seen",
        values={":seen": seen.version},
        on_failure=lambda _: StaleTask(),
    )
    return replace(changed, commits=seen.commits + commits, pull_requests=seen.pull_requests + pull_requests)


def count(transaction: Transaction, task: Task, at: int, *, commits: int, pull_requests: int) -> None:
    """Count new links of a card that does not move. The transaction raises StaleTask if the card is gone."""
    transaction.update(
        task.key,
        "SET updatedAt = :now ADD commits :commits, pullRequests :pulls",
        condition="attribute_exists(PK)",
        values={":now": at, ":commits": commits, ":pulls": pull_requests},
        on_failure=lambda _: StaleTask(),
    )


def require_place(transaction: Transaction, anchor: Task) -> None:
    """Require that a card is where it was read. The transaction raises StaleTask otherwise."""
    transaction.require(
        anchor.key,
        "GSI1PK = :column AND GSI1SK = :place",
        values={
            ":column": keys.task_column(anchor.organization, anchor.status.value),
            ":place": anchor.place,
        },
        on_failure=lambda _: StaleTask(),
    )


def delete(transaction: Transaction, seen: Task) -> None:
    """Remove a card and its number. The transaction raises StaleTask if the card has changed since or is gone."""
    transaction.delete(
        seen.key,
        condition="#version = :seen",
        names={"#version": "version"},
        values={":seen": seen.version},
        on_failure=lambda _: StaleTask(),
    )
    transaction.delete(keys.TaskNumber(seen.organization, str(seen.number)))


def delete_links(organization: str, task_id: str) -> None:
    """Remove what was linked to a card that is gone. It may be repeated."""
    partition = keys.Task(organization, task_id).pk
    for kind, prefix in ((keys.TaskCommit, "COMMIT#"), (keys.TaskPullRequest, "PULL#")):
        items = table.query_all(partition, sk_prefix=prefix)
        parsed = (kind.parse(item["PK"], item["SK"]) for item in items)
        if rows := [key for key in parsed if key is not None]:
            table.delete_many(rows)


def links(organization: str, task_id: str, most: int) -> tuple[list[LinkedCommit], list[LinkedPullRequest]]:
    """Return commits and pull requests of a card, up to a number of each. Two queries."""
    partition = keys.Task(organization, task_id).pk
    commits = table.query(partition, sk_prefix="COMMIT#", limit=most, consistent=True)
    pulls = table.query(partition, sk_prefix="PULL#", limit=most, consistent=True)
    return (
        [LinkedCommit.from_item(item) for item in commits.items],
        [LinkedPullRequest.from_item(item) for item in pulls.items],
    )


def known(
    task: Task, commits: Sequence[LinkedCommit], pulls: Sequence[LinkedPullRequest]
) -> tuple[dict[str, LinkedCommit], dict[tuple[str, int], LinkedPullRequest]]:
    """Return those of the commits (by hash) and pull requests that are linked to a card, as they are stored."""
    found = table.get_many([each.key(task) for each in commits] + [each.key(task) for each in pulls])
    stored = [(item["SK"], item) for item in found.values()]
    linked = [LinkedCommit.from_item(item) for sk, item in stored if sk.startswith("COMMIT#")]
    requests = [LinkedPullRequest.from_item(item) for sk, item in stored if sk.startswith("PULL#")]
    return {each.sha: each for each in linked}, {(each.repo, each.number): each for each in requests}


def put_commit(
    transaction: Transaction, task: Task, commit: LinkedCommit, known_as: LinkedCommit | None
) -> None:
    """Link a commit, or note that a linked one is on the default branch now.

    The transaction raises StaleTask if another request did so since it was looked up.
    """
    if known_as is None:
        transaction.put(commit.to_item(task), new=True, on_failure=lambda _: StaleTask())
        return
    transaction.update(
        commit.key(task),
        "SET onDefault = :true",
        condition="onDefault = :false",
        values={":true": True, ":false": False},
        on_failure=lambda _: StaleTask(),
    )


def put_pull_request(
    transaction: Transaction, task: Task, pull: LinkedPullRequest, known_as: LinkedPullRequest | None
) -> None:
    """Link a pull request, or note its new state. The transaction raises StaleTask as `put_commit` does."""
    if known_as is None:
        transaction.put(pull.to_item(task), new=True, on_failure=lambda _: StaleTask())
        return
    transaction.update(
        pull.key(task),
        "SET #state = :state, title = :title, reportedAt = :now, #at = :at",
        condition="#state = :seen",
        names={"#state": "state", "#at": "at"},
        values={
            ":state": pull.state.value,
            ":title": pull.title,
            ":now": pull.reported_at,
            ":at": pull.at,
            ":seen": known_as.state.value,
        },
        on_failure=lambda _: StaleTask(),
    )
