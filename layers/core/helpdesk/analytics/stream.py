"""Writes rows from the table's stream. The stream repeats records, and no request waits for this.

The stream keeps the order of changes within a partition. Changes of a conversation and its thread are carried out
together: the row of the conversation knows up to which message it counts, so a repeated message counts once.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from helpdesk.accounts.invites.record import Invite
from helpdesk.agent_runs.record import Run
from helpdesk.analytics import facts, repository, rows, sources, usage_facts
from helpdesk.analytics.conversation_rows import write_thread
from helpdesk.analytics.rows import Fact
from helpdesk.analytics.sources import Change
from helpdesk.api.logs.record import LogRecord
from helpdesk.conversations import service as conversations
from helpdesk.conversations.files.record import File
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.messages import ratings
from helpdesk.conversations.record import Conversation, Rating
from helpdesk.customers.record import Customer
from helpdesk.knowledge.crawls.record import Crawl
from helpdesk.knowledge.documents import Document
from helpdesk.platform.logging import log_unreadable, logger
from helpdesk.platform.queues import write_dead_letter
from helpdesk.platform.settings import settings
from helpdesk.signals.record import Signal
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import Item
from helpdesk.suggestions.record import Suggestion
from helpdesk.tasks.record import Task
from helpdesk.tools.approvals.record import Approval
from helpdesk.tools.call_log import ToolTestRun
from helpdesk.webhooks.delivery import record_guard

_THREADS = 8
_DATASETS: dict[type[Stored], str] = {
    Rating: rows.RATINGS,
    LogRecord: rows.LOGS,
    Document: rows.DOCUMENTS,
    Suggestion: rows.SUGGESTIONS,
    Approval: rows.TOOL_REQUESTS,
    Customer: rows.CUSTOMERS,
    Signal: rows.SIGNALS,
    Task: rows.TASKS,
}


def write_rows(records: Sequence[Mapping[str, Any]], *, late: bool = False) -> list[str]:
    """Write the rows of a batch; return the sequence numbers of failed records, which the stream repeats.

    A record that cannot be read moves to the dead-letter queue: repeating it would hold up the others. `late` records
    were given up before, and changes that came after them are written already.
    """
    groups: dict[tuple[str, str], list[tuple[str, Change]]] = defaultdict(list)
    for record in records:
        change = _read(record)
        if change is not None:
            groups[_group(change)].append((sources.number_of(record), change))
    with ThreadPoolExecutor(_THREADS) as pool:
        failed = list(pool.map(lambda group: _write(group, late=late), groups.values()))
    return [sequence for each in failed for sequence in each]


def _read(record: Mapping[str, Any]) -> Change | None:
    try:
        return sources.read(record)
    except Exception as error:  # noqa: BLE001 - one record must not hold up its shard
        change = record.get("dynamodb", {})
        _dead_letter(change.get("Keys"), change.get("SequenceNumber"), error)
        return None


def _dead_letter(key: object, sequence: object, error: Exception) -> None:
    log_unreadable(key, error)
    write_dead_letter(settings().facts_dead_letters_url, {"key": key, "sequence": sequence})


def _group(change: Change) -> tuple[str, str]:
    """Return what is carried out together: a conversation with its messages, and else an item by itself."""
    key = change.source.key
    return key.pk, "" if change.kind in {Conversation, Message} else key.sk


def _write(group: Sequence[tuple[str, Change]], *, late: bool) -> list[str]:
    """Carry out changes; return the sequence numbers to repeat."""
    changes = [change for _, change in group]
    try:
        if changes[0].kind in {Conversation, Message}:
            write_thread(changes, late=late)
        else:
            write_item(changes)
    except Exception as error:  # noqa: BLE001 - a failure of one record must not hold up the others
        if record_guard.is_of_the_record(error):
            for sequence, change in group:
                _dead_letter(change.source.key.attributes(), sequence, error)
            return []
        logger.error(
            "record_failed", extra={"key": changes[0].source.key.attributes(), "error": type(error).__name__}
        )
        return [sequence for sequence, _ in group]
    return []


def write_item(changes: Sequence[Change]) -> None:
    """Write the row of an item's newest state, or remove it."""
    change = changes[-1]
    if change.kind is Run:
        for each in changes:
            _write_calls(each)
        return
    if change.kind not in _DATASETS:
        for each in changes:
            _write_use(each)
        return
    dataset, identifier = _DATASETS[change.kind], change.source.id
    if change.new is None:
        repository.delete(change.organization, dataset, identifier)
        return
    fact = fact_of(change)
    if fact is None:
        repository.delete(change.organization, dataset, identifier)
    else:
        repository.put(change.organization, fact, change.sequence)


def fact_of(change: Change) -> Fact | None:
    """Return the row of an existing item; None if it has none."""
    item = change.new
    if item is None:
        return None
    if change.kind is Rating:
        return rating_fact(Rating.from_item(item))
    makers: dict[type[Stored], Callable[[Item], Fact | None]] = {
        Signal: lambda found: facts.of_signal(Signal.from_item(found)),
        Task: lambda found: facts.of_task(Task.from_item(found)),
        LogRecord: lambda found: facts.of_log(LogRecord.from_item(found)),
        Document: lambda found: facts.of_document(Document.from_item(found)),
        Suggestion: lambda found: facts.of_suggestion(Suggestion.from_item(found)),
        Approval: lambda found: facts.of_approval(Approval.from_item(found)),
        Customer: lambda found: facts.of_customer(Customer.from_item(found)),
    }
    return makers[change.kind](item)


def rating_fact(rating: Rating) -> Fact | None:
    """Return the row of a rating, with what its conversation says; None if that is gone."""
    conversation = conversations.find(rating.organization, rating.conversation_id)
    if conversation is None:
        return None
    return facts.of_rating(rating, ratings.line(rating), conversation)


def _write_calls(change: Change) -> None:
    """Write the rows of a run's calls that have an outcome now and had none; remove those of a run that is erased.

    A run that expires takes its conversation out of the rows: a later erasure of the customer would not find them.
    """
    before = {} if change.old is None else _calls(change.old)
    if change.new is None:
        if not change.expired:
            repository.delete_many(change.organization, [(rows.TOOL_RUNS, each) for each in before])
            return
        for fact in _calls(change.old or {}, nameless=True).values():
            repository.put(change.organization, fact, change.sequence)
        return
    for identifier, fact in _calls(change.new).items():
        if identifier not in before:
            repository.put(change.organization, fact, change.sequence)


def _calls(item: Item, *, nameless: bool = False) -> dict[str, Fact]:
    run = Run.from_item(item)
    conversation_id = None if nameless else run.conversation_id
    found = (usage_facts.of_call(call, conversation_id) for call in run.calls)
    return {fact.id: fact for fact in found if fact is not None}


def _write_use(change: Change) -> None:
    """Write the row of what an organization used. It stays when the item goes."""
    fact = _use(change)
    if fact is not None:
        repository.put(change.organization, fact, change.sequence)


def _use(change: Change) -> Fact | None:
    """Return the row of a use that a change brought."""
    old, new = change.old or {}, change.new
    if new is None:
        return None
    if change.kind is File:
        file = File.from_item(new)
        before = old and File.from_item(old).received
        return usage_facts.of_upload(file) if file.received and not before else None
    if change.kind is ToolTestRun:
        return usage_facts.of_test(ToolTestRun.from_item(new))
    if change.kind is Invite:
        mail_id = Invite.from_item(new).mailed
        is_new = mail_id != (Invite.from_item(old).mailed if old else None)
        return usage_facts.of_invitation_mail(mail_id) if mail_id and is_new else None
    return usage_facts.of_crawl(Crawl.from_item(new))
