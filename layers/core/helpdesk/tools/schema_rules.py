"""Which JSON Schemas a tool may have, and the validation with them.

A schema is the other side's text, and a validator runs it. So a schema is limited before any validator sees it: in
bytes, in nesting, and in what it expands to where its references are followed. References lead only to the schema's own
definitions and never in a circle. The validator itself fetches nothing, and its regular expressions take linear time.

The value is the other side's, too, and what a validation takes grows with both. So the work is limited before it
begins, and each place that does not fit is looked for only where those are few: to explain 750,000 failed alternatives
took 15 s and 1.2 GB.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from helpdesk.tools.json_text import canonical, quoted

if TYPE_CHECKING:
    import jsonschema_rs

MAX_SCHEMA_BYTES = 32 * 1024
MAX_SCHEMA_LEVELS = 10
MAX_SCHEMA_PARTS = 2_000
"""How many schemas a schema may consist of, with each reference replaced by what it refers to."""
MAX_PROBLEMS = 10
_MAX_PROBLEM_CHARACTERS = 300
MAX_WORK = 50_000_000
"""How many bytes of a value may be compared with how many parts of a schema: bytes times parts. About a second."""
MAX_PATTERN_WORK = 100_000
"""The same with regular expressions, of which the slowest takes 0.1 ms for a byte."""
_MAX_EXPLAINED_WORK = 100_000
_PATTERN_BYTES = 500_000  # a compiled regular expression, and its cache
_DRAFT = "https://json-schema.org/draft/2020-12/schema"

_ONE = frozenset(
    {"additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then",
     "unevaluatedItems", "unevaluatedProperties"}
)  # fmt: skip
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_BY_NAME = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
_REFUSED = (
    "$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef", "$vocabulary",
)  # fmt: skip
_REFERENCE = re.compile(r"#/(\$defs|definitions)/([A-Za-z0-9_.-]{1,128})")


class InvalidSchema(ValueError):
    """A tool may not have this schema. The message says why."""


class Size(NamedTuple):
    """How many schemas a schema consists of, and how many regular expressions, with its references followed."""

    parts: int
    patterns: int


def require_valid(schema: dict[str, Any]) -> None:
    """Raise InvalidSchema unless a tool may have this schema."""
    if len(canonical(schema).encode()) > MAX_SCHEMA_BYTES:
        raise InvalidSchema(f"it is larger than {MAX_SCHEMA_BYTES // 1024} KB")
    _measure(schema)
    validator(canonical(schema))


def is_checkable(schema: dict[str, Any], value: Any) -> bool:
    """Return whether a value can be compared with a schema in a few seconds."""
    size, length = _size(canonical(schema)), _length(value)
    return length * size.parts <= MAX_WORK and length * size.patterns <= MAX_PATTERN_WORK


def input_problems(schema: dict[str, Any], value: Any) -> list[str]:
    """Return what is wrong with the input of a call, as `problems` does. One that is not an object never fits."""
    return problems(schema, value) if isinstance(value, dict) else ["The input must be an object."]


def problems(schema: dict[str, Any], value: Any) -> list[str]:
    """Return what is wrong with a value by a schema that is valid, at most ten sentences; empty if nothing is."""
    text = canonical(schema)
    try:
        length = _length(value)
    except (ValueError, RecursionError):  # not Unicode, a number that no double holds, or too deep
        return ["It cannot be read as JSON."]
    if not is_checkable(schema, value):
        return ["It is too large to be compared with the schema."]
    found = []
    try:
        if validator(text).is_valid(value):
            return []
        if length * _size(text).parts > _MAX_EXPLAINED_WORK:
            return ["It does not fit the schema, and is too large to say where."]
        for error in validator(text).iter_errors(value):
            place = "".join(
                f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.instance_path
            )
            found.append(f"`{place.removeprefix('.') or '(all)'}`: {error.message}"[:_MAX_PROBLEM_CHARACTERS])
            if len(found) == MAX_PROBLEMS:
                break
    except ValueError:  # deeper than the validator goes
        return ["It cannot be read as JSON."]
    return found


def _length(value: Any) -> int:
    """Return the bytes of a value's text. Raises ValueError, RecursionError if it has none."""
    return len(canonical(value).encode())


@lru_cache(maxsize=128)
def _size(schema: str) -> Size:
    return _measure(json.loads(schema))


@lru_cache(maxsize=128)
def validator(schema: str) -> "jsonschema_rs.Draft202012Validator":
    """Return the validator of a schema's canonical text. Raises InvalidSchema."""
    import jsonschema_rs  # noqa: PLC0415 - 15 MB, which a request that validates nothing does not load

    try:
        return jsonschema_rs.Draft202012Validator(
            json.loads(schema),
            offline=True,
            validate_formats=False,
            pattern_options=jsonschema_rs.RegexOptions(
                size_limit=_PATTERN_BYTES, dfa_size_limit=_PATTERN_BYTES
            ),
        )
    except ValueError as error:
        raise InvalidSchema(_reason(error)) from None


def _reason(error: ValueError) -> str:
    """Return why the validator refuses a schema, in one line that quotes little of it."""
    message = str(getattr(error, "message", "")) or type(error).__name__
    return f"it is not valid JSON Schema 2020-12: {message.splitlines()[0][:200]}"


def _measure(root: dict[str, Any]) -> Size:
    """Return the size of a schema.

    Raises InvalidSchema if it is too deep or too large with its references followed, or has forbidden words.
    """
    parts = patterns = 0
    waiting: list[tuple[Any, int]] = [(root, 1)]
    while waiting:
        schema, level = waiting.pop()
        if isinstance(schema, bool):
            continue
        if not isinstance(schema, dict):
            raise InvalidSchema("a schema in it is neither an object nor true or false")
        parts += 1
        named = schema.get("patternProperties")
        patterns += ("pattern" in schema) + (len(named) if isinstance(named, dict) else 0)
        if level > MAX_SCHEMA_LEVELS:
            raise InvalidSchema(
                f"it has more than {MAX_SCHEMA_LEVELS} levels, or a reference that leads back to itself"
            )
        _require_known_words(schema)
        waiting += [(inner, level + 1) for inner in _inner(schema, root)]
        if parts + len(waiting) > MAX_SCHEMA_PARTS:
            raise InvalidSchema(
                f"it consists of more than {MAX_SCHEMA_PARTS} schemas where references are followed"
            )
    return Size(parts, patterns)


def _require_known_words(schema: dict[str, Any]) -> None:
    for word in _REFUSED:
        if word in schema:
            raise InvalidSchema(f"`{word}` is not supported; use `$ref` to `#/$defs/…`")
    if schema.get("$schema", _DRAFT) != _DRAFT:
        raise InvalidSchema(f"`$schema` must be {_DRAFT}, or left out")


def _inner(schema: dict[str, Any], root: dict[str, Any]) -> Iterator[Any]:
    for word, value in schema.items():
        if word in _ONE:
            yield value
        elif word in _LISTS and isinstance(value, list):
            yield from value
        elif word in _BY_NAME and isinstance(value, dict):
            yield from value.values()
        elif word == "$ref":
            yield _referred(value, root)


def _referred(reference: Any, root: dict[str, Any]) -> Any:
    match = _REFERENCE.fullmatch(reference) if isinstance(reference, str) else None
    if match is None:
        shown = quoted(reference) if isinstance(reference, str) else "of another type than text"
        raise InvalidSchema(f"the reference {shown} does not lead to `#/$defs/…`")
    definitions = root.get(match[1])
    if not isinstance(definitions, dict) or match[2] not in definitions:
        raise InvalidSchema(f"the reference {quoted(reference)} leads to nothing")
    return definitions[match[2]]
