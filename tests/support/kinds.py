"""Every kind of item in the table, by its name: records that the table holds, and keys."""

import re
from functools import lru_cache

from helpdesk.storage.item_key import ItemKey
from helpdesk.storage.stored import AnyKey
from scripts.access_patterns import Kind, kinds, records


def parts_of(kind: Kind) -> tuple[str, ...]:
    """Return the names of the parts that a kind's key is made from."""
    if issubclass(kind, ItemKey):
        return kind.PARTS
    return tuple(dict.fromkeys(re.findall(r"\{(\w+)", kind.PK + kind.SK)))


def key(kind: Kind, *parts: str) -> AnyKey:
    """Return a key of a kind. Raises MalformedKey."""
    return kind(*parts) if issubclass(kind, ItemKey) else kind.key_for(*parts)


def parsed(kind: Kind, pk: str, sk: str) -> AnyKey | None:
    """Return the key of a kind with these halves, or None where they belong to another kind."""
    if issubclass(kind, ItemKey):
        return kind.parse(pk, sk)
    parts = kind.parse(pk, sk)
    return None if parts is None else kind.key_for(*parts.values())


@lru_cache(maxsize=2_000)
def name_of(pk: str, sk: str) -> str:
    """Return the name of the kind that a key belongs to."""
    return next(name for name, kind in KINDS.items() if kind.parse(pk, sk) is not None)


KINDS = kinds()
STORED = records()
"""The classes of records, views of other kinds included."""
