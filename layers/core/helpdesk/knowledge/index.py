"""An organization's knowledge index: reading it by terms, and changing its documents."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path

import tantivy

from helpdesk.knowledge import index_format, thesaurus
from helpdesk.knowledge.index_format import IndexedDocument
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.platform.settings import settings
from helpdesk.s3_index.cache import CachedIndex, IndexCache
from helpdesk.s3_index.store import IndexLocation

# Functions that read or write the index have 2 GB in /tmp; a commit may need the space of the index twice. 700 MB are
# the index of at least 400 MB of text, twice the quota of the Standard plan (docs/decisions/0117).
MAX_INDEX_BYTES = 700_000_000
MAX_CACHE_BYTES = 1_000_000_000

_MOST_TERMS = 2_000

TITLE_WEIGHT, HEADING_WEIGHT, BODY_WEIGHT = 1.5, 2.0, 1.0
_OTHER_FIELDS_SHARE = 0.3  # of a term's weaker fields; the best field counts whole


class Hit(FrozenRecord):
    """A section that holds some of the terms, with its BM25 score."""

    document_id: str
    title: str
    heading: str
    text: str
    url: str | None
    position: int
    score: float


class IndexSearcher:
    """One version of an index, open for searching."""

    def __init__(self, index: tantivy.Index, left_out: Collection[str] = ()) -> None:
        self._index = index
        self._left_out = sorted(left_out)
        self._schema = index.schema
        self._searcher = index.searcher()
        self._analyzer = index_format.analyzer()

    def without(self, document_ids: Collection[str]) -> "IndexSearcher":
        """Return a searcher of the same version that finds nothing of these documents."""
        return IndexSearcher(self._index, document_ids) if document_ids else self

    @property
    def sections(self) -> int:
        """The number of sections."""
        return self._searcher.num_docs

    @property
    def segments(self) -> int:
        """The number of segments."""
        return self._searcher.num_segments

    def terms(self, text: str) -> list[str]:
        """Return a text's terms, in order, as the index has them."""
        return list(self._analyzer.analyze(text))

    def frequency(self, term: str) -> int:
        """Return about how many sections hold a term: the count of the field that has it most often."""
        return max(self._searcher.doc_freq(name, term) for name in ("title", "heading", "body"))

    def synonyms(self, term: str) -> frozenset[str]:
        """Return the synonyms of a term, whether any section holds them or not."""
        return _synonyms().get(term, frozenset())

    def terms_with_prefix(self, prefix: str) -> list[str]:
        """Return up to `_MOST_TERMS` terms of texts and of headings that begin with a prefix, the commonest first."""
        return [
            term
            for name in ("heading", "body")
            for term, _ in self._searcher.terms_with_prefix(name, prefix, limit=_MOST_TERMS)
        ]

    def search(self, words: Sequence[Mapping[str, float]], limit: int) -> list[Hit]:
        """Return the best sections for words, best first. Each word is given by its terms and their weights.

        Only the best of a word's terms in a section counts, so that synonyms add nothing to the word.
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
        query = tantivy.Query.boolean_query(wanted)
        if self._left_out:
            left_out = tantivy.Query.term_set_query(self._schema, "document", self._left_out)
            query = tantivy.Query.boolean_query(
                [(tantivy.Occur.Must, query), (tantivy.Occur.MustNot, left_out)]
            )
        found = self._searcher.search(query, limit)
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


type KnowledgeIndex = CachedIndex[IndexSearcher | None]


def write(index: KnowledgeIndex, removed: Sequence[str], added: Sequence[IndexedDocument]) -> None:
    """Remove documents by id, then add others, as one commit. Raises IndexTooLarge, Conflict."""
    edit = index_format.edit_of(removed, added)
    index.commit(lambda _: edit)


def index_of(organization: str) -> KnowledgeIndex:
    """Return this process's copy of an organization's index."""
    return _cache.get(organization)


def clear_cache() -> None:
    """Remove every copy. For tests that change the objects in S3 themselves."""
    _cache.clear()


def location_of(organization: str) -> IndexLocation:
    """Return where an organization's index is in S3."""
    return IndexLocation(settings().knowledge_bucket, f"{organization}/index/{index_format.VERSION}")


def _new_index(organization: str, home: Path) -> KnowledgeIndex:
    return CachedIndex(location_of(organization), index_format.FORMAT, _open, home, max_bytes=MAX_INDEX_BYTES)


def _open(index: tantivy.Index | None) -> IndexSearcher | None:
    """Return a searcher, or None if nothing is indexed."""
    if index is None:
        return None
    searcher = IndexSearcher(index)
    return searcher if searcher.sections else None


@cache
def _synonyms() -> dict[str, frozenset[str]]:
    return thesaurus.by_term(index_format.analyzer().analyze)


_cache = IndexCache(_new_index, max_bytes=MAX_CACHE_BYTES)
