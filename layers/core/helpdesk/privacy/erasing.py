"""The eraser's work on a customer, which may end anywhere and be begun again, or twice at once.

The order is what makes others lose against it:

1. The request has marked the customer and removed the session: nobody adds anything to the customer any more.
2. Each conversation is marked: every write to it requires `archivedAt` as it was read, which now is another.
3. Each thread is emptied, then the index of words is rewritten without the customer and the conversations. The items of
   the conversations stay until then: they are how a later run knows which they were.
4. The conversations' items go, then the facts, and last the customer's item, in the transaction that finishes the
   receipt.
"""

from enum import StrEnum

from helpdesk.logs import service as logs
from helpdesk.logs.schemas import LogKind
from helpdesk.privacy import repository, service, thread_deletion
from helpdesk.privacy.thread_deletion import OutOfTime
from helpdesk.search import service as search
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


class Outcome(StrEnum):
    """What became of a run."""

    FINISHED = "finished"
    FINISHED_BEFORE = "finished_before"
    CONTINUES = "continues"
    """The time was over; another job was left behind."""


def erase_customer(organization: str, erasure_id: str, until: int) -> Outcome:
    """Erase the customer of an erasure, until all is done or the instant `until` (ms) has come."""
    erasure = repository.find(organization, erasure_id)
    if erasure is None or erasure["finishedAt"] is not None:
        return Outcome.FINISHED_BEFORE
    customer_id = str(erasure["customerId"])
    customer = repository.customer(organization, customer_id)
    if customer is None:
        return Outcome.FINISHED_BEFORE  # by another worker, at this moment
    owner = {**customer, "sessionHash": erasure.get("sessionHash")}
    try:
        conversations = repository.conversations_of(organization, owner)
        _erase_conversations(organization, erasure_id, customer_id, conversations, until)
        # The index by customer, where one without a session is found, follows a moment late.
        while conversations := repository.conversations_of(organization, owner):
            _erase_conversations(organization, erasure_id, customer_id, conversations, until)
        thread_deletion.remove_facts(organization, erasure_id, customer_id, until)
    except OutOfTime:
        transaction = Transaction()
        transaction.put(service.work_item(organization, service.CUSTOMER, erasure_id, customer_id), new=True)
        transaction.commit()
        return Outcome.CONTINUES
    return _finish(organization, erasure_id, customer_id)


def _erase_conversations(
    organization: str, erasure_id: str, customer_id: str, conversations: list[Item], until: int
) -> None:
    for item in conversations:
        repository.mark_conversation(organization, item["id"], erasure_id)
    for item in conversations:
        thread_deletion.delete_thread(organization, erasure_id, item["id"], until)
    thread_deletion.require_time(until)
    search.forget(organization, customer_id, [str(item["id"]) for item in conversations])
    for item in conversations:
        thread_deletion.remove_conversation(organization, erasure_id, item)


def _finish(organization: str, erasure_id: str, customer_id: str) -> Outcome:
    transaction = Transaction()
    repository.delete_customer(transaction, organization, customer_id, erasure_id)
    # Two writes of one item cannot be in one transaction: the count is part of what finishes it.
    repository.finish(transaction, organization, erasure_id, customers=1)
    transaction.put(
        logs.entry(
            organization,
            LogKind.CUSTOMER_ERASED,
            actor=logs.SYSTEM,
            summary="A customer was erased.",
            customerId=customer_id,
            erasureId=erasure_id,
            step="finished",
        )
    )
    try:
        transaction.commit()
    except ConditionFailed:
        return Outcome.FINISHED_BEFORE
    return Outcome.FINISHED
