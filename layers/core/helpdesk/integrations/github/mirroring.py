"""Syncs a mirrored repository: one look at the tree, then only what differs.

A sync works in slices and hands on; what is done is stored with each document, so a worker that died costs a repeated
request and never a doubled document. A request for another sync during one makes it look again before it ends.
"""

from collections.abc import Iterator, Mapping
from urllib.parse import quote

from helpdesk.accounts.quotas.errors import KNOWLEDGE_IS_FULL
from helpdesk.integrations import service as integrations
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.errors import MAX_FILES, MAX_IMAGES, NotConnectedNow, Revoked, TryLater
from helpdesk.integrations.github import account_lookup, mirror_store, planning, renaming
from helpdesk.integrations.github import api as github
from helpdesk.integrations.github.api import NotThere, Renamed, Snapshot
from helpdesk.integrations.github.app_identity import GITHUB
from helpdesk.integrations.github.mirror_store import Mirror, MirroredFile, MirrorStatus, files
from helpdesk.integrations.github.planning import Folders
from helpdesk.integrations.record import Connection
from helpdesk.knowledge import checks, images, prose
from helpdesk.knowledge import service as knowledge
from helpdesk.knowledge.documents import Source
from helpdesk.knowledge.errors import (
    BadUrl,
    BodyMissing,
    BodyTooLarge,
    DocumentNotFound,
    FolderNotFound,
    TitleMissing,
)
from helpdesk.knowledge.schemas import SourceKind
from helpdesk.knowledge.service import KEEP, Change, Draft
from helpdesk.platform import clock, ids
from helpdesk.platform.text import is_blank
from helpdesk.storage import table
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from helpdesk_files.paths import page_url
from helpdesk_files.reading import FileText

ARCHIVE_FROM = 60
"""How many files are fetched at once, out of the archive, instead of one by one."""
ARCHIVE_TRIES = 2
"""How often a sync waits for an archive that does not come. Then it fetches the files one by one."""
_CLAIMED_SECONDS = 30
_NO_TEXT = (BodyMissing, BodyTooLarge, TitleMissing)


class _Problem(Exception):
    """The sync ends; the text is for an admin."""


def sync(organization: str, repo: str, mirror_id: str, job_id: str, until: int, *, tries: int) -> str:
    """Do a sync that was put off `tries` times until an instant (ms); return the outcome. Raises TryLater."""
    try:
        mirror = mirror_store.claim(organization, repo, mirror_id, job_id)
    except ConditionFailed:
        raise TryLater("another worker syncs it", _CLAIMED_SECONDS) from None
    if mirror is None:
        return "superseded"
    try:
        return _Sync(mirror, until, waits=tries < ARCHIVE_TRIES).run()
    except TryLater:
        mirror_store.release(mirror)
        raise


def _required(connection: Connection | None, mirror: Mirror) -> Connection:
    if connection is None:
        raise _Problem(f"No connected GitHub account owns {mirror.repo}. Ask an admin to connect it.")
    return connection


def _said(problem: Exception) -> str:
    """Return what an admin reads about a sync that failed."""
    if isinstance(problem, KNOWLEDGE_IS_FULL):
        return f"The knowledge base is full. {problem.message}"
    return "The GitHub account was disconnected." if isinstance(problem, NotConnectedNow) else str(problem)


class _Sync:
    def __init__(self, mirror: Mirror, until: int, *, waits: bool) -> None:
        self._mirror = mirror
        self._waits = waits  # for an archive
        self._until = until
        self._folders = Folders(mirror.organization)
        self._by_name = ActorName(f"Sync of {mirror.repo}")

    def run(self) -> str:
        mirror = self._mirror
        connection = account_lookup.owner_of(mirror.organization, mirror.repo)
        try:
            account = GITHUB.open(_required(connection, mirror))
            listed_until = self._until - (self._until - clock.now_ms()) // 3  # the rest is for the files
            found = github.look(
                account, mirror.repo, mirror.repo_id, mirror.branch, mirror.path, listed_until
            )
            if not self._apply(account, found):
                mirror_store.hand_on(mirror)
                return "handed_on"
        except Renamed as renamed:
            return self._rename_mirror(renamed.number)
        except (NotThere, _Problem, NotConnectedNow, *KNOWLEDGE_IS_FULL) as problem:
            return self._end(MirrorStatus.FAILED, _said(problem), mirror.commit)
        except Revoked as problem:
            if connection is not None:
                integrations.mark_broken(connection, problem)
            return self._end(MirrorStatus.FAILED, str(problem), mirror.commit)
        became_private = found.private and mirror.was_public
        if (
            became_private
            and not (mirror.problem or "").startswith(planning.PRIVATE_PROBLEM)
            and connection is not None
        ):
            integrations.note(connection, f"{mirror.repo} became private, and its documents still answer.")
        left_out = planning.left_out(found, mirror.path, self._without_document(found.long))
        to_know = (
            " ".join(filter(None, [planning.PRIVATE_PROBLEM if became_private else "", left_out])) or None
        )
        was_public = mirror.was_public or not found.private
        return self._end(MirrorStatus.SYNCED, to_know, found.commit, found.repo_id, was_public=was_public)

    def _rename_mirror(self, number: int) -> str:
        """Go on under the name that the repository has by now, or say why that does not go."""
        mirror = self._mirror
        try:
            now = renaming.name_of(mirror.organization, number)
            if now.casefold() == mirror.repo.casefold():
                raise TryLater("the repository is being renamed")
            renaming.require_connected(mirror.organization, mirror.repo, now)
            if renaming.follow(mirror.organization, mirror.repo, now, number, holds=True):
                return "renamed"
        except NotThere as problem:
            return self._end(MirrorStatus.FAILED, str(problem), mirror.commit)
        problem_said = f"The repository is {now} by now, which is mirrored, too. Remove this mirror."
        return self._end(MirrorStatus.FAILED, problem_said, mirror.commit)

    def _end(
        self,
        status: MirrorStatus,
        problem: str | None,
        commit: str | None,
        repo_id: int | None = None,
        *,
        was_public: bool = False,
    ) -> str:
        stored = files.all(self._mirror.organization, self._mirror.id)
        documents = sum(file.document_id is not None for file in stored)
        seen = self._mirror.__replace__(
            status=status,
            problem=problem,
            documents=documents,
            commit=commit,
            repo_id=repo_id or self._mirror.repo_id,
            was_public=was_public or self._mirror.was_public,
        )
        if mirror_store.end(seen):
            return status.value
        mirror_store.hand_on(self._mirror)
        return "looks_again"

    def _apply(self, account: Account, found: Snapshot) -> bool:
        """Make the stored files equal to those of a commit; return whether all is done."""
        mirror = self._mirror
        wanted = planning.first(found.files, MAX_FILES) | planning.first(found.images, MAX_IMAGES)
        plan = planning.plan(files.all(mirror.organization, mirror.id), wanted, mirror.settings)
        for file, path in plan.renamed:
            reads = file.by_name and path != file.path
            content = github.blob(account, mirror.repo, file.sha) if reads else None
            self._rename(file, path, content, found)
            if self._is_over():
                return False
        for file in plan.gone:
            delete_document(file)
            if self._is_over():
                return False
        known = (
            {file.path: file for file in files.all(mirror.organization, mirror.id)} if plan.fetched else {}
        )
        left = dict(plan.fetched)
        if len(left) >= ARCHIVE_FROM:
            for path, content in self._archived(account, found, plan.fetched):
                self._keep(known.get(path), path, left.pop(path), content, found)
                if self._is_over():
                    return False
        for path, sha in left.items():
            self._keep(known.get(path), path, sha, github.blob(account, mirror.repo, sha), found)
            if self._is_over():
                return False
        return True

    def _archived(
        self, account: Account, found: Snapshot, wanted: Mapping[str, str]
    ) -> Iterator[tuple[str, bytes]]:
        try:
            yield from github.archive(account, self._mirror.repo, found.commit, wanted)
        except TryLater:
            if self._waits:
                raise

    def _is_over(self) -> bool:
        return clock.now_ms() >= self._until

    def _keep(self, known: MirroredFile | None, path: str, sha: str, content: bytes, found: Snapshot) -> None:
        """Write a file's document, or change the one that it has; keep an image as it is."""
        if images.is_image(path):
            self._keep_image(path, sha, content)
            return
        text = planning.read_file(path, content)
        try:
            if planning.is_pointer(content) or is_blank(prose.visible(text.body, path)):
                raise BodyMissing
            if known is not None and known.document_id is not None:
                try:
                    self._change(
                        known.document_id,
                        self._file(path, sha, known.document_id, text),
                        text,
                        found,
                    )
                except DocumentNotFound:
                    self._write(path, sha, text, found)
            else:
                self._write(path, sha, text, found)
        except _NO_TEXT:
            if known is not None and known.document_id is not None:
                delete_document(known)
            self._store(self._file(path, sha))

    def _keep_image(self, path: str, sha: str, content: bytes) -> None:
        organization, mirror_id = self._mirror.organization, self._mirror.id
        if images.type_of(content) is None:
            images.delete(organization, mirror_id, path)
        else:
            images.write(organization, mirror_id, path, content)
        self._store(self._file(path, sha))

    def _write(self, path: str, sha: str, text: FileText, found: Snapshot) -> None:
        mirror = self._mirror
        file = self._file(path, sha, ids.new("doc"), text)

        def write() -> None:
            draft = Draft(
                text.title,
                text.body,
                self._folders.of(self._below(path)),
                self._url(path),
                self._source(path, found),
                aliases=text.aliases or (),
            )
            knowledge.write(
                mirror.organization,
                draft,
                self._by_name,
                document_id=file.document_id,
                extra_writes=lambda transaction: transaction.put(file),
            )

        try:
            write()
        except FolderNotFound:
            self._folders.forget()
            write()

    def _change(self, document_id: str, file: MirroredFile, text: FileText, found: Snapshot) -> None:
        mirror = self._mirror
        change = Change(
            title=text.title,
            body=text.body,
            url=self._url(file.path),
            source=self._source(file.path, found),
            aliases=text.aliases,
        )
        knowledge.change(
            mirror.organization,
            document_id,
            change,
            self._by_name,
            extra_writes=lambda transaction: transaction.put(file),
        )

    def _rename(self, file: MirroredFile, path: str, content: bytes | None, found: Snapshot) -> None:
        """Give a file's document its new addresses, and its new folder if its path leads to another one."""
        mirror = self._mirror
        moves = self._below(file.path).rpartition("/")[0] != self._below(path).rpartition("/")[0]
        text = None if content is None else planning.read_file(path, content)
        change = Change(
            title=None if text is None else text.title,
            body=None if text is None else text.body,
            folder_id=self._folders.of(self._below(path)) if moves else KEEP,
            url=self._url(path),
            source=self._source(path, found),
            aliases=None if text is None else text.aliases,
        )

        renamed = self._file(path, file.sha, file.document_id, text)
        if text is None:
            renamed = renamed.__replace__(by_name=file.by_name)

        def extra_writes(transaction: Transaction) -> None:
            if path != file.path:
                transaction.delete(file.key)
            transaction.put(renamed)

        try:
            knowledge.change(
                mirror.organization, file.document_id or "", change, self._by_name, extra_writes=extra_writes
            )
        except DocumentNotFound:
            table.delete(file.key)  # somebody deleted it: it stays away until its text changes
            self._store(renamed.__replace__(document_id=None))

    def _without_document(self, paths: tuple[str, ...]) -> list[str]:
        """Return those of some files that are no documents."""
        if not paths:
            return []
        stored = files.all(self._mirror.organization, self._mirror.id)
        return sorted({file.path for file in stored if file.document_id is None} & set(paths))

    def _store(self, file: MirroredFile) -> None:
        transaction = Transaction()
        transaction.put(file)
        transaction.commit()

    def _file(
        self, path: str, sha: str, document_id: str | None = None, text: FileText | None = None
    ) -> MirroredFile:
        return MirroredFile(
            organization=self._mirror.organization,
            mirror_id=self._mirror.id,
            path=path,
            sha=sha,
            document_id=document_id,
            by_name=text is not None and text.is_named_by_path,
            settings=self._mirror.settings,
        )

    def _below(self, path: str) -> str:
        """Return a path below the mirrored folder."""
        return path.removeprefix(f"{self._mirror.path}/") if self._mirror.path else path

    def _url(self, path: str) -> str | None:
        """Return the public page of a file, below the address where the files are published."""
        if self._mirror.published_at is None:
            return None
        url = page_url(self._mirror.published_at, self._below(path))
        try:
            return checks.require_url(url)
        except BadUrl:
            return None

    def _source(self, path: str, found: Snapshot) -> Source:
        url = f"https://github.com/{self._mirror.repo}/blob/{quote(found.branch)}/{quote(path)}"
        return Source(
            SourceKind.REPOSITORY,
            url=url,
            repo=self._mirror.repo,
            path=path,
            synced_at=clock.now_ms(),
            mirror=self._mirror.id,
        )


def delete_document(file: MirroredFile) -> None:
    """Delete a file and its document, or an image."""

    def extra_writes(transaction: Transaction) -> None:
        transaction.delete(file.key)

    if file.document_id is not None:
        try:
            knowledge.delete(file.organization, file.document_id, extra_writes=extra_writes)
        except DocumentNotFound:
            pass
        else:
            return
    if images.is_image(file.path):
        images.delete(file.organization, file.mirror_id, file.path)
    table.delete(file.key)


def remove(organization: str, mirror_id: str, until: int) -> bool:
    """Delete the documents of a removed mirror until an instant (ms); return whether none is left."""
    for file in files.all(organization, mirror_id):
        delete_document(file)
        if clock.now_ms() >= until:
            return False
    return True
