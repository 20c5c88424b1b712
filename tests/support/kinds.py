"""Every kind of item in the table, by its name."""

import re
from functools import lru_cache

from helpdesk.storage.stored import Key, Stored
from scripts.access_patterns import kinds, records


def parts_of(kind: type[Stored]) -> tuple[str, ...]:
    """Return the names of the parts that a kind's key is made from."""
    return tuple(dict.fromkeys(re.findall(r"\{(\w+)", kind.PK + kind.SK)))


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
