"""A merged signal: its tombstone, and what it had, which moves in batches to the signal that it was merged into.

A signal with thousands of reporters does not fit one transaction. The first one makes the tombstone. From then on
nothing is added to it, so its rows only become fewer. Each batch is a transaction that requires both signals as they
were read, so counts equal rows at every moment, and a repeated batch moves nothing twice. Where the target was merged
meanwhile, the rows go to its own target (docs/decisions/0138).
"""

from collections.abc import Sequence
from copy import replace

from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.events import integration_jobs as integrations
from helpdesk.events.outbox import Job
from helpdesk.platform import clock
from helpdesk.search import jobs as search
from helpdesk.signals import erasure, images, jobs, repository, service, titles
from helpdesk.signals.jobs import JobKind, SignalJob
from helpdesk.signals.record import Commit, Reporter, Signal, SignalStatus, StaleSignal
from helpdesk.signals.reporting import latest
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import Conflict, repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

BATCH = 30
"""Reporters in a transaction, which has 100 actions: three for each, and two for the signals."""
_COMMITS = 45  # two actions each


find = repository.signals.find
"""Return a signal, also one that was merged; None if there is none."""


def begin(
    transaction: Transaction,
    survivor: Signal,
    duplicate: Signal,
    actor: ActorName | None,
    *,
    status: SignalStatus,
    task_id: str | None,
) -> None:
    """Add to a transaction that a signal is merged into another, with the job that moves what it had.

    `status` and `task_id` are the status and the card that the other one has then. The duplicate's titles become
    aliases. Its issues in the tracker and the code host are the other one's where that has none. The transaction raises
    StaleSignal.
    """
    changed = replace(survivor.with_status(status), task_id=task_id)
    if changed.status is not survivor.status:
        changed = replace(changed, quiet=changed.status is SignalStatus.DONE and duplicate.quiet)
    now = clock.now_ms()
    transaction.save(
        survivor,
        replace(
            changed,
            codehost=survivor.codehost or duplicate.codehost,
            tracker=survivor.tracker or duplicate.tracker,
            aliases=titles.joined(survivor.title, survivor.aliases, duplicate.titles),
            updated_at=now,
            updated_by_name=actor,
        ),
        on_failure=StaleSignal,
    )
    transaction.save(
        duplicate,
        replace(
            duplicate,
            merged_into=survivor.id,
            moving=True,
            task_id=None,
            codehost=None,
            tracker=None,
            updated_at=now,
            updated_by_name=actor,
        ),
        on_failure=StaleSignal,
    )
    search.put(transaction, search.signal(duplicate.organization, duplicate.id))
    jobs.put(transaction, job(duplicate))
    if duplicate.codehost is not None or duplicate.tracker is not None:
        jobs.put(transaction, integrations.signal_job(duplicate.organization, duplicate.id, filed=False))


def job(tombstone: Signal) -> Job:
    """Return the job that moves what a merged signal had."""
    return SignalJob(kind=JobKind.MERGE, organization=tombstone.organization, signal_id=tombstone.id).to_job()


def move_batch(organization: str, tombstone_id: str) -> bool:
    """Move the next reporters, commits or titles of a merged signal; return whether nothing is left.

    Raises Conflict where others change the same signals all the time.
    """

    def attempt() -> bool:
        tombstone = repository.signals.find(organization, tombstone_id)
        if tombstone is None or tombstone.merged_into is None:
            return True
        if not tombstone.moving:
            return True
        target = service.survivor(organization, tombstone.merged_into)
        if tombstone.reporter_count:
            _move_reporters(tombstone, target)
        elif tombstone.commit_count:
            _move_commits(tombstone, target)
        else:
            return _move_titles(tombstone, target)
        return False

    return repeat_when_stale(attempt, ConditionFailed)


def finish(organization: str, tombstone_id: str) -> bool:
    """Send signal.updated for the signal that a merged one moved to, once; return whether this call did.

    Its reporters are notified if it is done, and the posts under it follow its status. Raises Conflict.
    """

    def attempt() -> bool:
        tombstone = repository.signals.find(organization, tombstone_id)
        if tombstone is None or tombstone.merged_into is None or not tombstone.moving:
            return False
        if tombstone.reporter_count or tombstone.commit_count:
            raise Conflict
        target = service.survivor(organization, tombstone.merged_into)
        transaction = Transaction()
        transaction.save(tombstone, replace(tombstone, moving=False), on_failure=StaleSignal)
        follows = SignalJob(
            kind=JobKind.STATUS,
            organization=organization,
            signal_id=target.id,
            notify=target.status is SignalStatus.DONE and not target.quiet,
        )
        service.add_change(
            transaction,
            target,
            target,
            tombstone.updated_by_name,
            jobs=(search.signal(organization, target.id), follows.to_job()),
        )
        transaction.commit()
        return True

    return repeat_when_stale(attempt, ConditionFailed)


def _move_reporters(tombstone: Signal, target: Signal) -> None:
    found, _ = repository.reporters_by_id(tombstone.organization, tombstone.id, BATCH, None)
    try:
        _move(tombstone, target, found)
    except CustomerNotFound:
        # One of them is being erased. That erasure finds no row that moved away, so the row ends here.
        for each in found:
            try:
                _move(tombstone, target, [each])
            except CustomerNotFound:
                erasure.forget(tombstone.organization, each)
            tombstone = repository.signals.find(tombstone.organization, tombstone.id) or tombstone
            target = service.survivor(target.organization, target.id)


def _move(tombstone: Signal, target: Signal, found: Sequence[Reporter]) -> None:
    there = repository.reporters.by_ids(target.organization, target.id, ids=[each.id for each in found])
    transaction = Transaction()
    for each in found:
        moved = replace(
            each,
            signal_id=target.id,
            merged_from=(*each.merged_from, tombstone.id),
            merged_at=tombstone.updated_at,
        )
        repository.delete_reporter(transaction, each)
        seen = there.get(each.id)
        if seen is None:
            repository.put_reporter(transaction, moved)
        else:
            repository.save_reporter(transaction, seen, _joined(seen, moved))
        if each.customer_id is not None:
            customers.require(transaction, each.organization, each.customer_id)
    repository.count(transaction, tombstone, reporters=-len(found))
    repository.count(transaction, target, reporters=len(found) - len(there))
    transaction.commit()


def _joined(seen: Reporter, moved: Reporter) -> Reporter:
    """Return the reporter of both signals: what they said of the one that stays comes first, and whether they know.

    What they reported since they were notified is news again, and the later report says which fix it is about.
    """
    known = {each.conversation_id for each in seen.conversations}
    added = tuple(each for each in moved.conversations if each.conversation_id not in known)
    last = max(seen.last_reported_at, moved.last_reported_at)
    return replace(
        seen,
        again_at=last if last > seen.reported_at else None,
        notified_at=None if seen.notified_at is not None and last > seen.notified_at else seen.notified_at,
        conversations=latest((*seen.conversations, *added)),
        quote=seen.quote or moved.quote,
        quoted_in=seen.quoted_in if seen.quote else moved.quoted_in,
        images=images.merged(seen.images, moved.images),
        merged_from=(*seen.merged_from, *moved.merged_from),
        merged_at=moved.merged_at if moved.last_reported_at >= seen.last_reported_at else seen.merged_at,
    )


def _move_commits(tombstone: Signal, target: Signal) -> None:
    found = repository.commits.page(
        tombstone.organization, tombstone.id, limit=_COMMITS, consistent=True
    ).records
    known = {each.id for each in repository.commits.all(target.organization, target.id)}
    transaction = Transaction()
    added: list[Commit] = []
    for each in found:
        transaction.delete(each.key, require={}, on_failure=ConditionFailed)
        if each.id not in known:
            added.append(each)
            moved = replace(each, signal_id=target.id)
            transaction.put(moved, new=True, on_failure=ConditionFailed)
    repository.count(transaction, tombstone, commits=-len(found))
    repository.count(transaction, target, commits=len(added))
    transaction.commit()


def _move_titles(tombstone: Signal, target: Signal) -> bool:
    """Give the titles that still lead to a merged signal to its target; return whether none is left."""
    owners = repository.owners(tombstone.organization, tombstone.titles)
    left = [each for each in tombstone.titles if owners.get(titles.key_of(each)) == tombstone.id]
    kept = {titles.folded(each) for each in target.titles}
    transaction = Transaction()
    for title in left[:_COMMITS]:
        if titles.folded(title) in kept:
            repository.pass_title(transaction, tombstone.organization, title, tombstone.id, target.id)
        else:
            repository.release_title(transaction, tombstone.organization, title, tombstone.id)
    if transaction:
        transaction.require(target.key, {"version": target.version}, on_failure=StaleSignal)
        transaction.commit()
    return len(left) <= _COMMITS
