"""Changes of cards."""

from helpdesk.admission.caller import Caller
from helpdesk.storage.transactions import Conflict, Transaction
from helpdesk.tasks import service as tasks
from helpdesk.tasks.errors import StaleTask
from helpdesk.tasks.record import Task
from helpdesk.tasks.schemas import TaskUpdate

_TRIES = 10


def change_task(caller: Caller, name: str, wanted: TaskUpdate) -> Task:
    """Change a card, by its id or key. Raises TaskNotFound, TitleRequired, InvalidRequest, NotAMember."""
    for _ in range(_TRIES):
        seen = tasks.find(caller.organization, name)
        transaction = Transaction()
        changed = tasks.add_update(transaction, seen, wanted)
        if not transaction:
            return seen
        try:
            transaction.commit()
        except StaleTask:
            continue
        return changed
    raise Conflict


def delete_task(caller: Caller, name: str) -> None:
    """Delete a card, by its id or key. Raises TaskNotFound."""
    for _ in range(_TRIES):
        seen = tasks.find(caller.organization, name)
        transaction = Transaction()
        tasks.add_delete(transaction, seen)
        try:
            transaction.commit()
        except StaleTask:
            continue
        tasks.forget_links(caller.organization, seen.id)
        return
    raise Conflict
