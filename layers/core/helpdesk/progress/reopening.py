"""Reopening a signal that was done, because a customer reports that it still happens."""

from helpdesk.signals import service as signals
from helpdesk.signals.record import Signal
from helpdesk.signals.schemas import SignalStatus, SignalUpdate


def reopen(organization: str, by_name: str, signal_id: str) -> Signal:
    """Open a signal that is done, and move its card to the requests. One that is not done stays as it is.

    Raises SignalNotFound.
    """
    seen = signals.get(organization, signal_id)
    if seen.status is not SignalStatus.DONE:
        return seen
    return signals.update(organization, by_name, signal_id, SignalUpdate(status=SignalStatus.OPEN))
