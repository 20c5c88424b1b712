"""The front matter of a file: the entries at its top, in YAML, TOML or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

# The repetitions have a limit, or a line of 100,000 spaces would take minutes.
_ENTRY = re.compile(r"([\"']?)([\w][\w .-]{0,200}?)\1\s{0,200}:(?:\s+(.*)|$)")
_TOML = re.compile(r"\+\+\+[ \t]*\r?\n(.*?\n)?\+\+\+[ \t]*(?:\r?\n|$)", re.DOTALL)
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|$)")
_MAX_VALUE_CHARACTERS = 10_000
"""A longer entry is no single value that anyone asks for, and the YAML parser is slow."""
_EMPTY_VALUES = frozenset({"", "~", "null"})


class FrontMatter(NamedTuple):
    """The entries at the top of a file, each with its lines in YAML, and the text after them."""

    entries: tuple[tuple[str, tuple[str, ...]], ...]
    text: str

    def get(self, key: str) -> str | None:
        """Return the text of an entry; None if it is absent, empty, or not a single value."""
        for name, lines in self.entries:
            if name == key:
                value = _value(lines)
                return None if not isinstance(value, str) or value in _EMPTY_VALUES else value
        return None

    def get_all(self, key: str) -> list[str] | None:
        """Return the texts of an entry that is a list, or a single value; None if it is absent or anything else."""
        for name, lines in self.entries:
            if name == key:
                value = _value(lines)
                texts = [value] if isinstance(value, str) and value not in _EMPTY_VALUES else value
                is_list = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
                return texts if is_list else None
        return None


def parsed(text: str) -> FrontMatter:
    """Return the front matter of a file's text, which has no entries if the file begins otherwise."""
    for read in (_yaml, _toml, _json):
        found = read(text)
        if found is not None:
            return found
    return FrontMatter((), text)


def _yaml(text: str) -> FrontMatter | None:
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return None
    entries: list[tuple[str, list[str]]] = []
    is_empty = True
    for number, line in enumerate(lines[1:], start=1):
        bare = line.rstrip()
        if bare in {"---", "..."} and (entries or is_empty):
            whole = tuple((name, tuple(parts)) for name, parts in entries)
            return FrontMatter(whole, "\n".join(lines[number + 1 :]))
        is_empty = is_empty and not bare
        begun = _ENTRY.match(bare)
        if begun:
            entries.append((begun[2], [bare]))
        elif bare and not bare.startswith((" ", "\t", "#", "-", "]", "}")):
            break  # a thematic break with a text after it
        elif entries:
            entries[-1][1].append(bare)
    return None


def _toml(text: str) -> FrontMatter | None:
    import tomllib  # noqa: PLC0415 - few files have it

    found = _TOML.match(text)
    if found is None:
        return None
    try:
        entries = tomllib.loads((found[1] or "").replace("\r\n", "\n"))
    except (ValueError, RecursionError):
        return None
    return FrontMatter(_as_yaml(entries.items()), text[found.end() :])


def _json(text: str) -> FrontMatter | None:
    if not text.startswith("{"):
        return None
    try:
        found, at = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    end = _LINE_END.match(text, at)
    return None if end is None else FrontMatter(_as_yaml(found.items()), text[end.end() :])


def _as_yaml(entries: Iterable[tuple[str, Any]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return entries with their lines. What JSON can say is YAML, too."""
    return tuple(
        (name, (f"{name}: {json.dumps(value, ensure_ascii=False, default=str)}",)) for name, value in entries
    )


def _value(lines: tuple[str, ...]) -> Any:
    """Return the value of an entry, None if it is long.

    Where its lines alone are not valid YAML, it is what its first line says.
    """
    if sum(map(len, lines)) > _MAX_VALUE_CHARACTERS:
        return None
    import yaml  # noqa: PLC0415 - with the first file that has front matter

    try:
        (value,) = yaml.load("\n".join(lines), yaml.BaseLoader).values()  # noqa: S506 - it makes texts alone
    except (yaml.YAMLError, RecursionError, ValueError, AttributeError):
        value = lines[0].partition(":")[2].strip().strip("\"'")
    return value
