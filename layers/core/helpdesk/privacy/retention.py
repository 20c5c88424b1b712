"""Erases conversations that are older than an organization's retention period (`retentionDays`).

A daily run creates one job for each organization with a retention period. A sparse index lists these organizations, so
others cost nothing. The job erases conversations whose last message is older, in any state, and customers who have
nothing newer, in the same steps as the erasure of a customer (`erasing`).
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import batched

from helpdesk.accounts.organizations import service as organizations
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.board import erasure as board
from helpdesk.conversations import erasure as conversations
from helpdesk.conversations.messages import visitors
from helpdesk.conversations.record import ErasableConversation
from helpdesk.customers import erasure as customer_erasure
from helpdesk.customers.erasure import customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.record import Customer
from helpdesk.platform import clock, ids
from helpdesk.platform.logging import log_unreadable
from helpdesk.platform.units import DAY_MS, DAY_SECONDS
from helpdesk.privacy import deletion, repository
from helpdesk.privacy.deletion import OutOfTime
from helpdesk.privacy.erasing import Outcome
from helpdesk.privacy.record import Erasure
from helpdesk.privacy.service import RetentionJob, job_item_of
from helpdesk.search import service as search
from helpdesk.signals import erasure as signals
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

RECEIPT_DAYS = 365
_BATCH = 500
"""Conversations that one rewrite removes from the search index."""


def start_daily_jobs(until: int) -> int:
    """Create today's job for each organization that has none yet; return how many were created.

    Stops at the instant `until` (ms).
    """
    created = 0
    day = clock.now_ms() // DAY_MS
    for organization, days in organizations.retaining(day, until):
        if clock.now_ms() >= until:
            break
        try:
            created += _start(organization, days, day * DAY_MS)
        except Exception as error:  # noqa: BLE001 - one organization must not hold up the others
            # The next run of the same day tries it again.
            log_unreadable({"organization": organization}, error)
    return created


def apply(organization: str, erasure_id: str, until: int) -> Outcome:
    """Erase what exceeds the retention period, until everything is erased or the instant `until` (ms)."""
    erasure = repository.erasures.find(organization, erasure_id)
    if erasure is None or erasure.before is None or erasure.finished_at is not None:
        return Outcome.FINISHED_BEFORE
    days = organizations.get(organization).retention_days
    if days is not None:  # otherwise retention was switched off since
        before = min(erasure.before, clock.now_ms() - days * DAY_MS)
        try:
            for found in batched(_marked(organization, erasure_id, before, until), _BATCH, strict=False):
                _erase(organization, erasure_id, before, found, until)
        except OutOfTime:
            transaction = Transaction()
            work = job_item_of(RetentionJob(organization, erasure_id), organization)
            transaction.put(work, new=True)
            transaction.commit()
            return Outcome.CONTINUES
    return _finish(organization, erasure_id, days)


def _start(organization: str, days: int, day_at: int) -> bool:
    """Create the job of a day, unless it exists; return whether it was created."""
    # Every run of the same day derives the same id, so the job is created once.
    digest = hashlib.sha256(f"retention {organization}".encode()).digest()[:10]
    erasure_id = f"ers_{ids.ulid(day_at, int.from_bytes(digest))}"
    transaction = Transaction()
    now = clock.now_ms()
    erasure = Erasure(
        organization=organization,
        id=erasure_id,
        requested_at=now,
        before=now - days * DAY_MS,
        expires_at=clock.seconds_from_now(RECEIPT_DAYS * DAY_SECONDS),
    )
    transaction.put(erasure, new=True, on_failure=ConditionFailed)
    transaction.put(job_item_of(RetentionJob(organization, erasure_id), organization), new=True)
    try:
        transaction.commit()
    except ConditionFailed:
        return False
    return True


def _marked(organization: str, erasure_id: str, before: int, until: int) -> Iterator[ErasableConversation]:
    """Yield the conversations that are old enough. Each is marked right before."""
    for conversation in conversations.quiet(organization, before):
        deletion.require_time(until)
        if conversations.mark(organization, conversation.id, erasure_id, before):
            yield conversation


def _erase(
    organization: str, erasure_id: str, before: int, found: Sequence[ErasableConversation], until: int
) -> None:
    for conversation in found:
        deletion.delete_thread(organization, erasure_id, conversation.id, until)
    deletion.require_time(until)
    marked: list[tuple[Customer, str]] = []
    for customer_id in dict.fromkeys(conversation.customer_id for conversation in found):
        marked_now = _mark_if_nothing_is_left(organization, erasure_id, customer_id, before)
        if marked_now is not None:
            deletion.delete_facts(organization, erasure_id, customer_id, until)
            # Of a vote, post or comment right before the mark.
            deletion.delete_board_entries(organization, erasure_id, customer_id, until)
            deletion.delete_reports(organization, customer_id, until)
            marked.append(marked_now)
    gone = [each for customer, _ in marked for each in (customer.id, *customer.merged_from)]
    search.forget(organization, gone, [conversation.id for conversation in found])
    for customer, mark in marked:
        _delete_customer(organization, erasure_id, customer, mark)
    for conversation in found:
        signals.forget_conversation(organization, conversation.customer_id, conversation.id)
        deletion.delete_conversation(organization, erasure_id, conversation)


def _mark_if_nothing_is_left(
    organization: str, erasure_id: str, customer_id: str, before: int
) -> tuple[Customer, str] | None:
    """Mark a customer who has nothing newer than `before` (ms).

    Return them and the id of the erasure that marked them, of this or an earlier day. None if they stay, or if a
    request erases them.
    """
    customer = customers.find(organization, customer_id)
    if customer is None:
        return None
    if customer.erasing is not None:
        # A customer whom an earlier run marked is erased here. A requested erasure runs on its own.
        started = repository.erasures.find(organization, customer.erasing)
        is_ours = started is not None and started.customer_id is None
        return (customer, customer.erasing) if is_ours else None
    if not _mark_unchanged(organization, erasure_id, customer, before):
        return None
    return customer, erasure_id


def _mark_unchanged(organization: str, erasure_id: str, customer: Customer, before: int) -> bool:
    # Read the session before the conversations: a message that starts a conversation afterwards changes the session.
    session_hash = customer.session_hash
    session = visitors.sessions.find(organization, session_hash) if session_hash else None
    left = deletion.conversations_of(organization, customer)
    if customer.updated_at >= before or any(not conversation.erasing for conversation in left):
        return False
    if board.is_there(organization, customer.id):
        return False  # their posts, votes and comments are no conversations: they stay
    transaction = Transaction()
    customer_erasure.mark(transaction, customer, erasure_id, unchanged=True)
    if session is not None and session_hash is not None:
        visitors.delete_session(transaction, organization, customer.id, session_hash, session)
    try:
        transaction.commit()
    except (ConditionFailed, CustomerNotFound):
        return False  # the customer has just come back, or a request erases them
    return True


def _delete_customer(organization: str, erasure_id: str, customer: Customer, mark: str) -> None:
    transaction = Transaction()
    customer_erasure.delete_for(transaction, customer, mark)
    repository.count(transaction, organization, erasure_id, customers=1)
    try:
        transaction.commit()
    except ConditionFailed:
        return  # another worker has deleted and counted them


def _finish(organization: str, erasure_id: str, days: int | None) -> Outcome:
    counts = repository.erasures.get(organization, erasure_id).counts
    transaction = Transaction()
    repository.finish(transaction, organization, erasure_id)
    period = "no retention period" if days is None else f"retention period: {days} days"
    transaction.put(
        logs.entry(
            organization,
            LogKind.RETENTION_APPLIED,
            actor=logs.SYSTEM,
            summary=f"Retention applied ({period}): {counts.conversations} conversations were erased.",
            erasureId=erasure_id,
            **counts.by_kind(),
        )
    )
    try:
        transaction.commit()
    except ConditionFailed:
        return Outcome.FINISHED_BEFORE
    return Outcome.FINISHED
