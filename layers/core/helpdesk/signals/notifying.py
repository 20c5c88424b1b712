"""Which reporters of a signal that is done are still to be notified, and that one of them is."""

from helpdesk.platform import clock
from helpdesk.signals import repository
from helpdesk.signals.record import Reporter, Signal, SignalStatus
from helpdesk.signals.repository import StaleReporter
from helpdesk.storage.transactions import Transaction

__all__ = ["StaleReporter"]  # and everything below


def done(organization: str, signal_id: str) -> Signal | None:
    """Return a signal if it is done and its reporters are to know, None otherwise.

    One that was merged is not done: its reporters have moved. One that became done again with `notify: false` is quiet.
    """
    found = repository.find(organization, signal_id)
    if found is None or found.merged_into is not None or found.status is not SignalStatus.DONE:
        return None
    if found.quiet:
        return None
    return found


def waiting(signal: Signal, limit: int, after: str | None) -> tuple[list[Reporter], str | None]:
    """Return the reporters who are to know that a signal is done, those after an id, and the id to continue from.

    They reported it before it was done, and were not notified since: a later report is about the next fix
    (docs/decisions/0178). The id is None at the end. One query, which reads up to `limit` reporters.
    """
    found, end = repository.reporters_by_id(signal.organization, signal.id, limit, after, unnotified=True)
    done_at = signal.done_at or 0
    return [each for each in found if each.last_reported_at <= done_at], end


def add(transaction: Transaction, signal: Signal, reporter: Reporter) -> None:
    """Add to the transaction of their message that a reporter is notified.

    The transaction raises StaleReporter if they were notified, reported it again or are gone. It raises StaleSignal if
    the signal is no longer done, or became done again without messages.
    """
    repository.mark_notified(transaction, reporter, clock.now_ms())
    repository.require_done(transaction, signal)
