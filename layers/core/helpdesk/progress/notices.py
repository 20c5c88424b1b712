"""The message to those who reported a signal, when it is done: once each, in the thread and by mail.

One transaction notes that a reporter is notified, adds the message to their conversation, and adds the job of its mail,
on the condition that they were not notified and that the signal is still done. So no crash and no repetition sends it
twice (docs/decisions/0139).
"""

from collections.abc import Callable
from contextlib import suppress

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.errors import OrganizationNotFound, UpgradeRequired
from helpdesk.accounts.organizations.record import Organization
from helpdesk.agent import service as agent
from helpdesk.conversations.record import Conversation
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.outreach import service as outreach
from helpdesk.outreach.errors import CustomerUnreachable
from helpdesk.platform import clock
from helpdesk.platform.errors import RateLimited
from helpdesk.platform.record import Record
from helpdesk.signals import jobs, notifying
from helpdesk.signals.jobs import SignalJob
from helpdesk.signals.record import Reporter, Signal
from helpdesk.signals.service import StaleSignal
from helpdesk.storage.transactions import Transaction
from helpdesk.visitor_texts.catalog import TextName
from helpdesk.visitor_texts.texts import VisitorTexts

_LONGEST_WAIT_SECONDS = 15 * 60  # as long as SQS delays a message
_PAGE = 100


class _Organization(Record):
    sender: Organization
    texts: VisitorTexts


def work(job: SignalJob, until: int) -> str:
    """Notify the reporters of a signal who are not notified yet, until an instant (ms); return the outcome.

    A signal that is no longer done notifies nobody. Where the mail allowance is empty, the rest waits for it.
    """
    signal = notifying.done(job.organization, job.signal_id)
    if signal is None:
        return "not_done"
    try:
        own = _Organization(organizations.get(job.organization), agent.settings_of(job.organization).texts)
    except OrganizationNotFound:
        return "not_done"
    after = job.after
    while True:
        page, end = notifying.waiting(signal, _PAGE, after)
        for reporter in page:
            if clock.now_ms() >= until:
                return _hand_on(job, after)
            try:
                _notify(own, signal, reporter)
            except RateLimited as limited:
                wait = min(int(limited.headers.get("retry-after", "1")), _LONGEST_WAIT_SECONDS)
                return _hand_on(job, after, clock.now_ms() + wait * 1_000)
            except StaleSignal:
                return "not_done"
            after = reporter.id
        if end is None:
            return "notified"
        after = end


def _notify(own: _Organization, signal: Signal, reporter: Reporter) -> None:
    """Notify one reporter. Skips a reporter who is gone, cannot be reached or was notified meanwhile."""
    if reporter.customer_id is None:
        return
    # The last of these: without a session or an address that mail may go to, there is nowhere to write.
    with suppress(notifying.StaleReporter, CustomerNotFound, CustomerUnreachable, UpgradeRequired):
        outreach.notify(
            signal.organization,
            reporter.customer_id,
            [each.conversation_id for each in reporter.conversations],
            _text(own, notifying.words(reporter)),
            lambda transaction: notifying.add(transaction, signal, reporter),
            own.sender,
        )


def _text(own: _Organization, reported: str) -> Callable[[Conversation | None], str]:
    def write(conversation: Conversation | None) -> str:
        known = None if conversation is None else conversation.language
        sentences = own.texts.in_language(known or own.texts.language)
        return sentences.write(TextName.SIGNAL_DONE, title=reported)

    return write


def _hand_on(job: SignalJob, after: str | None, due_at: int | None = None) -> str:
    transaction = Transaction()
    next_slice = SignalJob(
        kind=job.kind,
        organization=job.organization,
        signal_id=job.signal_id,
        notify=True,
        after=after,
    )
    jobs.put(transaction, next_slice.to_job(due_at))
    transaction.commit()
    return "handed_on"
