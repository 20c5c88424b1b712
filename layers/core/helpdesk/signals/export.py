"""Export of what signals hold of a customer."""

from typing import NamedTuple

from helpdesk.signals import repository
from helpdesk.signals.record import Reporter


class ReportedSignal(NamedTuple):
    """A customer's report, with the title of the signal."""

    title: str
    report: Reporter


def reports_of(organization: str, customer_id: str) -> list[ReportedSignal]:
    """Return a customer's reports of signals. One query, and one batch read if there are any."""
    reports = repository.reports_of_customer(organization, customer_id)
    signals = repository.get_many(organization, [each.signal_id for each in reports])
    return [
        ReportedSignal(signals[each.signal_id].title, each) for each in reports if each.signal_id in signals
    ]
