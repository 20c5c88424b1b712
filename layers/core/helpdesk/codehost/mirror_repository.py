"""Mirrors and their files as items, and the claim of the worker that syncs one."""

from collections.abc import Callable

from helpdesk.codehost.errors import RepoAlreadyConnected
from helpdesk.codehost.mirror_record import Mirror, MirroredFile, MirrorStatus, hash_of_path, hash_of_repo
from helpdesk.integrations import jobs
from helpdesk.integrations.apps import App
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.platform import clock, ids
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import keys, table
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

SYNC, REMOVE = "sync", "remove_mirror"
CLAIM_MS = 150_000
"""How long a worker may have a sync: longer than its function runs."""
LOST_MS = HOUR_MS
"""How old a sync is that no request waits for any more: its job was given up."""
_PREFIX = "REPOSITORY#"
_AS_READ = "#id = :id AND #job = :seen AND #requested = :before AND claimedUntil = :claimed"


def add(mirror: Mirror, also: Callable[[Transaction], None]) -> None:
    """Add a mirror with its first sync, and `also` what else follows. Raises RepoAlreadyConnected."""
    transaction = Transaction()
    transaction.put(mirror.to_item(), new=True, on_failure=lambda _: RepoAlreadyConnected())
    jobs.put(transaction, sync_job(mirror))
    also(transaction)
    transaction.commit()


def all_of(organization: str) -> list[Mirror]:
    """Return an organization's mirrors. One call."""
    pk = keys.Mirror(organization, _PREFIX.strip("#")).pk
    return [Mirror.from_item(organization, item) for item in table.query_all(pk, sk_prefix=_PREFIX)]


def get(organization: str, repo: str) -> Mirror | None:
    """Return the mirror of a repository, or None."""
    item = table.get(keys.Mirror(organization, hash_of_repo(repo)))
    return None if item is None else Mirror.from_item(organization, item)


def remove(mirror: Mirror, also: Callable[[Transaction], None]) -> None:
    """Remove a mirror, and `also` what else follows; a job deletes its documents.

    A sync that is under way may write more of them, so another job comes when it has ended. Raises ConditionFailed if
    the mirror is another one by now, or its sync another worker's.
    """
    transaction = Transaction()
    transaction.delete(
        mirror.key,
        condition="#id = :id AND claimedUntil = :claimed",
        names={"#id": "id"},
        values={":id": mirror.id, ":claimed": mirror.claimed_until},
        on_failure=ConditionFailed,
    )
    jobs.put(transaction, removal_job(mirror.organization, mirror.id))
    if mirror.claimed_until >= clock.now_ms():
        jobs.put(transaction, removal_job(mirror.organization, mirror.id, due_at=mirror.claimed_until))
    also(transaction)
    transaction.commit()


def request(seen: Mirror) -> None:
    """Ask for a sync. One that is queued or under way looks again before it ends; else one is queued.

    Raises ConditionFailed if the mirror changed since it was read.
    """
    now = clock.now_ms()
    if seen.job is not None and seen.job_at > now - LOST_MS:
        transaction = Transaction()
        transaction.update(
            seen.key,
            "ADD requested :one SET #status = :syncing",
            condition="#id = :id AND #job = :job",
            names={"#status": "status", "#id": "id", "#job": "job"},
            values={":one": 1, ":syncing": MirrorStatus.SYNCING.value, ":id": seen.id, ":job": seen.job},
            on_failure=ConditionFailed,
        )
        transaction.commit()
        return
    _queue(seen, requested=seen.requested + 1)


def configure(seen: Mirror, wanted: Mirror, also: Callable[[Transaction], None]) -> None:
    """Store another branch, path and public address of a mirror, and `also` what else follows, and ask for a sync.

    Raises ConditionFailed if the mirror changed since it was read.
    """
    now = clock.now_ms()
    is_queued = seen.job is not None and seen.job_at > now - LOST_MS
    queued = seen if is_queued else seen.__replace__(job=ids.new("job"), job_at=now, claimed_until=0)
    transaction = Transaction()
    transaction.set(
        seen.key,
        {
            "branch": wanted.branch,
            "path": wanted.path,
            "publishedAt": wanted.published_at,
            "settings": seen.settings + 1,
            "status": MirrorStatus.SYNCING.value,
            "requested": seen.requested + 1,
            "job": queued.job,
            "jobAt": queued.job_at,
            "claimedUntil": queued.claimed_until,
        },
        condition=_AS_READ,
        names={"#id": "id"},
        values=_as_read(seen),
        on_failure=ConditionFailed,
    )
    if not is_queued:
        jobs.put(transaction, sync_job(queued))
    also(transaction)
    transaction.commit()


def _as_read(seen: Mirror) -> dict[str, object]:
    """Return the values of the condition _AS_READ."""
    return {
        ":id": seen.id,
        ":seen": seen.job,
        ":before": seen.requested,
        ":claimed": seen.claimed_until,
    }


def rename(seen: Mirror, repo: str, *, holds: bool) -> None:
    """Give a mirror the new name of its repository, and queue a sync. A claim stays, unless the caller `holds` it.

    Raises RepoAlreadyConnected if the new name is mirrored, ConditionFailed if the mirror changed since it was read.
    """
    renamed = seen.__replace__(
        repo=repo,
        job=ids.new("job"),
        job_at=clock.now_ms(),
        status=MirrorStatus.SYNCING,
        requested=seen.requested + 1,
        claimed_until=0 if holds else seen.claimed_until,
    )
    transaction = Transaction()
    transaction.delete(
        seen.key,
        condition=_AS_READ,
        names={"#id": "id", "#job": "job", "#requested": "requested"},
        values=_as_read(seen),
        on_failure=ConditionFailed,
    )
    transaction.put(renamed.to_item(), new=True, on_failure=lambda _: RepoAlreadyConnected())
    jobs.put(transaction, sync_job(renamed))
    transaction.commit()


def claim(organization: str, repo: str, mirror_id: str, job_id: str) -> Mirror | None:
    """Claim a sync and return its mirror; None if there is nothing to do. Raises ConditionFailed if it is claimed."""
    now = clock.now_ms()
    try:
        item = table.update(
            keys.Mirror(organization, hash_of_repo(repo)),
            "SET claimedUntil = :until, jobAt = :now",
            condition="#id = :id AND #job = :job AND claimedUntil < :now",
            names={"#id": "id", "#job": "job"},
            values={":until": now + CLAIM_MS, ":now": now, ":id": mirror_id, ":job": job_id},
            returning="ALL_NEW",
        )
    except ConditionFailed as failed:
        if failed.item is None or (failed.item["id"], failed.item["job"]) != (mirror_id, job_id):
            return None
        raise
    return Mirror.from_item(organization, item)


def release(mirror: Mirror) -> None:
    """Give up the claim of a sync that is put off."""
    try:
        table.update(
            mirror.key,
            "SET claimedUntil = :free",
            condition="#id = :id AND #job = :job",
            names={"#id": "id", "#job": "job"},
            values={":free": 0, ":id": mirror.id, ":job": mirror.job},
        )
    except ConditionFailed:
        return


def end(mirror: Mirror) -> bool:
    """Store what a sync came to; return whether it is over. It is not if another one was asked for meanwhile."""
    values: Item = {
        ":status": mirror.status.value,
        ":problem": mirror.problem,
        ":documents": mirror.documents,
        ":commit": mirror.commit,
        ":repo": mirror.repo_id,
        ":public": mirror.was_public,
        ":now": clock.now_ms(),
        ":null": None,
        ":free": 0,
    }
    try:
        table.update(
            mirror.key,
            "SET #status = :status, problem = :problem, documents = :documents, #commit = :commit, "
            "repoId = :repo, wasPublic = :public, lastSyncAt = :now, #job = :null, claimedUntil = :free",
            condition="#id = :id AND #job = :job AND #requested = :requested",
            names={
                "#status": "status",
                "#commit": "commit",
                "#job": "job",
                "#id": "id",
                "#requested": "requested",
            },
            values={**values, ":id": mirror.id, ":job": mirror.job, ":requested": mirror.requested},
        )
    except ConditionFailed:
        return False
    return True


def hand_on(mirror: Mirror) -> None:
    """Queue the rest of a sync. Does nothing if the mirror was removed, or has another job."""

    def attempt() -> None:
        seen = get(mirror.organization, mirror.repo)
        if seen is not None and (seen.id, seen.job) == (mirror.id, mirror.job):
            _queue(seen, requested=seen.requested)

    repeat_when_stale(attempt, ConditionFailed)


def _queue(mirror: Mirror, *, requested: int) -> None:
    """Queue a sync in the place of the one that was read. Raises ConditionFailed if the mirror changed."""
    queued = mirror.__replace__(job=ids.new("job"))
    changed = {
        "job": queued.job,
        "jobAt": clock.now_ms(),
        "claimedUntil": 0,
        "status": MirrorStatus.SYNCING.value,
        "requested": requested,
    }
    transaction = Transaction()
    transaction.set(
        mirror.key,
        changed,
        condition="#id = :id AND #job = :seen AND #requested = :before",
        names={"#id": "id"},
        values={":id": mirror.id, ":seen": mirror.job, ":before": mirror.requested},
        on_failure=ConditionFailed,
    )
    jobs.put(transaction, sync_job(queued))
    transaction.commit()


def sync_job(mirror: Mirror) -> IntegrationJob:
    """Return the job of a mirror's sync."""
    data = {"repo": mirror.repo, "mirrorId": mirror.id, "jobId": mirror.job}
    return IntegrationJob(kind=SYNC, app=App.CODEHOST, organization=mirror.organization, data=data)


def removal_job(organization: str, mirror_id: str, *, due_at: int | None = None) -> IntegrationJob:
    """Return the job that deletes what a removed mirror had, at an instant (ms) if one is given."""
    data = {"mirrorId": mirror_id}
    return IntegrationJob(kind=REMOVE, app=App.CODEHOST, organization=organization, data=data, due_at=due_at)


def files(organization: str, mirror_id: str) -> list[MirroredFile]:
    """Return a mirror's files, 5,000 at most: one call for a megabyte of them."""
    pk = keys.MirroredFile(organization, mirror_id, "0").pk
    return [MirroredFile.from_item(item) for item in table.query_all(pk, sk_prefix="FILE#")]


def put_file(transaction: Transaction, organization: str, mirror_id: str, file: MirroredFile) -> None:
    """Add a file, or replace what is stored of it."""
    transaction.put(file.to_item(organization, mirror_id))


def delete_file(transaction: Transaction, organization: str, mirror_id: str, path: str) -> None:
    """Delete a file."""
    transaction.delete(keys.MirroredFile(organization, mirror_id, hash_of_path(path)))
