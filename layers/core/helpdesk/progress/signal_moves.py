"""Moves that start at a signal: its change, and a commit that finished it. Its card moves in the same transaction."""

from helpdesk.api.admission.caller import Caller
from helpdesk.progress import moves
from helpdesk.signals import commits, filing
from helpdesk.signals import service as signals
from helpdesk.signals.kinds import SignalStatus
from helpdesk.signals.record import Signal
from helpdesk.signals.schemas import SignalUpdate
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks import service as tasks


def change_signal(
    caller: Caller, signal_id: str, wanted: SignalUpdate, *, version: int | None = None
) -> Signal:
    """Change a signal; a new status moves its card, and `declined` deletes it.

    With `version` the signal has to be as the caller read it. Raises what `signals.filing.update` raises.
    """

    def attempt() -> tuple[Signal, str | None]:
        deleted: list[str] = []

        def follow(transaction: Transaction, seen: Signal, status: SignalStatus) -> str | None:
            task_id = moves.add_card_move(transaction, seen, status, by_person=True)
            deleted[:] = [seen.task_id] if task_id is None and seen.task_id is not None else []
            return task_id

        changed = filing.update(caller.organization, caller.actor, signal_id, wanted, follow, version=version)
        return changed, deleted[0] if deleted else None

    signal, deleted = moves.retry(attempt)
    if deleted is not None:
        tasks.forget_links(caller.organization, deleted)
    return signal


def apply_commit(caller: Caller, signal_id: str, commit_id: str) -> Signal:
    """Note that a commit finished its signal, and move the signal and its card to done.

    A commit that was applied before changes nothing. Raises SignalNotFound, CommitNotFound.
    """

    def attempt() -> Signal:
        seen = signals.get(caller.organization, signal_id)
        commit = commits.get(caller.organization, signal_id, commit_id)
        if commit.applied:
            return seen
        transaction = Transaction()
        commits.add_applied(transaction, commit)
        changed = seen
        if seen.status is SignalStatus.DONE:
            # A merge moves the commit as it was before.
            signals.require(transaction, caller.organization, signal_id)
        else:
            moves.add_card_move(transaction, seen, SignalStatus.DONE, by_person=True)
            changed = signals.add_change(transaction, seen, seen.with_status(SignalStatus.DONE), caller.actor)
        transaction.commit()
        return changed

    return moves.retry(attempt)


def reopen(organization: str, actor: ActorName, signal_id: str) -> Signal:
    """Open a signal that is done, and move its card to the requests. One that is not done stays as it is.

    Raises SignalNotFound, Conflict.
    """

    def follow(transaction: Transaction, seen: Signal, status: SignalStatus) -> str | None:
        return moves.add_card_move(transaction, seen, status, by_person=False)

    def attempt() -> Signal:
        seen = signals.get(organization, signal_id)
        if seen.status is not SignalStatus.DONE:
            return seen
        opened = SignalUpdate(status=SignalStatus.OPEN)
        return filing.update(organization, actor, signal_id, opened, follow)

    return moves.retry(attempt)
