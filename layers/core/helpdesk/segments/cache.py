"""An index as a function holds it: a copy in /tmp, brought up to date from S3.

Files are immutable; only `meta.json` says which of them count.
"""

import atexit
import json
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path

from helpdesk.segments import store
from helpdesk.segments.builder import Change, live_files
from helpdesk.segments.store import Bundle, BundleMissing, ConcurrentCommit, Manifest, Place
from helpdesk.storage.transactions import Conflict

MAX_CACHE_BYTES = 300_000_000
"""What all copies of one function may hold together: /tmp has 512 MB or more, and a commit needs room to work."""

TRIES = 5
_DOWNLOADS_AT_ONCE = 8


class CachedIndex:
    """The copy of one organization's index."""

    def __init__(self, organization: str, place: Place, path: Path) -> None:
        self.organization = organization
        self.place = place
        self.manifest = Manifest()
        self.home = path / organization / "files"
        self.home.mkdir(parents=True)
        # Told before a download how many bytes the copy will take then.
        self.make_room: Callable[[int], None] | None = None
        self._present: set[str] = set()  # keys of the bundles whose files are here

    @property
    def size(self) -> int:
        """The copy's bytes, about."""
        return sum(bundle.size for bundle in self.manifest.bundles)

    @property
    def empty(self) -> bool:
        """Whether nothing is indexed."""
        return self.manifest.meta is None or not self.manifest.meta["segments"]

    def refresh(self) -> None:
        """Bring the copy up to date. One call where nothing has changed, one more for each new bundle."""
        for _ in range(TRIES):
            manifest = store.load(self.place, self.manifest)
            if manifest is self.manifest:
                return
            missing = [bundle for bundle in manifest.bundles if bundle.key not in self._present]
            if missing and self.make_room is not None:
                # What is no longer live goes after that, in _adopt.
                self.make_room(self.size + sum(bundle.size for bundle in missing))
            try:
                self._fetch(missing)
            except BundleMissing:
                # So many commits went by while we read that its grace was over: there is a newer manifest.
                self.manifest = Manifest()
                continue
            self._adopt(manifest)
            return
        raise Conflict

    def publish(self, change: Change, *, anew: frozenset[str] = frozenset()) -> None:
        """Upload a commit that was made of the copy as it is, and let it count. Raises ConcurrentCommit.

        Two calls; now and then one or two to remove what is superseded. The live files of the bundles `anew` go into
        the new bundle, too, so that these bundles are live no more.
        """
        before = self.manifest
        live = live_files(change.meta)
        moved = [
            name
            for bundle in before.bundles
            if bundle.key in anew
            for name, _ in bundle.files
            if name in live and name not in change.files
        ]
        files = {**{name: (self.home / name).read_bytes() for name in moved}, **change.files}
        bundle = store.put_bundle(self.place, before, list(files.items())) if files else None
        after = store.succeed(before, change.meta, live, bundle, anew=anew)
        store.remove_superseded(self.place, before)
        try:
            manifest = store.swap(self.place, before, after)
        except ConcurrentCommit:
            if bundle is not None:
                store.take_back(self.place, bundle)
            raise
        for name, data in change.files.items():
            (self.home / name).write_bytes(data)
        if bundle is not None:
            self._present.add(bundle.key)
        self._adopt(manifest)
        if change.merged:
            store.sweep(self.place, manifest)

    def discard(self) -> None:
        """Remove the copy from /tmp."""
        self.changed()
        shutil.rmtree(self.home.parent, ignore_errors=True)

    def changed(self) -> None:
        """Take note that the files are others now. For those who keep the index open."""

    def _fetch(self, missing: list[Bundle]) -> None:
        if not missing:
            return
        with ThreadPoolExecutor(_DOWNLOADS_AT_ONCE) as pool:
            for key in pool.map(self._fetch_one, missing):
                self._present.add(key)

    def _fetch_one(self, bundle: Bundle) -> str:
        for name, data in store.fetch(self.place, bundle):
            # A file of a commit that was overtaken may have this name: write anew, never into what may be open.
            (self.home / name).unlink(missing_ok=True)
            (self.home / name).write_bytes(data)
        return bundle.key

    def _adopt(self, manifest: Manifest) -> None:
        """Let a manifest count whose files are all here, and remove what it does not name."""
        meta = manifest.meta or {"segments": []}
        live = live_files(meta)
        self._present &= {bundle.key for bundle in manifest.bundles}
        for path in self.home.iterdir():
            if path.name not in live:
                path.unlink()
        (self.home / "meta.json").write_text(json.dumps(meta))
        self.manifest = manifest
        self.changed()


class IndexCache[C: CachedIndex]:
    """This process's copies of one kind of index; those longest unused make room when /tmp gets full."""

    def __init__(self, make: Callable[[str, Path], C]) -> None:
        self._make = make
        self._copies: OrderedDict[str, C] = OrderedDict()
        self._home = cache(_new_home)

    @property
    def held(self) -> list[str]:
        """The organizations of which there is a copy, the longest unused first."""
        return list(self._copies)

    def of(self, organization: str) -> C:
        """Return the copy of an organization's index, as it was when it was used last."""
        copy = self._copies.pop(organization, None) or self._make(organization, self._home())
        copy.make_room = partial(self._make_room, organization)
        self._copies[organization] = copy
        self._make_room(organization, copy.size)
        return copy

    def _make_room(self, organization: str, size: int) -> None:
        """Remove copies of other organizations until there is room for one of this size."""
        for longest_unused in [other for other in self._copies if other != organization]:
            others = sum(copy.size for other, copy in self._copies.items() if other != organization)
            if size + others <= MAX_CACHE_BYTES:
                return
            self._copies.pop(longest_unused).discard()

    def forget(self) -> None:
        """Remove every copy. For tests that change what S3 holds behind our back."""
        while self._copies:
            self._copies.popitem()[1].discard()


def _new_home() -> Path:
    # A directory of this process: on a laptop several run side by side, and on Lambda it goes with its environment.
    path = tempfile.mkdtemp(prefix="helpdesk-index-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)
