"""Keys of the task board. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class Task(ItemKey):
    """A card on the task board. IDs sort by time."""

    PK, SK = "ORG#{organization}#TASK#{task_id}", "TASK"
    organization: str
    task_id: str


class TaskCommit(ItemKey):
    """A commit that is linked to a card; its presence counts it once."""

    PK, SK = "ORG#{organization}#TASK#{task_id}", "COMMIT#{sha}"
    organization: str
    task_id: str
    sha: str


class TaskPullRequest(ItemKey):
    """A pull request that is linked to a card, with the state that was reported last."""

    PK, SK = "ORG#{organization}#TASK#{task_id}", "PULL#{repo}#{number}"
    organization: str
    task_id: str
    repo: str
    number: str


class TaskNumber(ItemKey):
    """Which card has a number, so that a key in a commit message leads to it."""

    PK, SK = "ORG#{organization}#TASKNUMBER#{number}", "TASKNUMBER"
    organization: str
    number: str


class QueuedReport(ItemKey):
    """What a report of commits still has for cards, until the worker has linked it."""

    PK, SK = "ORG#{organization}#REPORT#{report_id}", "REPORT"
    organization: str
    report_id: str


class TaskCounter(ItemKey):
    """The highest number that a card of the organization was given."""

    PK, SK = "ORG#{organization}#TASKS", "COUNTER"
    organization: str


def task_column(organization: str, status: str) -> str:
    """Return GSI1's partition of a column of the board; sorted by rank and id, or by time in `done`."""
    return f"ORG#{organization}#COLUMN#{status}"


def assigned_tasks(organization: str, status: str, user_id: str) -> str:
    """Return GSI2's partition of a teammate's cards in a column; sorted as the column is."""
    return f"ORG#{organization}#COLUMN#{status}#{user_id}"
