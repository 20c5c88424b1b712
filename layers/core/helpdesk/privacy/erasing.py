"""Erases a customer. A run can stop anywhere and be repeated, and two can run at once.

The order of the steps decides every race with another writer:

1. The request marks the customer and removes the session. From then on nothing is added to the customer.
2. Their posts, votes and comments are deleted, then their reports of signals: each by a transaction that also corrects
   the counts.
3. Their conversations are erased in batches, until there are none. Each of a batch is marked: every other write
   requires `archivedAt` as it was read, which the mark changes. Its thread is deleted. Then the search index is
   rewritten without the customer and the batch, and then the conversations' items are deleted. They remain until then,
   so that a later run can find them.
4. The facts and the customer's row of analytics are deleted. The transaction that finishes the receipt deletes the
   customer.

A run that dies comes back from the queue. The items that are left say what is left to do (docs/decisions/0062).
`deletion.delete_thread` deletes what belongs to a thread. Everything that is removed: docs/guides/privacy.md.
"""

from collections.abc import Sequence
from copy import replace
from enum import StrEnum

from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.conversations import erasure as conversations
from helpdesk.conversations.record import ErasableConversation
from helpdesk.customers import erasure as customer_erasure
from helpdesk.customers.erasure import customers
from helpdesk.customers.record import Customer
from helpdesk.privacy import deletion, repository
from helpdesk.privacy.deletion import OutOfTime
from helpdesk.privacy.service import ErasureJob, job_item_of
from helpdesk.search import service as search
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


class Outcome(StrEnum):
    """The outcome of a run."""

    FINISHED = "finished"
    FINISHED_BEFORE = "finished_before"
    CONTINUES = "continues"
    """The time was over. A new job continues the erasure."""


def erase_customer(organization: str, erasure_id: str, until: int) -> Outcome:
    """Erase the customer of an erasure, until everything is erased or the instant `until` (ms)."""
    erasure = repository.erasures.find(organization, erasure_id)
    if erasure is None or erasure.customer_id is None or erasure.finished_at is not None:
        return Outcome.FINISHED_BEFORE
    customer_id = erasure.customer_id
    found = customers.find(organization, customer_id)
    if found is None:
        return Outcome.FINISHED_BEFORE  # by another worker, just now
    customer = replace(found, session_hash=erasure.session_hash)
    try:
        # Before the search index is rewritten: it has the words of posts, too.
        deletion.delete_board_entries(organization, erasure_id, customer_id, until)
        deletion.delete_reports(organization, customer_id, until)
        batch = deletion.conversations_of(organization, customer)
        _erase_conversations(organization, erasure_id, customer, batch, until)
        # The customer's index lags, and only it has the conversations without a session.
        while batch := deletion.conversations_of(organization, customer):
            _erase_conversations(organization, erasure_id, customer, batch, until)
        deletion.delete_facts(organization, erasure_id, customer_id, until)
    except OutOfTime:
        transaction = Transaction()
        transaction.put(job_item_of(ErasureJob(organization, erasure_id), customer_id), new=True)
        transaction.commit()
        return Outcome.CONTINUES
    return _finish(organization, erasure_id, customer)


def _erase_conversations(
    organization: str,
    erasure_id: str,
    customer: Customer,
    batch: Sequence[ErasableConversation],
    until: int,
) -> None:
    for conversation in batch:
        conversations.mark(organization, conversation.id, erasure_id)
    for conversation in batch:
        deletion.delete_thread(organization, erasure_id, conversation.id, until)
    deletion.require_time(until)
    owners = [customer.id, *customer.merged_from]
    search.forget(organization, owners, [conversation.id for conversation in batch])
    for conversation in batch:
        deletion.delete_conversation(organization, erasure_id, conversation)


def _finish(organization: str, erasure_id: str, customer: Customer) -> Outcome:
    transaction = Transaction()
    customer_erasure.delete_for(transaction, customer, erasure_id)
    # A transaction cannot write an item twice, so finishing the erasure also counts the customer.
    repository.finish(transaction, organization, erasure_id, customers=1)
    transaction.put(
        logs.entry(
            organization,
            LogKind.CUSTOMER_ERASED,
            actor=logs.SYSTEM,
            summary="A customer was erased.",
            customerId=customer.id,
            erasureId=erasure_id,
            step="finished",
        )
    )
    try:
        transaction.commit()
    except ConditionFailed:
        return Outcome.FINISHED_BEFORE
    return Outcome.FINISHED
