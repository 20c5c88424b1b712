"""A table in memory that runs the product's own expressions, fast enough for ten thousand worlds.

It knows the forms of expression that deliveries use and refuses any other. test_quick_worlds.py compares it with moto.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import CodeType
from typing import Any

from helpdesk.storage.stored import Key, Stored
from helpdesk.storage.table import ConditionFailed, Item, from_wire, to_wire

_WORD = re.compile(r"attribute_(not_)?exists\((#?\w+)\)|[:#]?\w+|<>|>=|=|<|[()]")


class _Missing:
    """A missing attribute: equal to nothing, less than nothing."""

    def __eq__(self, _: object) -> bool:
        return False

    def __ne__(self, _: object) -> bool:
        return False

    def __lt__(self, _: object) -> bool:
        return False

    def __ge__(self, _: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


_MISSING = _Missing()
_OPERATORS = {
    "AND": "and",
    "OR": "or",
    "=": "==",
    "<>": "!=",
    "<": "<",
    ">=": ">=",
    "NOT": "not",
    "(": "(",
    ")": ")",
}


@cache
def _condition(text: str) -> CodeType:
    """Return a condition as Python: `at` gives an attribute, `values` what was passed."""
    if re.sub(r"\s", "", text) != "".join(match[0] for match in _WORD.finditer(text)):
        raise NotImplementedError(text)
    words = []
    for match in _WORD.finditer(text):
        word = match[0]
        if match[2]:
            words.append(f"({'not ' if match[1] else ''}has({match[2]!r}))")
        elif word in _OPERATORS:
            words.append(_OPERATORS[word])
        elif word.startswith(":"):
            words.append(f"values[{word!r}]")
        else:
            words.append(f"at({word!r})")
    return compile(" ".join(words), "condition", "eval")


@cache
def _changes(text: str) -> tuple[tuple[str, str, bool], ...]:
    """Return what an update sets: attribute, value, and whether it is appended. A removed one has no value."""
    sets, _, removes = text.removeprefix("SET ").partition(" REMOVE ")
    found = []
    for clause in re.split(r", (?![^(]*\))", sets):
        name, value = clause.split(" = ", 1)
        appended = re.fullmatch(r"list_append\((#?\w+), (:\w+)\)", value)
        if appended and appended[1] == name:
            found.append((name, appended[2], True))
        elif re.fullmatch(r":\w+", value):
            found.append((name, value, False))
        else:
            raise NotImplementedError(clause)
    return (*found, *((name, "", False) for name in removes.split(", ") if name))


class MemoryTable:
    """Stands in for `helpdesk.storage.table`."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], Item] = {}

    def put_new(self, put: Item | Stored) -> None:
        """As the real one."""
        item = from_wire(to_wire(put.to_item() if isinstance(put, Stored) else put))
        key = (item["PK"], item["SK"])
        if key in self.items:
            raise ConditionFailed(dict(self.items[key]))
        self.items[key] = item

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        """As the real one."""
        return {key: dict(self.items[key.pk, key.sk]) for key in keys if (key.pk, key.sk) in self.items}

    def update(
        self,
        key: Key,
        expression: str,
        *,
        condition: str | None = None,
        names: Mapping[str, str] | None = None,
        values: Mapping[str, Any] | None = None,
        returning: str = "NONE",
    ) -> Item:
        """As the real one, for `returning` NONE."""
        assert returning == "NONE"
        item = self.items.get((key.pk, key.sk), {})
        named, given = names or {}, from_wire(to_wire(values or {}))
        if condition is not None:
            scope = {
                "has": lambda name: named.get(name, name) in item,
                "values": given,
                "at": lambda name: item.get(named.get(name, name), _MISSING),
            }
            if not eval(_condition(condition), {"__builtins__": {}}, scope):
                raise ConditionFailed(dict(item) or None)
        changed = item | key.attributes()
        for attribute, value, appended in _changes(expression):
            name = named.get(attribute, attribute)
            if not value:
                changed.pop(name, None)
            else:
                changed[name] = [*item[name], *given[value]] if appended else given[value]
        self.items[key.pk, key.sk] = changed
        return {}
