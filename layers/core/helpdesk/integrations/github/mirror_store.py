"""Mirrors of repositories and their files as they are stored, and the claim of the worker that syncs one."""

from collections.abc import Callable
from enum import StrEnum

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations.errors import RepoAlreadyConnected
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import table
from helpdesk.storage.changes import below
from helpdesk.storage.collection import Collection
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_HASH_CHARACTERS = 40


class MirrorStatus(StrEnum):
    """What the latest sync came to."""

    SYNCING = "syncing"
    SYNCED = "synced"
    FAILED = "failed"


class Mirror(Stored, kw_only=True):
    """A mirrored repository, stored by the hash of its name, so that it is mirrored once.

    id            of this mirror; mirroring the repository again makes another one
    branch        None for the default branch
    path          the folder, without slashes around it; None for the whole tree
    published_at  the public address of the files, without a slash at its end
    documents     how many files are documents
    commit        the commit that was mirrored last
    repo_id       the repository's id at GitHub, which a rename keeps; None until the first sync
    was_public    whether a sync found the repository public
    claimed_until until when a worker has the sync (ms)
    requested     counts the requests for a sync, so that one that comes during a sync is not lost
    job           the sync that is under way or queued; None if nothing is to be done
    settings      counts the changes of branch, path and published_at
    """

    PK, SK = "ORG#{organization}#INTEGRATION", "REPOSITORY#{repo_hash}"
    organization: str
    id: str
    repo: str
    branch: str | None = None
    path: str | None = None
    published_at: str | None = None
    status: MirrorStatus
    problem: str | None = None
    documents: int
    commit: str | None = None
    last_sync_at: int | None = None
    requested: int
    job: str | None = None
    job_at: int
    repo_id: int | None = None
    claimed_until: int = 0
    was_public: bool = False
    settings: int = 0

    @property
    def repo_hash(self) -> str:
        """What it is stored by."""
        return hash_of_repo(self.repo)

    @property
    def owner(self) -> str:
        """The account that has the repository."""
        return self.repo.partition("/")[0]


class MirroredFile(Stored, kw_only=True):
    """A file of a mirror, stored by the hash of its path.

    sha          Git's name of its content
    document_id  its document; None where it is none
    by_name      whether nothing in the file gives its title, so that another path may give another one
    settings     the mirror's when the document got its addresses
    """

    PK, SK = "ORG#{organization}#REPOSITORY#{mirror_id}", "FILE#{path_hash}"
    organization: str
    mirror_id: str
    path: str
    sha: str
    document_id: str | None = None
    by_name: bool = False
    settings: int = 0

    @property
    def path_hash(self) -> str:
        """What it is stored by, in which case counts."""
        return sha256_hex(self.path)[:_HASH_CHARACTERS]


def hash_of_repo(name: str) -> str:
    """Return what a repository is stored by, by its name, in which case does not count."""
    return sha256_hex(name.lower())[:_HASH_CHARACTERS]


mirrors = Collection(Mirror)
files = Collection(MirroredFile)


SYNC, REMOVE = "sync", "remove_mirror"
CLAIM_MS = 150_000
"""How long a worker may have a sync: longer than its function runs."""
LOST_MS = HOUR_MS
"""How old a sync is that no request waits for any more: its job was given up."""


def add(mirror: Mirror, extra_writes: Callable[[Transaction], None]) -> None:
    """Add a mirror with its first sync, and extra writes. Raises RepoAlreadyConnected."""
    transaction = Transaction()
    transaction.put(mirror, new=True, on_failure=RepoAlreadyConnected())
    jobs.put(transaction, sync_job(mirror))
    extra_writes(transaction)
    transaction.commit()


def find(organization: str, repo: str) -> Mirror | None:
    """Return the mirror of a repository, or None."""
    return mirrors.find(organization, hash_of_repo(repo))


def remove(mirror: Mirror, extra_writes: Callable[[Transaction], None]) -> None:
    """Remove a mirror, with extra writes; a job deletes its documents.

    A sync that is under way may write more of them, so another job comes when it has ended. Raises ConditionFailed if
    the mirror is another one by now, or its sync another worker's.
    """
    transaction = Transaction()
    transaction.delete(
        mirror.key,
        require={"id": mirror.id, "claimed_until": mirror.claimed_until},
        on_failure=ConditionFailed,
    )
    jobs.put(transaction, removal_job(mirror.organization, mirror.id))
    if mirror.claimed_until >= clock.now_ms():
        jobs.put(transaction, removal_job(mirror.organization, mirror.id, due_at=mirror.claimed_until))
    extra_writes(transaction)
    transaction.commit()


def request(seen: Mirror) -> None:
    """Ask for a sync. One that is queued or under way looks again before it ends; else one is queued.

    Raises ConditionFailed if the mirror changed since it was read.
    """
    if not _is_queued(seen):
        _queue(seen, requested=seen.requested + 1)
        return
    transaction = Transaction()
    transaction.change(
        seen.key,
        set={"status": MirrorStatus.SYNCING},
        add={"requested": 1},
        require={"id": seen.id, "job": seen.job},
        on_failure=ConditionFailed,
    )
    transaction.commit()


def configure(seen: Mirror, wanted: Mirror, extra_writes: Callable[[Transaction], None]) -> None:
    """Store another branch, path and public address of a mirror, with extra writes, and ask for a sync.

    Raises ConditionFailed if the mirror changed since it was read.
    """
    changed = wanted.__replace__(
        settings=seen.settings + 1, status=MirrorStatus.SYNCING, requested=seen.requested + 1
    )
    if not _is_queued(seen):
        changed = changed.__replace__(job=ids.new("job"), job_at=clock.now_ms(), claimed_until=0)
    transaction = Transaction()
    transaction.save(seen, changed, require=_as_read(seen), on_failure=ConditionFailed)
    if changed.job != seen.job:
        jobs.put(transaction, sync_job(changed))
    extra_writes(transaction)
    transaction.commit()


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
    transaction.delete(seen.key, require=_as_read(seen), on_failure=ConditionFailed)
    transaction.put(renamed, new=True, on_failure=RepoAlreadyConnected())
    jobs.put(transaction, sync_job(renamed))
    transaction.commit()


def claim(organization: str, repo: str, mirror_id: str, job_id: str) -> Mirror | None:
    """Claim a sync and return its mirror; None if there is nothing to do. Raises ConditionFailed if it is claimed."""
    now = clock.now_ms()
    try:
        item = table.change(
            Mirror.key_for(organization, hash_of_repo(repo)),
            set={"claimed_until": now + CLAIM_MS, "job_at": now},
            require={"id": mirror_id, "job": job_id, "claimed_until": below(now)},
            returning="ALL_NEW",
        )
    except ConditionFailed as failed:
        seen = None if failed.item is None else Mirror.from_item(failed.item)
        if seen is None or (seen.id, seen.job) != (mirror_id, job_id):
            return None
        raise
    return Mirror.from_item(item)


def release(mirror: Mirror) -> None:
    """Give up the claim of a sync that is put off."""
    _change_own(mirror, {"claimed_until": 0})


def end(mirror: Mirror) -> bool:
    """Store what a sync came to; return whether it is over. It is not if another one was asked for meanwhile."""
    results = ("status", "problem", "documents", "commit", "repo_id", "was_public")
    ended = {"last_sync_at": clock.now_ms(), "job": None, "claimed_until": 0}
    return _change_own(
        mirror, {name: getattr(mirror, name) for name in results} | ended, requested=mirror.requested
    )


def hand_on(mirror: Mirror) -> None:
    """Queue the rest of a sync. Does nothing if the mirror was removed, or has another job."""

    def attempt() -> None:
        seen = find(mirror.organization, mirror.repo)
        if seen is not None and (seen.id, seen.job) == (mirror.id, mirror.job):
            _queue(seen, requested=seen.requested)

    repeat_when_stale(attempt, ConditionFailed)


def sync_job(mirror: Mirror) -> IntegrationJob:
    """Return the job of a mirror's sync."""
    data = {"repo": mirror.repo, "mirrorId": mirror.id, "jobId": mirror.job}
    return IntegrationJob(kind=SYNC, app=App.GITHUB, organization=mirror.organization, data=data)


def removal_job(organization: str, mirror_id: str, *, due_at: int | None = None) -> IntegrationJob:
    """Return the job that deletes what a removed mirror had, at an instant (ms) if one is given."""
    data = {"mirrorId": mirror_id}
    return IntegrationJob(kind=REMOVE, app=App.GITHUB, organization=organization, data=data, due_at=due_at)


def _is_queued(seen: Mirror) -> bool:
    return seen.job is not None and seen.job_at > clock.now_ms() - LOST_MS


def _as_read(seen: Mirror) -> dict[str, object]:
    """Return what holds as long as nobody asked for another sync, or claimed one."""
    return {
        "id": seen.id,
        "job": seen.job,
        "requested": seen.requested,
        "claimed_until": seen.claimed_until,
    }


def _queue(mirror: Mirror, *, requested: int) -> None:
    """Queue a sync in the place of the one that was read. Raises ConditionFailed if the mirror changed."""
    queued = mirror.__replace__(
        job=ids.new("job"),
        job_at=clock.now_ms(),
        claimed_until=0,
        status=MirrorStatus.SYNCING,
        requested=requested,
    )
    transaction = Transaction()
    # A claim that has ended meanwhile is no reason to read again.
    required = {name: value for name, value in _as_read(mirror).items() if name != "claimed_until"}
    transaction.save(mirror, queued, require=required, on_failure=ConditionFailed)
    jobs.put(transaction, sync_job(queued))
    transaction.commit()


def _change_own(mirror: Mirror, values: dict[str, object], **required: object) -> bool:
    """Change a mirror whose sync the caller has; return whether it still has it."""
    try:
        table.change(mirror.key, set=values, require={"id": mirror.id, "job": mirror.job, **required})
    except ConditionFailed:
        return False
    return True
