"""A process's local copies of indexes: brought up to date from S3, read, and changed by commits."""

import atexit
import random
import shutil
import tempfile
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path

import tantivy

from helpdesk.platform.logging import logger
from helpdesk.search.s3_index import directory, store
from helpdesk.search.s3_index.directory import Edit, IndexFormat, Match
from helpdesk.search.s3_index.manifest import Bundle, Manifest
from helpdesk.search.s3_index.store import BundleMissing, ConcurrentCommit, IndexLocation
from helpdesk.storage.retrying import Conflict

TRIES = 8
PAUSE_SECONDS = 0.2
"""About the duration of a commit. The pause before the n-th retry is random, up to n times this."""

_DOWNLOADS_AT_ONCE = 8


class IndexTooLarge(Exception):
    """The index is larger than the limit, or a commit would make it so."""


class CachedIndex[R]:
    """The local copy of one index. `R` is what reads it.

    `open_reader` makes one from the index, which is None if there is none, and the directory with all its files.
    `max_bytes` limits the index. A commit may need the same space again in /tmp.
    """

    def __init__(
        self,
        location: IndexLocation,
        index_format: IndexFormat,
        open_reader: Callable[[tantivy.Index | None, Path], R],
        home: Path,
        *,
        max_bytes: int,
    ) -> None:
        self.location = location
        self.manifest = Manifest()
        self.files = home / "files"
        self.files.mkdir(parents=True)
        self._home = home
        self._format = index_format
        self._open_reader = open_reader
        self._max_bytes = max_bytes
        self._reader: R | None = None
        # Called before a download with the bytes that the copy takes then.
        self.make_room: Callable[[int], None] | None = None

    @property
    def size(self) -> int:
        """The bytes of the copy."""
        return self.manifest.size

    @property
    def reader(self) -> R:
        """What reads the copy as it is."""
        if self._reader is None:
            index = None if self.manifest.empty else self._format.open(self.files)
            self._reader = self._open_reader(index, self.files)
        return self._reader

    def refresh(self) -> None:
        """Bring the copy up to date. One call if nothing has changed, one more for each new bundle.

        Raises IndexTooLarge, Conflict. A failed download leaves the copy as it was.
        """
        for _ in range(TRIES):
            manifest = store.load(self.location, self.manifest)
            if manifest is self.manifest:
                return
            if manifest.size > self._max_bytes:
                raise IndexTooLarge
            try:
                self._download(manifest)
            except BundleMissing:
                # The manifest was read before its bundles were removed: there is a newer one.
                self.manifest = Manifest()
                continue
            return
        raise Conflict

    def commit(self, prepare: Callable[[R], Edit]) -> None:
        """Publish the edit that `prepare` returns for the current state of the index.

        After a concurrent commit it prepares again. So `prepare` reads other sources after the state of the index on
        which the commit builds, and a commit after an erasure cannot restore what was read before it.
        Calls: that of `refresh`, one for the bundle, one for the manifest; now and then one or two to remove superseded
        bundles. Raises IndexTooLarge, Conflict.
        """
        for _ in self._tries():
            edit = prepare(self.reader)
            with directory.build_dir(self._home) as built:
                changed = directory.apply(self._copy(built), edit)
                if edit.beside is not None and edit.beside(built):
                    changed = True
                if not changed:
                    return
                if edit.added and sum(directory.immutable_files(built).values()) > self._max_bytes:
                    raise IndexTooLarge
                if self._published(built):
                    return
        raise Conflict

    def erase(self, matches: Sequence[Match]) -> None:
        """Leave nothing of the matching documents in any object of the index, not even of deleted ones.

        If a segment has such documents, the index is rebuilt from the stored fields of all others, without files beside
        the segments. A new manifest is published in any case, so that a writer that read the data before its erasure
        has to read again. May be repeated, and must be after a failure. Raises Conflict, RemovalFailed.
        """
        for _ in self._tries():
            with directory.build_dir(self._home) as built:
                source = None if self.manifest.empty else self._format.open(self.files)
                if source is not None and directory.knows(source, matches):
                    directory.copy_without(source, self._format.create(built), matches)
                else:
                    directory.link_files(self.files, built)
                if self._published(built, repack=True):
                    store.remove_unnamed(self.location, self.manifest)
                    return
        raise Conflict

    def discard(self) -> None:
        """Remove the copy from disk."""
        self.manifest, self._reader = Manifest(), None
        shutil.rmtree(self._home, ignore_errors=True)

    def _tries(self) -> Iterator[None]:
        for number in range(TRIES):
            # Two writers that keep overtaking each other would never finish without a random pause.
            time.sleep(random.uniform(0, number * PAUSE_SECONDS))  # noqa: S311 - no secret
            self.refresh()
            yield

    def _copy(self, built: Path) -> tantivy.Index:
        """Return an index in a new directory with the files of the copy."""
        if self.manifest.empty:
            return self._format.create(built)
        directory.link_files(self.files, built)
        return self._format.open(built)

    def _published(self, built: Path, *, repack: bool = False) -> bool:
        """Publish a directory and make it the copy; return False after a concurrent commit.

        With `repack` no object keeps files that are no longer live.
        """
        before = self.manifest
        live = frozenset(directory.immutable_files(built))
        kept = before.kept(live, repack=repack)
        added = sorted(live.difference(*(bundle.names for bundle in kept)))
        bundle = store.put_bundle(self.location, before, [built / name for name in added]) if added else None
        after = before.next(directory.state_files(built), live, kept, bundle)
        store.remove_expired(self.location, before)
        try:
            manifest = store.swap(self.location, before, after)
        except ConcurrentCommit:
            logger.info("index_commit_conflict", extra={"index": self.location.prefix})
            if bundle is not None:
                store.take_back(self.location, bundle)
            return False
        self._become(manifest, built)
        if len(kept) < len(before.bundles) and not repack:
            store.sweep(self.location, manifest)
        return True

    def _download(self, manifest: Manifest) -> None:
        """Fetch the files that the copy lacks, and make the manifest's version the copy."""
        present = directory.immutable_files(self.files).keys() & manifest.live
        missing = [bundle for bundle in manifest.bundles if bundle.names & manifest.live - present]
        if missing and self.make_room is not None:
            # Until the copy is replaced, both versions are on disk.
            fetched = sum(size for b in missing for name, size in b.files if name in manifest.live - present)
            self.make_room(self.size + fetched)
        with directory.build_dir(self._home) as built:
            for name in present:
                (built / name).hardlink_to(self.files / name)
            with ThreadPoolExecutor(_DOWNLOADS_AT_ONCE) as pool:
                list(pool.map(partial(self._fetch, built, manifest.live - present), missing))
            directory.write_state(built, manifest.state)
            self._become(manifest, built)

    def _fetch(self, built: Path, wanted: frozenset[str], bundle: Bundle) -> None:
        for name, chunks in store.fetch(self.location, bundle):
            if name in wanted:
                with (built / name).open("wb") as file:
                    file.writelines(chunks)
            else:
                deque(chunks, maxlen=0)  # read on to the next file

    def _become(self, manifest: Manifest, built: Path) -> None:
        directory.replace(self.files, built)
        self.manifest, self._reader = manifest, None


class IndexCache[R]:
    """This process's copies of one kind of index, by organization. The least recently used ones make room.

    `max_bytes` limits all copies together.
    """

    def __init__(self, make: Callable[[str, Path], CachedIndex[R]], *, max_bytes: int) -> None:
        self._make = make
        self.max_bytes = max_bytes
        self._indexes: OrderedDict[str, CachedIndex[R]] = OrderedDict()
        self._home = cache(_new_home)

    @property
    def held(self) -> list[str]:
        """The organizations whose index is held, the least recently used first."""
        return list(self._indexes)

    def get(self, organization: str) -> CachedIndex[R]:
        """Return the copy of an organization's index, as it was when it was used last."""
        found = self._indexes.pop(organization, None) or self._make(organization, self._home() / organization)
        found.make_room = partial(self._make_room, organization)
        self._indexes[organization] = found
        self._make_room(organization, found.size)
        return found

    def clear(self) -> None:
        """Remove every copy. For tests that change the objects in S3 themselves."""
        while self._indexes:
            self._indexes.popitem()[1].discard()

    def _make_room(self, organization: str, size: int) -> None:
        """Remove copies of other organizations until there is room for one of this size."""
        for least_recently_used in [other for other in self._indexes if other != organization]:
            others = sum(index.size for other, index in self._indexes.items() if other != organization)
            if size + others <= self.max_bytes:
                return
            self._indexes.pop(least_recently_used).discard()


def _new_home() -> Path:
    # A directory of this process: on a laptop several run side by side, and on Lambda it goes with the environment.
    path = tempfile.mkdtemp(prefix="helpdesk-index-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)
