"""Signals as responses and in events."""

from collections.abc import Sequence
from typing import Any

from helpdesk.signals.record import Signal, TrackerLink
from helpdesk.signals.shapes import CodehostIssue, SignalShape, TrackerIssue
from helpdesk.storage import by_name as by_names


def signal_shape(signal: Signal) -> SignalShape:
    """Return a signal as the API and its events show it."""
    return SignalShape(
        id=signal.id,
        kind=signal.kind,
        title=signal.title,
        body=signal.body,
        priority=signal.priority,
        status=signal.status,
        reporter_count=signal.reporter_count,
        aliases=list(signal.aliases),
        filed_at=signal.filed_at,
        updated_at=signal.updated_at,
        updated_by=by_names.id_of(signal.updated_by_name),
        updated_by_name=signal.updated_by_name,
        tracker=tracker_issue(signal.tracker),
        codehost=None
        if signal.codehost is None
        else CodehostIssue(number=signal.codehost.number, url=signal.codehost.url),
    )


def tracker_issue(link: TrackerLink | None) -> TrackerIssue | None:
    """Return the issue of a signal in the issue tracker as the API shows it."""
    return None if link is None else TrackerIssue(identifier=link.identifier, url=link.url)


def signal_shapes(signals: Sequence[Signal]) -> list[SignalShape]:
    """Return signals as the API shows them, in their order."""
    return [signal_shape(each) for each in signals]


def event_data(signal: Signal) -> dict[str, Any]:
    """Return `data` of an event about a signal (Specification: Events, data by kind)."""
    return {"signal": signal_shape(signal).model_dump(mode="json", by_alias=True)}
