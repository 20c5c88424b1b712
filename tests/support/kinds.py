"""Every kind of item in the table, by its name."""

from functools import lru_cache

from helpdesk.storage.stored import Key, Stored
from scripts.access_patterns import kinds, records


def parsed(kind: type[Stored], pk: str, sk: str) -> Key | None:
    """Return the key of a kind with these halves, or None where they belong to another kind."""
    parts = kind.parse(pk, sk)
    return None if parts is None else kind.key_for(*parts.values())


@lru_cache(maxsize=2_000)
def name_of(pk: str, sk: str) -> str:
    """Return the name of the kind that a key belongs to."""
    return next(name for name, kind in KINDS.items() if kind.parse(pk, sk) is not None)


KINDS = kinds()
STORED = records()
"""The classes of records, views of other kinds included."""
