"""An organization's search index: one entry for each `documents.Document`; reading it, and erasing from it.

Every field is stored, so that an erasure can rebuild the index without some of its entries (`CachedIndex.erase`). Of a
text, that is the set of its terms and not the text itself.
"""

from collections.abc import Sequence
from pathlib import Path

import tantivy

from helpdesk.platform.settings import settings
from helpdesk.search.documents import Document, Kind, number_of
from helpdesk.search.s3_index.cache import CachedIndex, IndexCache
from helpdesk.search.s3_index.directory import Edit, IndexFormat, Match
from helpdesk.search.s3_index.store import IndexLocation
from helpdesk.search.terms import Sought

VERSION = "v3"
"""Part of the index's place in S3. Raise it, and index every conversation again, when fields or terms change."""

_TEXTS = ("key", "id")
_NUMBERS = ("kind", "conversation", "customer", "version", "sort_key")


def edit_of(ids: Sequence[str], conversations: Sequence[int], added: Sequence[Document]) -> Edit:
    """Return the edit that removes entries by id and by conversation number, and then adds documents."""
    return Edit(
        deleted=[Match("id", ids), Match("conversation", conversations)],
        added=[entry_of(document) for document in added],
    )


def entry_of(document: Document) -> tantivy.Document:
    """Return a document as the search library takes it."""
    entry = tantivy.Document()
    entry.add_text("words", " ".join(document.terms))
    for name in _TEXTS:
        if (text := getattr(document, name)) is not None:
            entry.add_text(name, text)
    for name in _NUMBERS:
        if (number := getattr(document, name)) is not None:
            entry.add_unsigned(name, int(number))
    return entry


def _fields() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    # Terms are separated by spaces; the library's own analyzer of that name splits them.
    builder.add_text_field("words", stored=True, tokenizer_name="whitespace", index_option="basic")
    for name in _TEXTS:
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("kind", "customer", "version"):
        builder.add_unsigned_field(name, stored=True, indexed=True)
    builder.add_unsigned_field("conversation", stored=True, indexed=True, fast=True)
    builder.add_unsigned_field("sort_key", stored=True, fast=True)
    return builder.build()


FORMAT = IndexFormat(_fields, dict)

# Functions that search or write the index have 2 GB in /tmp; a commit may need the space of the index twice. Those that
# write it have 1,769 MB of memory, of which the largest upload takes up to one and a half times the index.
MAX_INDEX_BYTES = 700_000_000
MAX_CACHE_BYTES = 1_000_000_000

_SPECIAL = frozenset(".+*?()|[]{}^$\\-")
_MOST_CONVERSATIONS_AT_ONCE = 1_000


class Reader:
    """One version of an index, open for searching. Without an index, every search is empty."""

    def __init__(self, index: tantivy.Index | None) -> None:
        self._index = index
        self._searcher = index.searcher() if index is not None else None

    @property
    def documents(self) -> int:
        """The number of documents that are not deleted."""
        return self._searcher.num_docs if self._searcher else 0

    @property
    def segments(self) -> int:
        """The number of segments."""
        return self._searcher.num_segments if self._searcher else 0

    def has(self, field: str, value: str | int) -> bool:
        """Return whether a document that is not deleted has a value."""
        return self._searcher is not None and bool(self._searcher.search(self.equal(field, value), 1).hits)

    def heads_of(self, customer: int) -> list[str]:
        """Return the ids of a customer's conversations that have a head."""
        query = self.all_of(self.equal("customer", customer), self.equal("kind", Kind.HEAD))
        return self.ids(query, max(self.count(query), 1))

    def equal(self, field: str, value: str | int) -> tantivy.Query:
        """Return the query for documents that have a value."""
        return tantivy.Query.term_query(self._schema, field, value, "basic")

    def having(self, sought: Sought) -> tantivy.Query:
        """Return the query for documents that have a word."""
        whole = () if sought.word.whole is None else (sought.word.whole,)
        ways = [terms for terms in (whole, sought.word.parts) if terms]
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Should, self._with_terms(terms, prefix=sought.prefix)) for terms in ways]
        )

    def _with_terms(self, terms: Sequence[str], *, prefix: bool) -> tantivy.Query:
        """Return the query for documents that have all terms; with `prefix`, the last one as the begin of a term."""
        *whole, last = terms
        queries = [self.equal("words", term) for term in whole]
        if prefix:
            pattern = "".join(f"[{c}]" if c in _SPECIAL else c for c in last)
            queries.append(tantivy.Query.regex_query(self._schema, "words", f"{pattern}.*"))
        else:
            queries.append(self.equal("words", last))
        return self.all_of(*queries)

    def of_conversations(self, conversations: Sequence[int]) -> tantivy.Query:
        """Return the query for the documents of conversations."""
        return tantivy.Query.term_set_query(self._schema, "conversation", conversations)

    def older_than(self, sort_key: int) -> tantivy.Query:
        """Return the query for documents before a position in time."""
        return tantivy.Query.range_query(
            self._schema, "sort_key", tantivy.FieldType.Unsigned, upper_bound=sort_key, include_upper=False
        )

    @staticmethod
    def all_of(*queries: tantivy.Query) -> tantivy.Query:
        """Return the query for documents that match every query."""
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in queries])

    def count(self, query: tantivy.Query) -> int:
        """Return how many documents match a query."""
        if self._searcher is None:
            return 0
        return int(self._searcher.search(query, 1).count)  # type: ignore[attr-defined] # its stub lacks it

    def conversations(self, query: tantivy.Query, most: int) -> set[int]:
        """Return the conversations of up to `most` documents that match a query."""
        if self._searcher is None:
            return set()
        hits = self._searcher.search(query, most, count=False).hits
        return {number for number in self.conversations_at([at for _, at in hits]) if number is not None}

    def conversations_at(self, addresses: list[tantivy.DocAddress]) -> list[int | None]:
        """Return the conversation of each document; None if it has none."""
        found = self._searcher.fast_field_values("conversation", addresses) if self._searcher else []
        return [int(number) if number is not None else None for number in found]

    def among(self, conversations: Sequence[int], word: Sought) -> set[int]:
        """Return the conversations, out of those given, in which a word occurs."""
        found: set[int] = set()
        for start in range(0, len(conversations), _MOST_CONVERSATIONS_AT_ONCE):
            part = self.of_conversations(conversations[start : start + _MOST_CONVERSATIONS_AT_ONCE])
            query = self.all_of(self.having(word), part)
            if hits := self.count(query):
                found |= self.conversations(query, hits)
        return found

    def newest(self, query: tantivy.Query, limit: int) -> list[tuple[int, tantivy.DocAddress]]:
        """Return the newest documents that match a query and have a sort key, with their sort keys."""
        if self._searcher is None:
            return []
        return self._searcher.search(query, limit, count=False, order_by_field="sort_key").hits

    def id_at(self, address: tantivy.DocAddress) -> str:
        """Return the stored id of a document."""
        return str(self._searcher.doc(address).get_first("id")) if self._searcher else ""

    def ids(self, query: tantivy.Query, limit: int) -> list[str]:
        """Return the stored ids of documents that match a query, in no order."""
        if self._searcher is None:
            return []
        return [self.id_at(at) for _, at in self._searcher.search(query, limit, count=False).hits]

    @property
    def _schema(self) -> tantivy.Schema:
        return self._index.schema if self._index is not None else FORMAT.schema()


type SearchIndex = CachedIndex[Reader]


def erase(index: SearchIndex, customer_ids: Sequence[str], conversation_ids: Sequence[str]) -> None:
    """Leave nothing of customers and conversations in any object of the index. Raises Conflict, RemovalFailed."""
    index.erase(
        [
            Match("customer", [number_of(each) for each in customer_ids]),
            Match("conversation", [number_of(each) for each in conversation_ids]),
        ]
    )


def index_of(organization: str) -> SearchIndex:
    """Return this process's copy of an organization's index."""
    return _cache.get(organization)


def clear_cache() -> None:
    """Remove every copy. For tests that change the objects in S3 themselves."""
    _cache.clear()


def location_of(organization: str) -> IndexLocation:
    """Return where an organization's index is in S3."""
    return IndexLocation(settings().search_bucket, f"{organization}/search/{VERSION}")


def _new_index(organization: str, home: Path) -> SearchIndex:
    return CachedIndex(
        location_of(organization),
        FORMAT,
        lambda index, _: Reader(index),
        home,
        max_bytes=MAX_INDEX_BYTES,
    )


_cache = IndexCache(_new_index, max_bytes=MAX_CACHE_BYTES)
