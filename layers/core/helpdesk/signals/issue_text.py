"""The text of an issue that is opened for a signal at another service."""

from helpdesk.admission.caller import Caller
from helpdesk.signals import listing
from helpdesk.signals.record import Signal
from helpdesk.signals.schemas import SignalQuery

_QUOTES = 20


def of(signal: Signal) -> str:
    """Return an issue's text: the signal's, what customers said without their names, and the signal's id."""
    caller = Caller(organization=signal.organization)
    answer = listing.get(caller, signal.id, SignalQuery.model_validate({"limit": _QUOTES}))
    quotes = [each.quote.replace("\n", "\n> ") for each in answer.reporters if each.quote]
    parts = [signal.body, *(f"> {quote}" for quote in quotes)]
    reporters = signal.reporter_count
    parts.append(f"Reported by {reporters} customer{'' if reporters == 1 else 's'}. {mark(signal.id)}")
    return "\n\n".join(part for part in parts if part)


def mark(signal_id: str) -> str:
    """Return the sentence by which an issue is found again."""
    return f"Helpdesk signal `{signal_id}`."
