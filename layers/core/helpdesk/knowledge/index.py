"""An organization's knowledge index: reading it by terms and by vectors, and changing its documents.

It has one entry for each section of a document, and vectors for those in languages that a model knows. The text of a
section is stored as it is. What is indexed of it are its terms in the document's language, separated by spaces, because
a field of the search library has one language.

A search for whole documents asks two more fields, which the entry of a document's first section has: the words of its
names, and those of everything in it. They hold each word as it is written as well as its stem, so that a word is found
by its beginning, and in whatever language it was recognized.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import tantivy

from helpdesk.knowledge import language
from helpdesk.knowledge.markdown import Section
from helpdesk.knowledge.search_words import SearchWord
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.search.embeddings.embedder import embedder
from helpdesk.search.s3_index import vectors
from helpdesk.search.s3_index.cache import CachedIndex, IndexCache
from helpdesk.search.s3_index.directory import Edit, IndexFormat, Match
from helpdesk.search.s3_index.manifest import OWNERS_NOTE
from helpdesk.search.s3_index.store import IndexLocation
from helpdesk.search.s3_index.vectors import MULTILINGUAL, DocumentVectors, Floats, VectorSet
from helpdesk.search.terms import terms_of
from helpdesk_files import reading

VERSION = "v4"
"""Part of the index's place in S3. Raise it, and index every document again, when a field or the analyzer changes."""

TERM_FIELDS = ("title", "heading", "body")
DOCUMENT_FIELDS = ("names", "words")
"""Fields of a document's first entry, about the whole document."""


class IndexedDocument(Record):
    """A document as the index takes it: one version of it.

    `revision` names the version among those of all documents. Vectors are None where no model knows the language.
    """

    id: str
    revision: str
    version: int
    title: str
    url: str | None
    language: str
    sections: Sequence[Section]
    vectors: DocumentVectors | None = None
    multilingual: DocumentVectors | None = None
    aliases: Sequence[str] = ()


def edit_of(removed: Sequence[str], added: Sequence[IndexedDocument], *, whole: str | None = None) -> Edit:
    """Return the edit that removes documents by id and then adds others.

    With the id of its model, the index is marked as whole: the id becomes its note.
    """
    rows = [document.vectors for document in added if document.vectors is not None]
    others = [document.multilingual for document in added if document.multilingual is not None]

    def change_files(folder: Path) -> bool:
        changed = vectors.change(folder, removed, others, MULTILINGUAL)
        changed |= vectors.change(folder, removed, rows)
        if whole is None or (folder / OWNERS_NOTE).exists():
            return changed
        (folder / OWNERS_NOTE).write_text(whole)
        return True

    return Edit(
        deleted=[Match("document", removed)],
        added=[entry for document in added for entry in _entries(document)],
        beside=change_files,
    )


def key_of(document_id: str, position: int) -> str:
    """Return the value of the field `key`, which names a section."""
    return f"{document_id}/{position}"


def _entries(document: IndexedDocument) -> Iterator[tantivy.Document]:
    named = "\n".join([document.title, *document.aliases])
    title = " ".join(language.terms(named, document.language))
    for section in document.sections:
        entry = tantivy.Document()
        entry.add_text("document", document.id)
        entry.add_text("revision", document.revision)
        entry.add_text("key", key_of(document.id, section.position))
        entry.add_text("language", document.language)
        entry.add_text("title", title)
        entry.add_text("heading", " ".join(language.terms(section.heading, document.language)))
        entry.add_text("body", " ".join(language.terms(section.text, document.language)))
        if section is document.sections[0]:
            entry.add_text("names", " ".join(_words(document, [named])))
            entry.add_text("words", " ".join(_words(document, _texts(document, named))))
        entry.add_bytes("stored", _stored(document, section))
        yield entry


def _texts(document: IndexedDocument, named: str) -> Iterator[str]:
    """Yield a document's names, headings and text, as readers see them."""
    yield named
    heading = ""
    for section in document.sections:
        if section.heading != heading:
            heading = section.heading
            yield heading
        yield reading.plain_text(section.text)


def _words(document: IndexedDocument, texts: Iterable[str]) -> Iterator[str]:
    """Yield the terms of texts, and each of their words that is not one of these terms, once."""
    written: dict[str, None] = {}
    stems: set[str] = set()
    for text in texts:
        written.update(dict.fromkeys(terms_of(text)))
        found = language.terms(text, document.language)
        stems.update(found)
        yield from found
    yield from (word for word in written if word not in stems)


def stored(found: tantivy.Document) -> tuple[str, int, str, str, str, str | None, int, str, list[str]]:
    """Return what an entry keeps: document, version, title, heading, text, url, position, language, aliases."""
    kept = json.loads(bytes(found["stored"][0]))
    document, version, title, heading, text, url, position, language, *aliases = kept
    return document, version, title, heading, text, url, position, language, aliases


def _stored(document: IndexedDocument, section: Section) -> bytes:
    about = [document.id, document.version, document.title]
    kept = [*about, section.heading, section.text, document.url, section.position, document.language]
    return json.dumps([*kept, *document.aliases], ensure_ascii=False, separators=(",", ":")).encode()


def _fields() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("document", "revision", "key", "language"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in TERM_FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    for name in DOCUMENT_FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="basic")
    builder.add_bytes_field("stored", stored=True, indexed=False)
    return builder.build()


FORMAT = IndexFormat(_fields, dict)

# Functions that read or write the index have 2 GB in /tmp; a commit may need the space of the index twice. Their memory
# holds its vectors, which are up to two thirds of it (docs/decisions/0101).
MAX_INDEX_BYTES = 700_000_000
SEARCHABLE_BYTES = 250_000_000
"""About how much text an index of `MAX_INDEX_BYTES` is of: a quarter more than the quota of the Standard plan."""
MAX_CACHE_BYTES = 1_000_000_000

_MOST_TERMS = 20  # of one field that begin alike
_WEIGHTS = {"title": 1.5, "heading": 2.0, "body": 1.0}
_DOCUMENT_WEIGHTS = {"names": 3.0, "words": 1.0}
_EXCERPT_WEIGHTS = {"heading": 0.1, "body": 1.0}  # an excerpt shows the text below the heading
_OTHER_FIELDS_SHARE = 0.3  # of a term's weaker fields; the best field counts whole


class Hit(Record):
    """A section, with its BM25 score for the words that were searched for."""

    document_id: str
    version: int
    title: str
    heading: str
    text: str
    url: str | None
    position: int
    language: str
    aliases: Sequence[str]
    score: float

    @property
    def searched(self) -> str:
        """All of its text that is searched."""
        return "\n".join([self.title, *self.aliases, self.heading, self.text])


class IndexSearcher:
    """One version of an index, open for searching."""

    def __init__(
        self,
        index: tantivy.Index,
        folder: Path,
        left_out: Sequence[str] = (),
        among: Sequence[str] | None = None,
        whole: "IndexSearcher | None" = None,
    ) -> None:
        self._index = index
        self._left_out = left_out
        self._among = among
        self._whole = whole
        self._schema = index.schema
        self._searcher = index.searcher()
        self._folder = folder

    def without(self, document_ids: Collection[str]) -> "IndexSearcher":
        """Return a searcher of the same version that finds nothing of these documents."""
        if not document_ids:
            return self
        left_out = sorted({*self._left_out, *document_ids})
        return IndexSearcher(self._index, self._folder, left_out, self._among, whole=self)

    def among(self, document_ids: Collection[str]) -> "IndexSearcher":
        """Return a searcher of the same version that finds these documents alone."""
        return IndexSearcher(self._index, self._folder, self._left_out, sorted(document_ids), whole=self)

    @property
    def sections(self) -> int:
        """The number of sections."""
        return self._searcher.num_docs

    @cached_property
    def vectors(self) -> VectorSet:
        """The vectors of sections in the languages that the model knows. Loaded when they are first wanted."""
        return self._whole.vectors if self._whole is not None else VectorSet(self._folder)

    @cached_property
    def multilingual(self) -> VectorSet:
        """The vectors of sections by the multilingual model. Loaded when they are first wanted."""
        return self._whole.multilingual if self._whole else VectorSet(self._folder, MULTILINGUAL)

    @cached_property
    def languages(self) -> list[str]:
        """The languages of the sections."""
        return [code for code in language.LANGUAGES if self._searcher.doc_freq("language", code)]

    def has(self, revision: str) -> bool:
        """Return whether a revision of a document is indexed."""
        return self._searcher.doc_freq("revision", revision) > 0 and bool(
            self._searcher.search(self._equal("revision", revision), 1).hits
        )

    def frequency(self, term: str) -> int:
        """Return about how many sections hold a term: the count of the field that has it most often."""
        return max(self._searcher.doc_freq(name, term) for name in TERM_FIELDS)

    def terms_with_prefix(self, prefix: str) -> list[str]:
        """Return the commonest terms of texts and of headings that begin with a prefix."""
        return [
            term
            for name in TERM_FIELDS
            for term, _ in self._searcher.terms_with_prefix(name, prefix, limit=_MOST_TERMS)
        ]

    def search(self, words: Sequence[Mapping[str, float]], limit: int) -> list[Hit]:
        """Return the best sections for words by BM25, best first. Each word is given by its terms and their weights.

        Only the best of a word's terms in a section counts, so that alternatives add nothing to the word.
        """
        if not words:
            return []
        query = tantivy.Query.boolean_query([(tantivy.Occur.Should, self._word(word)) for word in words])
        return self._hits(query, limit)

    def nearest(self, of: VectorSet, similarities: Floats, limit: int) -> list[tuple[str, int]]:
        """Return documents and sections whose vectors have the highest similarities, best first."""
        return of.best(similarities, limit, self._among)

    def sections_by_key(
        self, keys: Collection[tuple[str, int]], words: Sequence[Mapping[str, float]]
    ) -> list[Hit]:
        """Return sections by document and position, with their BM25 scores for words."""
        if not keys:
            return []
        named = tantivy.Query.term_set_query(self._schema, "key", [key_of(*key) for key in keys])
        wanted = [(tantivy.Occur.Must, tantivy.Query.const_score_query(named, 0.0))]
        wanted += [(tantivy.Occur.Should, self._word(word)) for word in words]
        return self._hits(tantivy.Query.boolean_query(wanted), len(keys))

    def documents_with(
        self, words: Sequence[SearchWord], limit: int, offset: int = 0
    ) -> tuple[list[str], int]:
        """Return documents that hold all words, best first, and how many there are. Without words there are none."""
        if not words:
            return [], 0
        held = [(tantivy.Occur.Must, word.query(self._schema, _DOCUMENT_WEIGHTS)) for word in words]
        query = self._allowed(tantivy.Query.boolean_query(held))
        found = self._searcher.search(query, max(limit, 1), count=True, offset=offset)
        ids = [stored(self._searcher.doc(address))[0] for _, address in found.hits[:limit]]
        return ids, int(found.count)  # type: ignore[attr-defined] # its stub lacks it

    def has_together(self, words: Sequence[SearchWord]) -> bool:
        """Return whether a section holds all words, with its headings and the document's title."""
        held = [(tantivy.Occur.Must, word.query(self._schema, _WEIGHTS)) for word in words]
        return bool(self._hits(tantivy.Query.boolean_query(held), 1))

    def best_section(self, document_id: str, words: Sequence[SearchWord]) -> Hit | None:
        """Return the section of a document whose text fits words best; None if the document is not indexed."""
        own = tantivy.Query.const_score_query(self._equal("document", document_id), 0.0)
        held = [(tantivy.Occur.Should, word.query(self._schema, _EXCERPT_WEIGHTS)) for word in words]
        query = tantivy.Query.boolean_query([(tantivy.Occur.Must, own), *held])
        return next(iter(self._hits_of(query, 1)), None)

    def _hits(self, query: tantivy.Query, limit: int) -> list[Hit]:
        return self._hits_of(self._allowed(query), limit)

    def _hits_of(self, query: tantivy.Query, limit: int) -> list[Hit]:
        found = self._searcher.search(query, limit, count=False)
        return [self._hit(score, self._searcher.doc(address)) for score, address in found.hits]

    def _allowed(self, query: tantivy.Query) -> tantivy.Query:
        if self._among is not None:
            among = tantivy.Query.term_set_query(self._schema, "document", self._among)
            must = [query, tantivy.Query.const_score_query(among, 0.0)]
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, each) for each in must])
        if self._left_out:
            left_out = tantivy.Query.term_set_query(self._schema, "document", self._left_out)
            query = tantivy.Query.boolean_query(
                [(tantivy.Occur.Must, query), (tantivy.Occur.MustNot, left_out)]
            )
        return query

    def _word(self, terms: Mapping[str, float]) -> tantivy.Query:
        return tantivy.Query.disjunction_max_query(
            [tantivy.Query.boost_query(self._anywhere(term), weight) for term, weight in terms.items()]
        )

    def _anywhere(self, term: str) -> tantivy.Query:
        return tantivy.Query.disjunction_max_query(
            [
                tantivy.Query.boost_query(tantivy.Query.term_query(self._schema, name, term, "freq"), weight)
                for name, weight in _WEIGHTS.items()
            ],
            _OTHER_FIELDS_SHARE,
        )

    def _equal(self, field: str, value: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, value, "basic")

    @staticmethod
    def _hit(score: float, found: tantivy.Document) -> Hit:
        return Hit(*stored(found), score=score)


type KnowledgeIndex = CachedIndex[IndexSearcher | None]


def write(
    index: KnowledgeIndex,
    removed: Sequence[str],
    added: Sequence[IndexedDocument],
    *,
    whole: str | None = None,
) -> None:
    """Remove documents by id, then add others, as one commit. Raises IndexTooLarge, Conflict.

    With the id of its model, the index is marked as whole.
    """
    edit = edit_of(removed, added, whole=whole)
    index.commit(lambda _: edit)


def index_of(organization: str, kind: str | None = None) -> KnowledgeIndex:
    """Return this process's copy of an organization's index with vectors of a kind, by default the kind that is set."""
    return _cache.get(f"{organization}@{kind or embedder(settings().embedding_model_id).kind}")


def clear_cache() -> None:
    """Remove every copy. For tests that change the objects in S3 themselves."""
    _cache.clear()


def location_of(organization: str, kind: str) -> IndexLocation:
    """Return where an organization's index with vectors of a kind is in S3."""
    return IndexLocation(settings().knowledge_bucket, f"{prefix_of(organization)}{VERSION}-{kind}")


def prefix_of(organization: str) -> str:
    """Return the key prefix of all of an organization's indexes."""
    return f"{organization}/index/"


def _new_index(name: str, home: Path) -> KnowledgeIndex:
    organization, _, kind = name.partition("@")
    return CachedIndex(location_of(organization, kind), FORMAT, _open, home, max_bytes=MAX_INDEX_BYTES)


def _open(index: tantivy.Index | None, folder: Path) -> IndexSearcher | None:
    """Return a searcher, or None if nothing is indexed."""
    if index is None:
        return None
    searcher = IndexSearcher(index, folder)
    return searcher if searcher.sections else None


_cache = IndexCache(_new_index, max_bytes=MAX_CACHE_BYTES)
