"""Items of cards, of their numbers and of what is linked to them.

Every write of a card other than a link requires the version that was read. A link only counts: its row is new, and the
count changes in the same transaction.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from helpdesk.storage import table
from helpdesk.storage.collection import Collection, Listed
from helpdesk.storage.stored import MalformedKey, Stored
from helpdesk.storage.transactions import Transaction
from helpdesk.storage.wire import Item
from helpdesk.tasks.errors import StaleTask, TaskNotFound
from helpdesk.tasks.record import LinkedCommit, LinkedPullRequest, Task, TaskCounter, TaskNumber
from helpdesk.tasks.schemas import TaskStatus

tasks = Collection(Task, missing=TaskNotFound)
_numbers = Collection(TaskNumber)
_counters = Collection(TaskCounter)
_commits = Collection(LinkedCommit)
_pull_requests = Collection(LinkedPullRequest)


def ids_of_numbers(organization: str, numbers: Sequence[int]) -> dict[int, str]:
    """Return the ids of the cards that have these numbers. One call for up to 100."""
    found = _numbers.by_ids(organization, ids=map(str, numbers))
    return {int(number): each.task_id for number, each in found.items()}


def last_number(organization: str) -> int:
    """Return the highest number that a card was given; 0 if there is none. One read."""
    counter = _counters.find(organization)
    return 0 if counter is None else counter.last


def next_number(organization: str) -> int:
    """Take the next number. A card that is not made after all leaves a gap."""
    key = TaskCounter.key_for(organization)
    counted = table.change(key, add={"last": 1}, or_new=True, returning="UPDATED_NEW")
    return int(counted["last"])


def column(
    organization: str,
    status: TaskStatus,
    *,
    limit: int,
    assignee: str | None = None,
    after: Item | None = None,
    backwards: bool = False,
) -> Listed[Task]:
    """Return cards of a column in its order, after a position. `done` is newest first. One query."""
    newest_first = (status is TaskStatus.DONE) is not backwards
    try:
        if assignee is None:
            return tasks.page(
                organization, status, index="GSI1", limit=limit, after=after, newest_first=newest_first
            )
        return tasks.page(
            *(organization, status, assignee),
            index="GSI3",
            limit=limit,
            after=after,
            newest_first=newest_first,
        )
    except MalformedKey:
        return Listed([], None)


def put_new(transaction: Transaction, task: Task) -> None:
    """Add a card and its number."""
    transaction.put(task, new=True)
    transaction.put(TaskNumber(task.organization, str(task.number), task.id), new=True)


def save(
    transaction: Transaction, seen: Task, changed: Task, *, commits: int = 0, pull_requests: int = 0
) -> Task:
    """Write what differs from the card that was read, and count new links. Return the card as written.

    The transaction raises StaleTask if the card has changed since or is gone.
    """
    counts = {"commits": commits, "pull_requests": pull_requests}
    return transaction.save(seen, changed, add=counts, on_failure=StaleTask())


def count(transaction: Transaction, task: Task, at: int, *, commits: int, pull_requests: int) -> None:
    """Count new links of a card that does not move. The transaction raises StaleTask if the card is gone."""
    counts = {"commits": commits, "pull_requests": pull_requests}
    transaction.change(task.key, set={"updated_at": at}, add=counts, on_failure=StaleTask())


def require_place(transaction: Transaction, anchor: Task) -> None:
    """Require that a card is where it was read. The transaction raises StaleTask otherwise."""
    transaction.require(anchor.key, anchor.index_entry("GSI1"), on_failure=StaleTask())


def delete(transaction: Transaction, seen: Task) -> None:
    """Remove a card and its number. The transaction raises StaleTask if the card has changed since or is gone."""
    transaction.delete(seen.key, require={"version": seen.version}, on_failure=StaleTask())
    transaction.delete(TaskNumber.key_for(seen.organization, str(seen.number)))


def delete_links(organization: str, task_id: str) -> None:
    """Remove what was linked to a card that is gone. It may be repeated."""
    for links in (_commits, _pull_requests):
        table.delete_many([each.key for each in links.all(organization, task_id)])


def links(organization: str, task_id: str, most: int) -> tuple[list[LinkedCommit], list[LinkedPullRequest]]:
    """Return commits and pull requests of a card, up to a number of each. Two queries."""
    commits = _commits.page(organization, task_id, limit=most, consistent=True)
    pulls = _pull_requests.page(organization, task_id, limit=most, consistent=True)
    return commits.records, pulls.records


def known(
    task: Task, commits: Sequence[LinkedCommit], pulls: Sequence[LinkedPullRequest]
) -> tuple[dict[str, LinkedCommit], dict[tuple[str, int], LinkedPullRequest]]:
    """Return those of the commits (by hash) and pull requests that are linked to a card, as they are stored."""
    found = table.get_many([_of(task, each).key for each in (*commits, *pulls)])
    stored = [(item["SK"], item) for item in found.values()]
    linked = [LinkedCommit.from_item(item) for sk, item in stored if sk.startswith(LinkedCommit.sk_prefix())]
    requests = [
        LinkedPullRequest.from_item(item)
        for sk, item in stored
        if sk.startswith(LinkedPullRequest.sk_prefix())
    ]
    return {each.sha: each for each in linked}, {(each.repo, each.number): each for each in requests}


def put_commit(
    transaction: Transaction, task: Task, commit: LinkedCommit, known_as: LinkedCommit | None
) -> None:
    """Link a commit, or record that a linked one is on the default branch now.

    The transaction raises StaleTask if another request did so since it was looked up.
    """
    if known_as is None:
        transaction.put(_of(task, commit), new=True, on_failure=StaleTask())
        return
    transaction.change(
        known_as.key, set={"on_default": True}, require={"on_default": False}, on_failure=StaleTask()
    )


def put_pull_request(
    transaction: Transaction, task: Task, pull: LinkedPullRequest, known_as: LinkedPullRequest | None
) -> None:
    """Link a pull request, or record its new state. The transaction raises StaleTask as `put_commit` does."""
    if known_as is None:
        transaction.put(_of(task, pull), new=True, on_failure=StaleTask())
        return
    changed = replace(known_as, state=pull.state, title=pull.title, reported_at=pull.reported_at, at=pull.at)
    transaction.save(known_as, changed, require={"state": known_as.state}, on_failure=StaleTask())


def _of[R: Stored](task: Task, link: R) -> R:
    return replace(link, organization=task.organization, task_id=task.id)
