"""Reads of one kind of record.

    tasks = Collection(Task, missing=TaskNotFound)
    tasks.get(organization, task_id)
    tasks.page(organization, status, index="GSI1", limit=50, after=position)

Writes are in `helpdesk.storage.transactions`, because most of them write several items.
"""

from collections.abc import Iterable
from typing import NamedTuple

from helpdesk.platform.logging import log_unreadable
from helpdesk.storage import table
from helpdesk.storage.stored import Index, Stored, UnreadableItem
from helpdesk.storage.table import Filter
from helpdesk.storage.wire import Item

_FILTERED_AT_ONCE, _FILTERED_QUERIES = 500, 4
"""A page of a filtered list reads up to 2,000 records, of which few or none may match."""


class Listed[R](NamedTuple):
    """One page of a list; `after` is the position to continue from, None at the end."""

    records: list[R]
    after: Item | None


class Collection[R: Stored]:
    """The records of a kind; `missing` is the error of `get` for one that does not exist."""

    def __init__(self, kind: type[R], *, missing: type[Exception] = LookupError) -> None:
        self.kind = kind
        self._missing = missing

    def find(self, *parts: str, consistent: bool = True) -> R | None:
        """Return the record with the parts of a key, or None. One read."""
        item = table.get(self.kind.key_for(*parts), consistent=consistent)
        return None if item is None else self.kind.from_item(item)

    def get(self, *parts: str, consistent: bool = True) -> R:
        """Return the record with the parts of a key. Raises the error for one that does not exist."""
        found = self.find(*parts, consistent=consistent)
        if found is None:
            raise self._missing
        return found

    def by_ids(self, *scope: str, ids: Iterable[str], consistent: bool = True) -> dict[str, R]:
        """Return those of the records that exist, by the last part of their key, in the order given.

        `scope` are the parts before it. One call for each hundred, none without ids.
        """
        keys = {each: self.kind.key_for(*scope, each) for each in ids}
        found = table.get_many(list(keys.values()), consistent=consistent)
        return {each: self.kind.from_item(found[key]) for each, key in keys.items() if key in found}

    def page(
        self,
        *scope: str,
        limit: int,
        index: Index | None = None,
        after: Item | None = None,
        newest_first: bool = False,
        consistent: bool = False,
        matching: Filter | None = None,
    ) -> Listed[R]:
        """Return one page of a partition in the order of its sort key. One query (`table.query`).

        `scope` are the parts of the partition. `after` is what the last page returned, or a record's `position`.
        """
        page = table.query(
            self.kind.partition_for(*scope, index=index),
            sk_prefix="" if index else self.kind.sk_prefix(),
            index=index,
            limit=limit,
            after=after,
            newest_first=newest_first,
            consistent=consistent,
            matching=matching,
        )
        return Listed([self.kind.from_item(item) for item in page.items], page.after)

    def newest(
        self,
        *scope: str,
        limit: int,
        before: str | None,
        index: Index | None = None,
        consistent: bool = False,
        matching: Filter | None = None,
    ) -> tuple[list[R], str | None]:
        """Return records older than the ID `before`, newest first, and the ID to continue from, None at the end.

        For kinds that an organization and an `id` make the key of, and that are sorted by the ID: IDs sort by time.
        `scope` are the parts of the partition, the organization first. One query. With `matching` up to four, and then
        there may be fewer than `limit`, or none, before the end.
        """
        found: list[R] = []
        for _ in range(1 if matching is None else _FILTERED_QUERIES):
            after: Item | None = None
            if before is not None:
                entry = {f"{index}SK": before} if index else {}
                after = self.kind.key_for(scope[0], before).attributes() | entry
            page = self.page(
                *scope,
                limit=limit if matching is None else _FILTERED_AT_ONCE,
                index=index,
                after=after,
                newest_first=True,
                consistent=consistent,
                matching=matching,
            )
            found += page.records
            before = None if page.after is None else self._id(page.after)
            if len(found) > limit:
                return found[:limit], self._id(found[limit - 1].key.attributes())
            if before is None or len(found) == limit:
                break
        return found, before

    def _id(self, key: Item) -> str | None:
        """Return the ID in a key."""
        parts = self.kind.parse(*table.key_of(key))
        return None if parts is None else parts["id"]

    def due(
        self, shard: int, before: int, limit: int, after: Item | None, *, index: Index
    ) -> tuple[list[R], Item | None]:
        """Return a page of what one shard of an index has that is due before an instant (ms), the earliest first.

        With it comes the key to continue from, None at the end. For `shards.pages`. One query. In a `KEYS_ONLY` index,
        with one more call if anything is due, the records are as they are now: one that is no longer due isn't among
        them.
        """
        page = table.query(
            self.kind.partition_for(str(shard), index=index),
            index=index,
            sk_between=("0", f"{before:013d}"),
            limit=limit,
            after=after,
            consistent=True,
        )
        return self.readable(page.items), page.after

    def readable(self, items: Iterable[Item]) -> list[R]:
        """Return the records of items. One that cannot be read is reported and left out: it holds up no other."""
        found = []
        for item in items:
            try:
                found.append(self.kind.from_item(item))
            except UnreadableItem as error:
                log_unreadable({"PK": item["PK"], "SK": item["SK"]}, error)
        return found

    def all(self, *scope: str, newest_first: bool = False, consistent: bool = True) -> list[R]:
        """Return every record of a partition that is small by rule. One query for each megabyte.

        `scope` can go on with the first parts of the sort key: then it is those that begin with them.
        """
        partition, prefix = self.kind.prefix_for(*scope)
        items = table.query_all(partition, sk_prefix=prefix, newest_first=newest_first, consistent=consistent)
        return [self.kind.from_item(item) for item in items]
