"""Signals as responses and in events."""

from collections.abc import Sequence
from typing import Any

from helpdesk.signals.record import Signal
from helpdesk.signals.shapes import SignalShape
from helpdesk.storage import by_name as by_names


def signal_shape(signal: Signal) -> SignalShape:
    """Return a signal as the API and its events show it."""
    return SignalShape.from_record(signal, updated_by=by_names.id_of(signal.updated_by_name))


def signal_shapes(signals: Sequence[Signal]) -> list[SignalShape]:
    """Return signals as the API shows them, in their order."""
    return [signal_shape(each) for each in signals]


def event_data(signal: Signal) -> dict[str, Any]:
    """Return `data` of an event about a signal (Specification: Events, data by kind)."""
    return {"signal": signal_shape(signal).model_dump(mode="json", by_alias=True)}
