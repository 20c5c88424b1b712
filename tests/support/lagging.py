"""Reads that lag: what DynamoDB may answer a read that is not consistent, for a moment after a write."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from helpdesk.storage import table
from helpdesk.storage.stored import Key
from helpdesk.storage.table import Item
from tests.support.table import everything


@contextmanager
def lagging_reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Answer reads of items that are not consistent from the table as it is before the block. Queries do not lag."""
    before = {(item["PK"], item["SK"]): item for item in everything()}
    get, get_many = table.get, table.get_many

    def seen(key: Key) -> Item | None:
        place = key.attributes()
        return before.get((place["PK"], place["SK"]))

    def get_late(key: Key, *, consistent: bool = True) -> Item | None:
        return get(key) if consistent else seen(key)

    def get_many_late(keys: Sequence[Key], *, consistent: bool = True) -> dict[Key, Item]:
        if consistent:
            return get_many(keys)
        return {key: item for key in keys if (item := seen(key)) is not None}

    with monkeypatch.context() as lag:
        lag.setattr(table, "get", get_late)
        lag.setattr(table, "get_many", get_many_late)
        yield
