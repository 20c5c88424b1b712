"""Every kind of item in the table, by its name: records that the table holds, and keys."""

import re
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import helpdesk
from helpdesk.storage.item_key import ItemKey
from helpdesk.storage.keys import REGISTRY
from helpdesk.storage.stored import AnyKey, Stored

type Kind = type[ItemKey | Stored]

_CORE = Path(helpdesk.__path__[0])
_DECLARES = re.compile(r"^class \w+\(Stored\b", re.MULTILINE)


def _records(base: type[Stored]) -> list[type[Stored]]:
    """Return the kinds of `helpdesk` below a base; a base of several kinds has no key of its own."""
    found = []
    for kind in base.__subclasses__():
        if hasattr(kind, "PK") and kind.__module__.startswith("helpdesk."):
            found.append(kind)
        found += _records(kind)
    return found


def _all() -> dict[str, Kind]:
    for path in sorted(_CORE.rglob("*.py")):
        if _DECLARES.search(path.read_text(encoding="utf-8")):
            import_module(".".join(["helpdesk", *path.relative_to(_CORE).with_suffix("").parts]))
    found: dict[str, Kind] = dict(REGISTRY)
    for kind in _records(Stored):
        if kind.VIEW_OF is not None:
            continue
        assert kind.__name__ not in found, f"two kinds are called {kind.__name__}"
        found[kind.__name__] = kind
    return found


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


KINDS = _all()
STORED = _records(Stored)
"""The classes of records, views of other kinds included."""
