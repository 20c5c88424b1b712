"""Not keeping conversations longer than an organization wants (`retentionDays`).

A nightly run leaves one job behind for each organization that has set it; organizations that have not cost nothing:
those that have stand in a sparse index. The job erases conversations whose last message is older, in whatever state,
and customers of whom nothing younger is left, through the same steps as the erasure of a customer (`erasing`).
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import batched

from helpdesk.customers.errors import CustomerNotFound
from helpdesk.logs import service as logs
from helpdesk.logs.schemas import LogKind
from helpdesk.organizations import service as organizations
from helpdesk.platform import clock, ids
from helpdesk.platform.units import DAY_MS, DAY_SECONDS
from helpdesk.privacy import repository, service, thread_deletion
from helpdesk.privacy.erasing import Outcome
from helpdesk.privacy.thread_deletion import OutOfTime
from helpdesk.search import service as search
from helpdesk.storage import shards
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

RECEIPT_DAYS = 365
_AT_ONCE = 500
"""Conversations that are taken out of the index of words by one rewriting of it."""


def begin_night(until: int) -> int:
    """Have the eraser begin with each organization that has not begun tonight; return how many that were."""
    begun = 0
    night = clock.now_ms() // DAY_MS
    for shard in shards.in_turn(night):
        for item in repository.retaining(shard):
            if clock.now_ms() >= until:
                return begun
            begun += _begin(item["id"], int(item["retentionDays"]), night * DAY_MS)
    return begun


def apply(organization: str, erasure_id: str, until: int) -> Outcome:
    """Erase what an organization wants no longer kept, until all is done or the instant `until` (ms) has come."""
    erasure = repository.find(organization, erasure_id)
    if erasure is None or erasure["finishedAt"] is not None:
        return Outcome.FINISHED_BEFORE
    days = organizations.retention_days(organization)
    if days is not None:  # else it was switched off since
        before = min(int(erasure["before"]), clock.now_ms() - days * DAY_MS)
        try:
            for found in batched(_marked(organization, erasure_id, before, until), _AT_ONCE, strict=False):
                _erase(organization, erasure_id, before, found, until)
        except OutOfTime:
            transaction = Transaction()
            work = service.work_item(organization, service.RETENTION, erasure_id, organization)
            transaction.put(work, new=True)
            transaction.commit()
            return Outcome.CONTINUES
    return _finish(organization, erasure_id, days)


def _begin(organization: str, days: int, night_at: int) -> bool:
    """Leave a job behind, unless one was tonight; return whether it was left."""
    # The same id for whoever begins the same night, so that it is begun once.
    digest = hashlib.sha256(f"retention {organization}".encode()).digest()[:10]
    erasure_id = f"ers_{ids.ulid(night_at, int.from_bytes(digest))}"
    transaction = Transaction()
    values: Item = {
        "customerId": None,
        "before": clock.now_ms() - days * DAY_MS,
        "expiresAt": clock.seconds_from_now(RECEIPT_DAYS * DAY_SECONDS),
    }
    repository.put(transaction, organization, erasure_id, values)
    transaction.put(service.work_item(organization, service.RETENTION, erasure_id, organization), new=True)
    try:
        transaction.commit()
    except ConditionFailed:
        return False
    return True


def _marked(organization: str, erasure_id: str, before: int, until: int) -> Iterator[Item]:
    """Yield the conversations that are old enough, each marked right before."""
    for item in repository.quiet_conversations(organization, before):
        thread_deletion.require_time(until)
        if repository.mark_conversation(organization, item["id"], erasure_id, before):
            yield item


def _erase(organization: str, erasure_id: str, before: int, found: Sequence[Item], until: int) -> None:
    for item in found:
        thread_deletion.delete_thread(organization, erasure_id, item["id"], until)
    thread_deletion.require_time(until)
    gone: dict[str, str] = {}
    for customer_id in dict.fromkeys(str(item["customerId"]) for item in found):
        owner = _left_with_nothing(organization, erasure_id, customer_id, before)
        if owner is not None:
            thread_deletion.remove_facts(organization, erasure_id, customer_id, until)
            gone[customer_id] = str(owner[BEING_ERASED])
    search.forget_many(organization, list(gone), [str(item["id"]) for item in found])
    for customer_id, mark in gone.items():
        _remove_customer(organization, erasure_id, customer_id, mark)
    for item in found:
        thread_deletion.remove_conversation(organization, erasure_id, item)


def _left_with_nothing(organization: str, erasure_id: str, customer_id: str, before: int) -> Item | None:
    """Return a customer who is to be erased, too, marked; None where there is none, or something younger is left."""
    customer = repository.customer(organization, customer_id)
    if customer is None:
        return None
    if BEING_ERASED in customer:
        # By a run of this or another night, which goes on here; who asked for an erasure sees to it by himself.
        begun = repository.find(organization, customer[BEING_ERASED])
        return customer if begun is not None and begun["customerId"] is None else None
    # The session before the conversations: a message that starts one after they are read has changed the session.
    session_hash = customer.get("sessionHash")
    session = repository.session(organization, session_hash) if session_hash else None
    left = repository.conversations_of(organization, customer)
    if customer["updatedAt"] >= before or any(BEING_ERASED not in item for item in left):
        return None
    transaction = Transaction()
    repository.mark_customer(transaction, organization, customer, erasure_id, unchanged=True)
    if session is not None:
        repository.end_session(transaction, organization, customer_id, str(session_hash), session)
    try:
        transaction.commit()
    except (ConditionFailed, CustomerNotFound):
        return None  # they have just come back, or are being erased at somebody's wish
    return {**customer, BEING_ERASED: erasure_id}


def _remove_customer(organization: str, erasure_id: str, customer_id: str, mark: str) -> None:
    transaction = Transaction()
    repository.delete_customer(transaction, organization, customer_id, mark)
    repository.count(transaction, organization, erasure_id, customers=1)
    try:
        transaction.commit()
    except ConditionFailed:
        return  # another worker has removed them, and counted them


def _finish(organization: str, erasure_id: str, days: int | None) -> Outcome:
    counts = repository.get(organization, erasure_id)["counts"]
    transaction = Transaction()
    repository.finish(transaction, organization, erasure_id)
    wanted = "no longer limited" if days is None else f"{days} days"
    transaction.put(
        logs.entry(
            organization,
            LogKind.RETENTION_APPLIED,
            actor=logs.SYSTEM,
            summary=f"Conversations were looked through for those kept long enough ({wanted}): "
            f"{counts['conversations']} were erased.",
            erasureId=erasure_id,
            **counts,
        )
    )
    try:
        transaction.commit()
    except ConditionFailed:
        return Outcome.FINISHED_BEFORE
    return Outcome.FINISHED
