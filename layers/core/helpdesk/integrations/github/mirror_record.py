"""Mirrored repositories and their files."""

from enum import StrEnum

from helpdesk.platform.digest import sha256_hex
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored

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
