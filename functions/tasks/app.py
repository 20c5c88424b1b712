"""/v1/tasks and /v1/commits: the task board, and the commits that move its cards."""

from helpdesk.accounts.members.errors import NotAMember
from helpdesk.accounts.organizations import service as organizations
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.schemas import OK, Ok
from helpdesk.api.routing.api import Api
from helpdesk.integrations.errors import CommitRepoNotFound
from helpdesk.integrations.github import account_lookup
from helpdesk.platform.errors import InvalidCursor
from helpdesk.platform.settings import declare
from helpdesk.progress import adoption, moves, reports
from helpdesk.progress.errors import AlreadyATask, NotARequest
from helpdesk.progress.schemas import (
    Adoption,
    CommitsReport,
    CommitsReported,
    TaskRequestsAnswer,
    TaskRequestsQuery,
)
from helpdesk.signals.errors import SignalNotFound
from helpdesk.tasks import listing
from helpdesk.tasks import service as tasks
from helpdesk.tasks.errors import TaskNotFound, TitleRequired
from helpdesk.tasks.listing import task_shapes
from helpdesk.tasks.record import Task
from helpdesk.tasks.schemas import (
    TaskAnswer,
    TaskChanged,
    TaskCreated,
    TaskInput,
    TasksAnswer,
    TasksQuery,
    TaskUpdate,
)

NEEDS = declare("BASE_URL", "SEARCH_BUCKET")

api = Api()


@api.get("/v1/tasks", access=Access.MEMBER, errors=(InvalidCursor, NotAMember))
def list_tasks(caller: Caller, query: TasksQuery) -> TasksAnswer:
    """List cards: one column in order, or the whole board from left to right. `done` is newest first."""
    return listing.board(caller, query)


@api.post("/v1/tasks", access=Access.MEMBER, errors=(TitleRequired, NotAMember))
def create_task(caller: Caller, task: TaskInput) -> TaskCreated:
    """Add a card, as the last one of its column."""
    return _created(caller, tasks.create(caller, task))


@api.get("/v1/tasks/requests", access=Access.MEMBER, errors=(InvalidCursor,))
def list_task_requests(caller: Caller, query: TaskRequestsQuery) -> TaskRequestsAnswer:
    """List the customer requests that nobody has decided on, newest first: open signals without a card."""
    return adoption.requests(caller, query)


@api.post("/v1/tasks/adopt", access=Access.MEMBER, errors=(SignalNotFound, AlreadyATask))
def adopt_signal(caller: Caller, wanted: Adoption) -> TaskCreated:
    """Turn a signal into a card at the end of `planned`. The signal becomes planned."""
    return _created(caller, adoption.adopt(caller, wanted.signal_id))


@api.post("/v1/tasks/<task_id>/decline", access=Access.MEMBER, errors=(TaskNotFound, NotARequest))
def decline_task(caller: Caller, task_id: str) -> Ok:
    """Decline a card in `requests`, or a request by its signal's ID. The card goes; its signal becomes declined."""
    adoption.decline(caller, task_id)
    return OK


@api.post("/v1/tasks/<task_id>/commits", access=Access.MEMBER, errors=(TaskNotFound, CommitRepoNotFound))
def report_task_commits(caller: Caller, task_id: str, report: CommitsReport) -> CommitsReported:
    """Link commits and pull requests to a card, whether they name it or not. They move the card, too."""
    account_lookup.require_reported(caller.organization, report.repo)
    return reports.report_for(caller, task_id, report)


@api.post("/v1/commits", access=Access.MEMBER, errors=(CommitRepoNotFound,))
def report_commits(caller: Caller, report: CommitsReport) -> CommitsReported:
    """Report commits and pull requests of a repository. The cards that they name are linked and moved."""
    account_lookup.require_reported(caller.organization, report.repo)
    return reports.report(caller, report)


@api.get("/v1/tasks/<task_id>", access=Access.MEMBER, errors=(TaskNotFound,))
def get_task(caller: Caller, task_id: str) -> TaskAnswer:
    """Get a card with the commits and pull requests that are linked to it."""
    return listing.get(caller.organization, task_id)


@api.patch("/v1/tasks/<task_id>", access=Access.MEMBER, errors=(TaskNotFound, TitleRequired, NotAMember))
def update_task(caller: Caller, task_id: str, change: TaskUpdate) -> TaskChanged:
    """Update a card, or move it to another place or column. The signal it was adopted from moves with it."""
    task = moves.change_task(caller, task_id, change)
    return TaskChanged(task=task_shapes(caller.organization, [task])[0])


@api.delete("/v1/tasks/<task_id>", access=Access.MEMBER, errors=(TaskNotFound,))
def delete_task(caller: Caller, task_id: str) -> Ok:
    """Delete a card. The signal it was adopted from stays; if it was not done, it is a request again."""
    moves.delete_task(caller, task_id)
    return OK


def _created(caller: Caller, task: Task) -> TaskCreated:
    return TaskCreated(id=task.id, key=organizations.get(caller.organization).key_of_task(task.number))


handler = api.handler
