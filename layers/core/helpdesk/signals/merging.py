"""Moves an anonymous customer's reports to the customer who signed in."""

from copy import replace

from helpdesk.customers.merging import Require
from helpdesk.signals import erasure, repository
from helpdesk.signals.record import Reporter
from helpdesk.signals.repository import reports_of_customer
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

__all__ = ["give", "reports_of_customer"]


def give(organization: str, report: Reporter, after_id: str, require: Require) -> None:
    """Give a customer a report; if they have reported the signal themselves, theirs counts. May be repeated.

    `require` adds to the transaction what it requires of the customers. Raises what that makes the transaction raise.
    """

    def attempt() -> None:
        seen = repository.reporters.find(organization, report.signal_id, report.id)
        if seen is None:
            return
        if repository.reporters.find(organization, report.signal_id, after_id) is not None:
            erasure.forget(organization, seen)
            return
        signal = repository.signals.find(organization, seen.signal_id)
        transaction = Transaction()
        require(transaction)
        repository.delete_reporter(transaction, seen)
        repository.put_reporter(transaction, replace(seen, customer_id=after_id))
        if signal is not None:
            repository.count(transaction, signal)  # a merge that has read the row starts again
        transaction.commit()

    repeat_when_stale(attempt, ConditionFailed)
