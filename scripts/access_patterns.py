"""The keys and index entries in docs/access-patterns.md, written from the classes of the items.

`make openapi` writes them; a test compares them. The columns of prose are written by hand. The row of a new kind begins
with the first sentence of its class.
"""

import re
from importlib import import_module
from pathlib import Path

from helpdesk.storage.stored import INDEXES, Stored

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "access-patterns.md"

_CORE = ROOT / "layers" / "core" / "helpdesk"
_DECLARES = re.compile(r"^class \w+\((Stored|Expiring)\b", re.MULTILINE)
_HEAD = "| Item | PK | SK | Index entries | What it is | How it is read |\n|---|---|---|---|---|---|\n"
_TABLE = re.compile(r"\| Item \| PK \|.*?(?=\n\n)", re.DOTALL)
_ROW = re.compile(r"^\| `(\w+)` \|.*\| ([^|]*\| [^|]*) \|$", re.MULTILINE)


def records(base: type[Stored] = Stored) -> list[type[Stored]]:
    """Return the classes of `helpdesk` below a base, views included; a base of several kinds has no key of its own."""
    if base is Stored:
        for path in sorted(_CORE.rglob("*.py")):
            if _DECLARES.search(path.read_text(encoding="utf-8")):
                import_module(".".join(["helpdesk", *path.relative_to(_CORE).with_suffix("").parts]))
    found = []
    for kind in base.__subclasses__():
        if hasattr(kind, "PK") and kind.__module__.startswith("helpdesk."):
            found.append(kind)
        found += records(kind)
    return found


def kinds() -> dict[str, type[Stored]]:
    """Return every kind of item by its name."""
    found: dict[str, type[Stored]] = {}
    for kind in records():
        if kind.VIEW_OF is None:
            if kind.__name__ in found:
                raise ValueError(f"two kinds are called {kind.__name__}")
            found[kind.__name__] = kind
    return found


def with_items(page: str) -> str:
    """Return the page with the present kinds of items in its table: in the order of the page, new ones last."""
    present = kinds()
    table = _TABLE.search(page)
    written = dict(_ROW.findall(table[0])) if table else {}
    names = [name for name in written if name in present] + sorted(present.keys() - written.keys())
    rows = [_row(name, present[name], written.get(name) or _prose(present[name])) for name in names]
    return _TABLE.sub(lambda _: _HEAD + "\n".join(rows), page, count=1)


def _prose(kind: type[Stored]) -> str:
    sentence = " ".join((kind.__doc__ or "").split()).split(". ")[0].rstrip(".")
    return f"{sentence[:1].lower()}{sentence[1:]} | "


def _row(name: str, kind: type[Stored], prose: str) -> str:
    entries = "; ".join(_entries(kind))
    return f"| `{name}` | `{kind.PK}` | `{kind.SK}` | {entries} | {prose} |"


def _entries(kind: type[Stored]) -> list[str]:
    return [
        f"{index}: `{template[0]}`, `{template[1]}`"
        for index in INDEXES
        if (template := getattr(kind, index)) is not None
    ]


if __name__ == "__main__":
    PAGE.write_text(with_items(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
