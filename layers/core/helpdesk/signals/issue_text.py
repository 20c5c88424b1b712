"""The text of an issue that is opened for a signal at another service."""

from helpdesk.api.admission.caller import Caller
from helpdesk.platform.settings import settings
from helpdesk.signals import listing
from helpdesk.signals.foreign_markdown import harmless, quoted
from helpdesk.signals.record import Signal
from helpdesk.signals.schemas import SignalQuery

MAX_CHARACTERS = 60_000
"""Of an issue's text. GitHub takes 65,536."""
_QUOTES = 20


def of(signal: Signal) -> str:
    """Return an issue's text: the signal's, what customers said without their names, and the way to the signal.

    Quotes that have no room are left out.
    """
    caller = Caller(organization=signal.organization)
    answer = listing.get(caller, signal.id, SignalQuery.model_validate({"limit": _QUOTES}))
    reporters = signal.reporter_count
    end = f"Reported by {reporters} customer{'' if reporters == 1 else 's'}. {mark(signal.id)}"
    end += f" {settings().base_url}/v1/signals/{signal.id}"
    parts = [harmless(signal.body)] if signal.body else []
    room = MAX_CHARACTERS - len(end) - sum(map(len, parts))
    for quote in (quoted(each.quote) for each in answer.reporters if each.quote):
        room -= len(quote) + 2
        if room < 0:
            break
        parts.append(quote)
    return "\n\n".join([*parts, end])


def mark(signal_id: str) -> str:
    """Return the sentence by which an issue is found again."""
    return f"Helpdesk signal `{signal_id}`."
