"""Deletes what an erasure removes, page by page: threads, facts, reports, entries on the feedback board.

One transaction deletes a page of entries and counts them. Data of an entry is deleted before the entry: its event and
deliveries, the stored response to an upload, and the bytes of its files. After a crash the entry therefore still names
what is left. A file that other conversations attach, too, stays for them, unless the visitor sent it.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from helpdesk.agent_runs import erasure as agent_runs
from helpdesk.agent_runs.erasure import ErasableRun
from helpdesk.analytics import erasure as analytics
from helpdesk.board import erasure as board
from helpdesk.conversations import erasure as conversations
from helpdesk.conversations.files import service as files
from helpdesk.conversations.files import store
from helpdesk.conversations.message_record import Entry, Message, Note
from helpdesk.conversations.messages import visitors
from helpdesk.conversations.record import ErasableConversation
from helpdesk.customers.erasure import facts
from helpdesk.customers.record import Customer, Fact
from helpdesk.integrations.discord import feeds as discord
from helpdesk.integrations.discord.record import DiscordFeed
from helpdesk.integrations.slack import threads as slack
from helpdesk.integrations.slack.record import SlackThread
from helpdesk.platform import clock
from helpdesk.privacy import repository
from helpdesk.signals import erasure as signals
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from helpdesk.suggestions import erasure as suggestions
from helpdesk.suggestions.record import LearnedQuestion
from helpdesk.tools.approvals import lifecycle
from helpdesk.webhooks.delivery import service as deliveries

_ENTRIES = 12
"""Entries per page. With six files and a mail each, and their ratings, they fit the 100 actions of a transaction."""
_FACTS = 90
_TRACES = 25
"""Posts, votes and comments per page; each is erased by itself."""


class OutOfTime(Exception):
    """The function has no time left. Another run continues."""


def conversations_of(organization: str, customer: Customer) -> list[ErasableConversation]:
    """Return a customer's conversations, including those that are being erased, oldest first.

    The session's list is read consistently. The customer's index lags, but it also has conversations without a session.
    """
    found = {customer.outreach_id} if customer.outreach_id else set()
    if customer.session_hash:
        found |= visitors.conversation_ids(organization, customer.session_hash)
    return conversations.find(organization, customer.id, found)


def delete_thread(organization: str, erasure_id: str, conversation_id: str, until: int) -> None:
    """Delete every entry of a conversation that is being erased, its approvals, and what suggestions hold of it.

    Raises OutOfTime at the instant `until` (ms).
    """
    _page_by_page(
        lambda: slack.threads_of(organization, conversation_id)[:_ENTRIES],
        lambda page: _forget_threads(organization, erasure_id, page),
        until,
    )
    _page_by_page(
        lambda: discord.places_of(organization, conversation_id)[:_ENTRIES],
        lambda page: _forget_places(organization, erasure_id, page),
        until,
    )
    _page_by_page(
        lambda: lifecycle.ids_in(organization, conversation_id)[:_ENTRIES],
        lambda page: _delete_approvals(organization, conversation_id, page),
        until,
    )
    _page_by_page(
        lambda: agent_runs.runs_in(organization, conversation_id)[:_ENTRIES],
        lambda page: _delete_runs(organization, conversation_id, page),
        until,
    )
    _page_by_page(
        lambda: suggestions.questions_of(organization, conversation_id)[:_ENTRIES],
        lambda page: _forget_questions(organization, erasure_id, page),
        until,
    )
    _page_by_page(
        lambda: conversations.first_entries(organization, conversation_id, _ENTRIES),
        lambda page: _delete_entries(organization, erasure_id, page),
        until,
    )


def delete_facts(organization: str, erasure_id: str, customer_id: str, until: int) -> None:
    """Delete the facts about a customer who is being erased, and their row in analytics.

    Raises OutOfTime at the instant `until` (ms).
    """

    def delete(page: Sequence[Fact]) -> None:
        transaction = Transaction()
        for fact in page:
            transaction.delete(fact.key, require={}, on_failure=ConditionFailed)
        repository.count(transaction, organization, erasure_id, facts=len(page))
        transaction.commit()

    _page_by_page(
        lambda: facts.page(organization, customer_id, limit=_FACTS, consistent=True).records, delete, until
    )
    analytics.delete_customer(organization, customer_id)


def delete_board_entries(organization: str, erasure_id: str, customer_id: str, until: int) -> None:
    """Delete the posts, votes and comments of a customer who is being erased. Raises OutOfTime at `until` (ms)."""

    def count(transaction: Transaction, kind: str) -> None:
        repository.count(transaction, organization, erasure_id, **{kind: 1})

    while traces := board.first(organization, customer_id, _TRACES):
        for trace in traces:
            require_time(until)
            board.erase(organization, trace, count)


def delete_reports(organization: str, customer_id: str, until: int) -> None:
    """Delete the reports of a customer who is being erased. Raises OutOfTime at the instant `until` (ms)."""
    while reports := signals.reports_of_customer(organization, customer_id):
        for report in reports:
            require_time(until)
            signals.forget(organization, report)


def delete_conversation(organization: str, erasure_id: str, conversation: ErasableConversation) -> None:
    """Delete a conversation whose thread is deleted and which the search index no longer contains."""
    analytics.delete_conversation(organization, conversation.id)
    transaction = Transaction()
    conversations.delete_for(transaction, conversation)
    repository.count(transaction, organization, erasure_id, conversations=1)
    try:
        transaction.commit()
    except ConditionFailed:
        return  # another worker has deleted and counted it


def require_time(until: int) -> None:
    """Raise OutOfTime from the instant `until` (ms) on."""
    if clock.now_ms() >= until:
        raise OutOfTime


def _page_by_page[T](
    read: Callable[[], Sequence[T]], delete: Callable[[Sequence[T]], None], until: int
) -> None:
    while page := read():
        require_time(until)
        try:
            delete(page)
        except ConditionFailed:
            continue  # another worker deletes the same page: read again what it left


def _delete_entries(organization: str, erasure_id: str, page: Sequence[Entry]) -> None:
    messages = [entry for entry in page if isinstance(entry, Message)]
    event_ids = [message.event_id for message in messages if message.event_id is not None]
    deliveries.delete_for(organization, event_ids)
    rating_ids = [entry.rating_id for entry in page if isinstance(entry, Note) and entry.rating_id]
    analytics.delete_entries(organization, [message.id for message in messages], rating_ids)
    for message in messages:
        if message.received is not None and message.received.source is not None:
            store.delete_incoming_mail(message.received.source)
    transaction = Transaction()
    conversations.delete_entries(transaction, organization, page, rating_ids)
    removed = files.delete_for(transaction, organization, _attachments_of(page))
    repository.count(
        transaction,
        organization,
        erasure_id,
        messages=len(messages),
        notes=len(page) - len(messages),
        ratings=len(rating_ids),
        files=removed,
        events=len(event_ids),
    )
    transaction.commit()


def _forget_threads(organization: str, erasure_id: str, page: Sequence[SlackThread]) -> None:
    transaction = Transaction()
    left = slack.delete_for(transaction, page)
    repository.count(transaction, organization, erasure_id, threads=left)
    transaction.commit()


def _forget_places(organization: str, erasure_id: str, page: Sequence[DiscordFeed]) -> None:
    transaction = Transaction()
    left = discord.delete_for(transaction, page)
    repository.count(transaction, organization, erasure_id, threads=left)
    transaction.commit()


def _delete_approvals(organization: str, conversation_id: str, page: Sequence[str]) -> None:
    analytics.delete_approvals(organization, page)
    transaction = Transaction()
    for approval_id in page:
        lifecycle.delete(transaction, organization, conversation_id, approval_id)
    transaction.commit()


def _delete_runs(organization: str, conversation_id: str, page: Sequence[ErasableRun]) -> None:
    analytics.delete_calls(organization, [call_id for run in page for call_id in run.call_ids])
    transaction = Transaction()
    agent_runs.delete_for(transaction, organization, conversation_id, [run.message_id for run in page])
    transaction.commit()


def _forget_questions(organization: str, erasure_id: str, page: Sequence[LearnedQuestion]) -> None:
    for question in page:
        suggestions.forget(organization, question)
    event_ids = [question.event_id for question in page if question.event_id is not None]
    deliveries.delete_for(organization, event_ids)
    transaction = Transaction()
    for question in page:
        suggestions.delete_for(transaction, question)
    repository.count(transaction, organization, erasure_id, events=len(event_ids))
    transaction.commit()


def _attachments_of(page: Sequence[Entry]) -> list[files.Attachment]:
    """Return the files that entries attach, with the number of entries and whether the visitor sent them."""
    uses: Counter[str] = Counter()
    by_visitor: set[str] = set()
    for entry in page:
        urls = {file.url for file in entry.attachments}
        uses.update(urls)
        if entry.by_visitor:
            by_visitor |= urls
    return [files.Attachment(url, number, url in by_visitor) for url, number in uses.items()]
