"""Which reporters of a signal that is done are still to be notified, and that one of them is."""

from helpdesk.platform import clock
from helpdesk.platform.text import one_line
from helpdesk.signals import repository
from helpdesk.signals.errors import MAX_QUOTE_CHARACTERS
from helpdesk.signals.record import Reporter, Signal, SignalStatus, StaleSignal
from helpdesk.signals.repository import StaleReporter
from helpdesk.storage.transactions import Transaction

__all__ = ["StaleReporter"]  # and everything below

WORDS_CHARACTERS = 120
"""How much of a reporter's own words the message quotes."""


def done(organization: str, signal_id: str) -> Signal | None:
    """Return a signal if it is done and its reporters are to know, None otherwise.

    One that was merged is not done: its reporters have moved. One that became done again with `notify: false` is quiet.
    """
    found = repository.signals.find(organization, signal_id)
    if found is None or found.merged_into is not None or found.status is not SignalStatus.DONE:
        return None
    if found.quiet:
        return None
    return found


def waiting(signal: Signal, limit: int, after: str | None) -> tuple[list[Reporter], str | None]:
    """Return the reporters who are to know that a signal is done, those after an id, and the id to continue from.

    It is about what they reported (`Reporter.is_about`), and they were not notified since. The id is None at the end.
    One query, which reads up to `limit` reporters.
    """
    found, end = repository.reporters_by_id(signal.organization, signal.id, limit, after, unnotified=True)
    done_at = signal.done_at or 0
    return [each for each in found if each.is_about(done_at)], end


def words(reporter: Reporter) -> str:
    """Return what a reporter calls a signal: the beginning of their own words, else the title that it had then.

    The team may have given it another title since, which means nothing to them.
    """
    quote = one_line(reporter.quote, MAX_QUOTE_CHARACTERS)
    if len(quote) > WORDS_CHARACTERS:
        quote = quote[:WORDS_CHARACTERS].rpartition(" ")[0] or quote[:WORDS_CHARACTERS]
        quote = quote.rstrip(" ,;:.") + "…"
    return quote or reporter.title


def add(transaction: Transaction, signal: Signal, reporter: Reporter) -> None:
    """Add to the transaction of their message that a reporter is notified.

    The transaction raises StaleReporter if they were notified, reported it again or are gone. It raises StaleSignal if
    the signal is no longer done, or became done again without messages.
    """
    transaction.change(
        reporter.key,
        set={"notified_at": clock.now_ms()},
        require={"notified_at": None, "again_at": reporter.again_at},
        on_failure=StaleReporter,
    )
    transaction.require(
        signal.key,
        {"status": SignalStatus.DONE, "merged_into": None, "quiet": False},
        on_failure=StaleSignal,
    )
