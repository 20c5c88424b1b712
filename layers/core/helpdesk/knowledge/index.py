"""An organization's index as a function holds it: a copy in /tmp, brought up to date, searched and written to."""

import atexit
import json
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tantivy

from helpdesk.knowledge import index_store, segments, thesaurus
from helpdesk.knowledge.index_store import Bundle, BundleMissing, Manifest, Overtaken
from helpdesk.knowledge.segments import IndexedDocument
from helpdesk.platform.logging import logger
from helpdesk.storage.transactions import Conflict

COPIES_BYTES = 300_000_000
"""What all copies of one function may hold together: /tmp has 512 MB, and a commit needs room to work."""

_TRIES = 5
_DOWNLOADS_AT_ONCE = 8
_MOST_TERMS = 2_000

TITLE_WEIGHT, HEADING_WEIGHT, BODY_WEIGHT = 1.5, 2.0, 1.0
_OTHER_FIELDS_SHARE = 0.3  # of a term's weaker fields; the best field counts whole


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that holds some of the terms, and how well by BM25."""

    document_id: str
    title: str
    heading: str
    text: str
    url: str | None
    position: int
    score: float


class IndexSearcher:
    """One state of an index, open for searching."""

    def __init__(self, index: tantivy.Index) -> None:
        self._schema = index.schema
        self._searcher = index.searcher()
        self._analyzer = segments.analyzer()

    @property
    def sections(self) -> int:
        """How many sections there are."""
        return self._searcher.num_docs

    def terms(self, text: str) -> list[str]:
        """Return a text's terms, in order, as the index has them."""
        return list(self._analyzer.analyze(text))

    def frequency(self, term: str) -> int:
        """Return about how many sections hold a term: as many as do in the field that has it most."""
        return max(self._searcher.doc_freq(name, term) for name in ("title", "heading", "body"))

    def synonyms(self, term: str) -> frozenset[str]:
        """Return the terms that mean about the same, whether any section holds them or not."""
        return _synonyms().get(term, frozenset())

    def beginning(self, prefix: str) -> list[str]:
        """Return terms of texts and headings that begin with a prefix, the commonest first; not all of very many."""
        return [
            term
            for name in ("heading", "body")
            for term, _ in self._searcher.terms_with_prefix(name, prefix, limit=_MOST_TERMS)
        ]

    def search(self, words: Sequence[Mapping[str, float]], limit: int) -> list[Hit]:
        """Return the best sections for words, each given by its terms with their weights; best first.

        Of a word's terms that a section holds, the best counts: synonyms are no more than the word.
        """
        wanted = [
            (
                tantivy.Occur.Should,
                tantivy.Query.disjunction_max_query(
                    [
                        tantivy.Query.boost_query(self._anywhere(term), weight)
                        for term, weight in terms.items()
                    ]
                ),
            )
            for terms in words
        ]
        if not wanted:
            return []
        found = self._searcher.search(tantivy.Query.boolean_query(wanted), limit)
        return [self._hit(score, self._searcher.doc(address)) for score, address in found.hits]

    def _anywhere(self, term: str) -> tantivy.Query:
        fields = (("title", TITLE_WEIGHT), ("heading", HEADING_WEIGHT), ("body", BODY_WEIGHT))
        return tantivy.Query.disjunction_max_query(
            [
                tantivy.Query.boost_query(tantivy.Query.term_query(self._schema, name, term, "freq"), weight)
                for name, weight in fields
            ],
            _OTHER_FIELDS_SHARE,
        )

    @staticmethod
    def _hit(score: float, found: tantivy.Document) -> Hit:
        return Hit(
            document_id=str(found.get_first("document")),
            title=str(found.get_first("title")),
            heading=str(found.get_first("heading")),
            text=str(found.get_first("body")),
            url=found.get_first("url") or None,
            position=int(found.get_first("position") or 0),
            score=score,
        )


class IndexCopy:
    """The copy of one organization's index. Files are immutable; only `meta.json` says which of them count."""

    def __init__(self, organization: str, path: Path) -> None:
        self.organization = organization
        self.manifest = Manifest()
        self._home = path / organization / "files"
        self._home.mkdir(parents=True)
        self._present: set[str] = set()  # keys of the bundles whose files are here
        self._searcher: IndexSearcher | None = None

    @property
    def size(self) -> int:
        """The copy's bytes, about."""
        return sum(bundle.size for bundle in self.manifest.bundles)

    def refresh(self) -> None:
        """Bring the copy up to date. One call where nothing has changed, one more for each new bundle."""
        for _ in range(_TRIES):
            manifest = index_store.load(self.organization, self.manifest)
            if manifest is self.manifest:
                return
            try:
                self._fetch([bundle for bundle in manifest.bundles if bundle.key not in self._present])
            except BundleMissing:
                # So many commits went by while we read that its grace was over: there is a newer manifest.
                self.manifest = Manifest()
                continue
            self._adopt(manifest)
            return
        raise Conflict

    def searcher(self) -> IndexSearcher | None:
        """Return the copy, open for searching, or None where nothing is indexed."""
        meta = self.manifest.meta
        if meta is None or not meta["segments"]:
            return None
        if self._searcher is None:
            self._searcher = IndexSearcher(segments.open_index(self._home))
        return self._searcher

    def write(self, removed: Sequence[str], added: Sequence[IndexedDocument]) -> None:
        """Remove documents by id, then add others, and publish that as one commit. Raises Conflict.

        Besides `refresh`: one call for the bundle, one for the manifest; now and then one or two to remove what is
        superseded.
        """
        for _ in range(_TRIES):
            self.refresh()
            before = self.manifest
            change = segments.commit(self._home, before.meta, removed, added)
            if (before.meta["segments"] if before.meta else []) == change.meta["segments"]:
                return
            bundle = None
            if change.files:
                bundle = index_store.put_bundle(self.organization, list(change.files.items()))
            after = index_store.succeed(before, change.meta, segments.live_files(change.meta), bundle)
            index_store.remove_superseded(before)
            try:
                manifest = index_store.swap(self.organization, before, after)
            except Overtaken:
                logger.info("index_overtaken", extra={"organization": self.organization})
                continue
            for name, data in change.files.items():
                (self._home / name).write_bytes(data)
            if bundle is not None:
                self._present.add(bundle.key)
            self._adopt(manifest)
            if change.merged:
                index_store.sweep(self.organization, manifest)
            return
        raise Conflict

    def discard(self) -> None:
        """Remove the copy from /tmp."""
        self._searcher = None
        shutil.rmtree(self._home.parent, ignore_errors=True)

    def _fetch(self, missing: list[Bundle]) -> None:
        if not missing:
            return
        with ThreadPoolExecutor(_DOWNLOADS_AT_ONCE) as pool:
            for key in pool.map(self._fetch_one, missing):
                self._present.add(key)

    def _fetch_one(self, bundle: Bundle) -> str:
        for name, data in index_store.fetch(bundle):
            # A file of a commit that was overtaken may have this name: write anew, never into what may be open.
            (self._home / name).unlink(missing_ok=True)
            (self._home / name).write_bytes(data)
        return bundle.key

    def _adopt(self, manifest: Manifest) -> None:
        """Let a manifest count whose files are all here, and remove what it does not name."""
        meta = manifest.meta or {"segments": []}
        live = segments.live_files(meta)
        self._present &= {bundle.key for bundle in manifest.bundles}
        for path in self._home.iterdir():
            if path.name not in live:
                path.unlink()
        (self._home / "meta.json").write_text(json.dumps(meta))
        self.manifest = manifest
        self._searcher = None


_copies: "OrderedDict[str, IndexCopy]" = OrderedDict()


@cache
def _synonyms() -> dict[str, frozenset[str]]:
    return thesaurus.by_term(segments.analyzer().analyze)


@cache
def _home() -> Path:
    # A directory of this process: on a laptop several run side by side, and on Lambda it goes with its environment.
    path = tempfile.mkdtemp(prefix="helpdesk-index-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


def copy_of(organization: str) -> IndexCopy:
    """Return this process's copy of an organization's index; those longest unused make room when /tmp gets full."""
    copy = _copies.pop(organization, None) or IndexCopy(organization, _home())
    while _copies and copy.size + sum(other.size for other in _copies.values()) > COPIES_BYTES:
        _copies.popitem(last=False)[1].discard()
    _copies[organization] = copy
    return copy


def forget() -> None:
    """Remove every copy. For tests that change what S3 holds behind our back."""
    while _copies:
        _copies.popitem()[1].discard()
