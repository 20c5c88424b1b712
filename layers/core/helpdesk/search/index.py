"""An organization's search index as a function holds it: what is in it, and how it is changed."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import tantivy

from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.search import segments
from helpdesk.search.documents import Kind, number_of
from helpdesk.search.segments import Edit
from helpdesk.search.terms import Word
from helpdesk.segments import store
from helpdesk.segments.builder import Change, files_of
from helpdesk.segments.cache import CachedIndex, IndexCache
from helpdesk.segments.store import ConcurrentCommit, Place
from helpdesk.storage.transactions import Conflict

# Other terms, or other fields, are another index: raise this and index every conversation again.
_FORMAT = "v1"
_TRIES = 8
PAUSE_SECONDS = 0.2
"""About what a commit takes; a writer that was overtaken waits up to this, then up to twice this, and so on."""

_SPECIAL = frozenset(".+*?()|[]{}^$\\-")
_MOST_OWNERS_AT_ONCE = 1_000


class Reader:
    """One state of an index, open for searching. Of an empty one, everything is absent."""

    def __init__(self, index: tantivy.Index | None) -> None:
        self._index = index
        self._searcher = index.searcher() if index is not None else None

    @property
    def documents(self) -> int:
        """How many documents there are, besides those that are marked as gone."""
        return self._searcher.num_docs if self._searcher else 0

    def has(self, field: str, value: str | int) -> bool:
        """Return whether a document has a value, and is not marked as gone."""
        return self._searcher is not None and bool(self._searcher.search(self.equal(field, value), 1).hits)

    def heads_of(self, customer: int) -> list[str]:
        """Return the ids of a customer's conversations that have a head."""
        query = self.all_of(self.equal("customer", customer), self.equal("kind", Kind.HEAD))
        return self.ids(query, max(self.count(query), 1))

    def equal(self, field: str, value: str | int) -> tantivy.Query:
        """Return the query for documents that have a value."""
        return tantivy.Query.term_query(self._schema, field, value, "basic")

    def having(self, word: Word) -> tantivy.Query:
        """Return the query for documents that have a word."""
        *whole, last = word.terms
        queries = [self.equal("words", term) for term in whole]
        if word.prefix:
            pattern = "".join(f"[{c}]" if c in _SPECIAL else c for c in last)
            queries.append(tantivy.Query.regex_query(self._schema, "words", f"{pattern}.*"))
        else:
            queries.append(self.equal("words", last))
        return self.all_of(*queries)

    def of_owners(self, owners: Sequence[int]) -> tantivy.Query:
        """Return the query for the documents of conversations."""
        return tantivy.Query.term_set_query(self._schema, "owner", owners)

    def placed_before(self, place: int) -> tantivy.Query:
        """Return the query for documents that come before a place in time."""
        return tantivy.Query.range_query(
            self._schema, "place", tantivy.FieldType.Unsigned, upper_bound=place, include_upper=False
        )

    @staticmethod
    def all_of(*queries: tantivy.Query) -> tantivy.Query:
        """Return the query for documents that every query is for."""
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in queries])

    def count(self, query: tantivy.Query) -> int:
        """Return how many documents a query is for."""
        if self._searcher is None:
            return 0
        return int(self._searcher.search(query, 1).count)  # type: ignore[attr-defined] # its stub lacks it

    def owners(self, query: tantivy.Query, most: int) -> set[int]:
        """Return the conversations of what a query is for, of `most` documents."""
        if self._searcher is None:
            return set()
        hits = self._searcher.search(query, most, count=False).hits
        return {owner for owner in self.owners_at([at for _, at in hits]) if owner is not None}

    def owners_at(self, addresses: list[tantivy.DocAddress]) -> list[int | None]:
        """Return the conversations that documents belong to; None for one that belongs to none."""
        found = self._searcher.fast_field_values("owner", addresses) if self._searcher else []
        return [int(owner) if owner is not None else None for owner in found]

    def among(self, owners: Sequence[int], word: Word) -> set[int]:
        """Return those of the conversations in which a word occurs."""
        found: set[int] = set()
        for start in range(0, len(owners), _MOST_OWNERS_AT_ONCE):
            part = self.of_owners(owners[start : start + _MOST_OWNERS_AT_ONCE])
            query = self.all_of(self.having(word), part)
            if hits := self.count(query):
                found |= self.owners(query, hits)
        return found

    def newest(self, query: tantivy.Query, limit: int) -> list[tuple[int, tantivy.DocAddress]]:
        """Return the newest of the documents that a query is for and that have a place, with their places."""
        if self._searcher is None:
            return []
        return self._searcher.search(query, limit, count=False, order_by_field="place").hits

    def id_at(self, address: tantivy.DocAddress) -> str:
        """Return the id that a document gives back."""
        return str(self._searcher.doc(address).get_first("id")) if self._searcher else ""

    def ids(self, query: tantivy.Query, limit: int) -> list[str]:
        """Return the ids of documents that have one, in no order."""
        if self._searcher is None:
            return []
        return [self.id_at(at) for _, at in self._searcher.search(query, limit, count=False).hits]

    @property
    def _schema(self) -> tantivy.Schema:
        return self._index.schema if self._index is not None else segments.FORMAT.schema()


class CachedSearchIndex(CachedIndex):
    """The copy of one organization's index."""

    def __init__(self, organization: str, path: Path) -> None:
        place = Place(settings().search_bucket, f"{organization}/search/{_FORMAT}")
        super().__init__(organization, place, path)
        self._reader: Reader | None = None

    def changed(self) -> None:
        """Open the index anew when it is read next."""
        self._reader = None

    def reader(self) -> Reader:
        """Return the copy as it is, open for searching."""
        if self._reader is None:
            self._reader = Reader(None if self.empty else segments.FORMAT.open(self.home))
        return self._reader

    def write(self, prepare: Callable[[Reader], Edit]) -> None:
        """Publish what `prepare` makes of the index as it is. Raises Conflict.

        Whoever is overtaken prepares anew. What it reads of the table it thereby reads after the state of the index on
        which it builds; so a commit that comes after an erasure cannot bring back what was read before it.
        """
        for change in self._tries():
            edit = prepare(self.reader())
            if not edit:
                return
            before = self.manifest.meta
            made = segments.commit(self.home, before, edit)
            if before is not None and before["segments"] == made.meta["segments"]:
                return
            if change(made, frozenset()):
                return
        raise Conflict

    def erase(self, customer_ids: Sequence[str], conversation_ids: Sequence[str]) -> None:
        """Leave nothing of customers and conversations in any object of the index. Raises Conflict, NotRemoved.

        Publishes in any case: whoever is about to add what was read before is thereby overtaken, and reads again. May
        be repeated, and must be after a failure.
        """
        customers = [number_of(each) for each in customer_ids]
        owners = [number_of(each) for each in conversation_ids]
        for change in self._tries():
            made = segments.purge(self.home, self.manifest.meta, customers, owners)
            if change(made, self._holding_dead_files(made)):
                store.remove_unnamed(self.place, self.manifest)
                return
        raise Conflict

    def _tries(self) -> Iterator[Callable[[Change, frozenset[str]], bool]]:
        def publish(change: Change, anew: frozenset[str]) -> bool:
            try:
                self.publish(change, anew=anew)
            except ConcurrentCommit:
                logger.info("search_overtaken", extra={"organization": self.organization})
                return False
            return True

        for number in range(_TRIES):
            # Two that are overtaken by each other in turn would go on so: whoever waits longer lets the other finish.
            time.sleep(random.uniform(0, number * PAUSE_SECONDS))  # noqa: S311 - no secret
            self.refresh()
            yield publish

    def _holding_dead_files(self, change: Change) -> frozenset[str]:
        """Return the bundles with files, other than marks, that are live no more: their live files must move."""
        live = {name for segment in change.meta["segments"] for name in files_of(segment)}
        return frozenset(
            bundle.key
            for bundle in self.manifest.bundles
            if any(name not in live and not name.endswith(".del") for name, _ in bundle.files)
        )


_copies = IndexCache(CachedSearchIndex)


def copy_of(organization: str) -> CachedSearchIndex:
    """Return this process's copy of an organization's index."""
    return _copies.of(organization)


def forget_copies() -> None:
    """Remove every copy. For tests that change what S3 holds behind our back."""
    _copies.forget()
