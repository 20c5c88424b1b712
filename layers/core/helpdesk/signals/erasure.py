"""Erasure and export of what signals hold of a customer or a conversation.

The customer is marked before. Reports, merges and messages to reporters require a customer who is not marked, so no row
of theirs is added or moved any more, and those that there are become fewer.
"""

from collections.abc import Callable
from copy import replace
from typing import NamedTuple

from helpdesk.conversations.files import service as files
from helpdesk.signals import repository
from helpdesk.signals.record import Reporter
from helpdesk.signals.repository import reports_of_customer
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

__all__ = ["ReportedSignal", "exported", "forget", "forget_conversation", "reports_of_customer"]


class ReportedSignal(NamedTuple):
    """A customer's report, with the title of the signal."""

    title: str
    report: Reporter


def exported(organization: str, customer_id: str) -> list[ReportedSignal]:
    """Return a customer's reports of signals, for their export. One query, and one batch read if there are any."""
    reports = reports_of_customer(organization, customer_id)
    found = repository.signals.by_ids(
        organization, ids=[each.signal_id for each in reports], consistent=False
    )
    return [ReportedSignal(found[each.signal_id].title, each) for each in reports if each.signal_id in found]


def forget(organization: str, report: Reporter) -> None:
    """Delete a report with the images that were uploaded for it, and count it out. It may be repeated."""

    def change(transaction: Transaction, seen: Reporter) -> None:
        signal = repository.signals.find(organization, seen.signal_id)
        repository.delete_reporter(transaction, seen)
        if signal is not None:
            repository.count(transaction, signal, reporters=-1)
        uploaded = [files.Attachment(each.url, 1, by_visitor=True) for each in seen.images if each.file_id]
        files.delete_for(transaction, organization, uploaded)

    _write(organization, report, change)


def forget_conversation(organization: str, customer_id: str, conversation_id: str) -> None:
    """Remove what the customer's reports hold of a conversation that is being erased; the reports stay.

    These are its subject and its screenshots, and the words that were sent with it. It may be repeated.
    """

    def change(transaction: Transaction, seen: Reporter) -> None:
        kept = tuple(each for each in seen.conversations if each.conversation_id != conversation_id)
        quoted_here = seen.quoted_in == conversation_id
        if len(kept) == len(seen.conversations) and not quoted_here:
            return
        changed = replace(
            seen,
            conversations=kept,
            quote="" if quoted_here else seen.quote,
            quoted_in=None if quoted_here else seen.quoted_in,
            images=tuple(each for each in seen.images if each.external or each.file_id is not None),
        )
        signal = repository.signals.find(organization, seen.signal_id)
        repository.save_reporter(transaction, seen, changed)
        if signal is not None:
            repository.count(transaction, signal)  # a merge that has read the row starts again

    for report in reports_of_customer(organization, customer_id):
        _write(organization, report, change)


def _write(organization: str, report: Reporter, change: Callable[[Transaction, Reporter], None]) -> None:
    def attempt() -> None:
        seen = repository.reporters.find(organization, report.signal_id, report.id)
        if seen is None:
            return
        transaction = Transaction()
        change(transaction, seen)
        if transaction:
            transaction.commit()

    repeat_when_stale(attempt, ConditionFailed)
