"""A mirrored repository, its files, and how both are stored."""

from enum import StrEnum
from typing import Self

from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record
from helpdesk.storage import attributes, keys
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.table import Item

_HASH_CHARACTERS = 40


class MirrorStatus(StrEnum):
    """What the latest sync came to."""

    SYNCING = "syncing"
    SYNCED = "synced"
    FAILED = "failed"


class Mirror(Record, kw_only=True):
    """A mirrored repository.

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

    organization: str
    id: str
    repo: str
    branch: str | None
    path: str | None
    published_at: str | None
    status: MirrorStatus
    problem: str | None
    documents: int
    commit: str | None
    last_sync_at: int | None
    requested: int
    job: str | None
    job_at: int
    repo_id: int | None = None
    claimed_until: int = 0
    was_public: bool = False
    settings: int = 0

    @property
    def key(self) -> keys.Mirror:
        """The key of its item."""
        return keys.Mirror(self.organization, hash_of_repo(self.repo))

    @property
    def owner(self) -> str:
        """The account that has the repository."""
        return self.repo.partition("/")[0]

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read a mirror's item. Raises UnreadableItem."""
        try:
            status = MirrorStatus(attributes.text(item, "status"))
        except ValueError:
            raise UnreadableItem("status") from None
        return cls(
            organization=organization,
            id=attributes.text(item, "id"),
            repo=attributes.text(item, "repo"),
            branch=attributes.optional_text(item, "branch"),
            path=attributes.optional_text(item, "path"),
            published_at=attributes.optional_text(item, "publishedAt"),
            status=status,
            problem=attributes.optional_text(item, "problem"),
            documents=attributes.number(item, "documents"),
            commit=attributes.optional_text(item, "commit"),
            last_sync_at=attributes.optional_number(item, "lastSyncAt"),
            requested=attributes.number(item, "requested"),
            job=attributes.optional_text(item, "job"),
            job_at=attributes.number(item, "jobAt"),
            repo_id=attributes.optional_number(item, "repoId"),
            claimed_until=attributes.number(item, "claimedUntil"),
            was_public=bool(item.get("wasPublic")),
            settings=int(item.get("settings", 0)),
        )

    def to_item(self) -> Item:
        """Return the mirror's item."""
        return {
            **self.key.attributes(),
            "id": self.id,
            "repo": self.repo,
            "branch": self.branch,
            "path": self.path,
            "publishedAt": self.published_at,
            "status": self.status.value,
            "problem": self.problem,
            "documents": self.documents,
            "commit": self.commit,
            "lastSyncAt": self.last_sync_at,
            "requested": self.requested,
            "job": self.job,
            "jobAt": self.job_at,
            "repoId": self.repo_id,
            "claimedUntil": self.claimed_until,
            "wasPublic": self.was_public,
            "settings": self.settings,
        }


class MirroredFile(Record):
    """A file as it was mirrored: its path, Git's name of its content, and its document; None where it is none.

    `by_name` says that nothing in the file gives its title, so that another path may give another one. `settings` is
    the mirror's when the document got its addresses.
    """

    path: str
    sha: str
    document_id: str | None
    by_name: bool = False
    settings: int = 0

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a file's item. Raises UnreadableItem."""
        return cls(
            attributes.text(item, "path"),
            attributes.text(item, "sha"),
            attributes.optional_text(item, "documentId"),
            attributes.flag(item, "byName"),
            int(item.get("settings", 0)),
        )

    def to_item(self, organization: str, mirror_id: str) -> Item:
        """Return the file's item."""
        return {
            **keys.MirroredFile(organization, mirror_id, hash_of_path(self.path)).attributes(),
            "path": self.path,
            "sha": self.sha,
            "documentId": self.document_id,
            "byName": self.by_name,
            "settings": self.settings,
        }


def hash_of_repo(name: str) -> str:
    """Return what a repository is stored by, by its name, in which case does not count."""
    return sha256_hex(name.lower())[:_HASH_CHARACTERS]


def hash_of_path(path: str) -> str:
    """Return what a file is stored by, by its path, in which case counts."""
    return sha256_hex(path)[:_HASH_CHARACTERS]
