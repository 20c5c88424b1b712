"""An organization's index as a function holds it: a copy in /tmp, brought up to date, searched and written to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tantivy

from helpdesk.knowledge import segments, thesaurus
from helpdesk.knowledge.segments import IndexedDocument
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.segments.cache import TRIES, CachedIndex, IndexCache
from helpdesk.segments.store import ConcurrentCommit, Place
from helpdesk.storage.transactions import Conflict

# Another analyzer, or other fields, is another index: raise this and index every document again.
_FORMAT = "v1"
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


class CachedKnowledgeIndex(CachedIndex):
    """The copy of one organization's index."""

    def __init__(self, organization: str, path: Path) -> None:
        place = Place(settings().knowledge_bucket, f"{organization}/index/{_FORMAT}")
        super().__init__(organization, place, path)
        self._searcher: IndexSearcher | None = None

    def changed(self) -> None:
        """Open the index anew when it is searched next."""
        self._searcher = None

    def searcher(self) -> IndexSearcher | None:
        """Return the copy, open for searching, or None where nothing is indexed."""
        if self.empty:
            return None
        if self._searcher is None:
            self._searcher = IndexSearcher(segments.FORMAT.open(self.home))
        return self._searcher

    def write(self, removed: Sequence[str], added: Sequence[IndexedDocument]) -> None:
        """Remove documents by id, then add others, and publish that as one commit. Raises Conflict.

        Besides `refresh`: one call for the bundle, one for the manifest; now and then one or two to remove what is
        superseded.
        """
        for _ in range(TRIES):
            self.refresh()
            before = self.manifest.meta
            change = segments.commit(self.home, before, removed, added)
            if (before["segments"] if before else []) == change.meta["segments"]:
                return
            try:
                self.publish(change)
            except ConcurrentCommit:
                logger.info("index_overtaken", extra={"organization": self.organization})
                continue
            return
        raise Conflict


@cache
def _synonyms() -> dict[str, frozenset[str]]:
    return thesaurus.by_term(segments.analyzer().analyze)


_copies = IndexCache(CachedKnowledgeIndex)


def copy_of(organization: str) -> CachedKnowledgeIndex:
    """Return this process's copy of an organization's index."""
    return _copies.of(organization)


def forget() -> None:
    """Remove every copy. For tests that change what S3 holds behind our back."""
    _copies.forget()
