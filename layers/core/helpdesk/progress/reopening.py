"""Opening a signal again that was done, because a customer reports that it still happens."""

from helpdesk.progress import moves
from helpdesk.signals import filing
from helpdesk.signals import service as signals
from helpdesk.signals.kinds import SignalStatus
from helpdesk.signals.record import Signal
from helpdesk.signals.schemas import SignalUpdate
from helpdesk.storage.by_name import ByName
from helpdesk.storage.transactions import Transaction


def reopen(organization: str, by_name: ByName, signal_id: str) -> Signal:
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
        return filing.update(organization, by_name, signal_id, opened, follow)

    return moves.retry(attempt)
