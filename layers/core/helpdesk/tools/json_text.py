"""Reads JSON that another side wrote, strictly: what two programs could read differently is refused."""

import json
import math
from typing import Any, Never

MAX_DEPTH = 64
"""How deep arrays and objects may be nested."""


class InvalidJsonText(ValueError):
    """The text is not JSON as it is accepted here. The message says why, and quotes at most a name of the text."""


_QUOTED_CHARACTERS = 80


def quoted(text: str) -> str:
    """Return text of another side for a message: on one line, in quotes, at most 80 characters."""
    return json.dumps(text[:_QUOTED_CHARACTERS])


def read(text: bytes) -> Any:
    """Return the value of a JSON text in UTF-8.

    Raises InvalidJsonText for anything else, and for NaN and infinity, a name that an object has twice, unpaired
    surrogates, numbers that no double holds, and nesting deeper than MAX_DEPTH.
    """
    try:
        value = json.loads(
            text.decode("utf-8-sig"),
            object_pairs_hook=_without_repeats,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_small,
        )
    except InvalidJsonText:
        raise
    except UnicodeDecodeError:
        raise InvalidJsonText("it is not UTF-8") from None
    except RecursionError:
        raise InvalidJsonText(f"it is nested deeper than {MAX_DEPTH} levels") from None
    except ValueError:
        # The parser's own message may quote the text.
        raise InvalidJsonText("it is not JSON") from None
    _require_shallow(value)
    _require_encodable(value)
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        repeated = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value] # add returns None, which is false
        raise InvalidJsonText(f"an object has the name {quoted(repeated)} twice")
    return found


def _refuse_constant(name: str) -> Never:
    raise InvalidJsonText(f"it contains {name}, which is not JSON")


_MAX_DIGITS = 300  # fewer than the largest double has


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise InvalidJsonText("a number is too large")
    return value


def _small(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise InvalidJsonText("a number is too large")
    return int(text)


def _require_shallow(value: Any) -> None:
    """Raise InvalidJsonText if a value is nested too deep. Without recursion, whose limit depends on the caller's."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return
    raise InvalidJsonText(f"it is nested deeper than {MAX_DEPTH} levels")


def _require_encodable(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidJsonText("a text contains half of a surrogate pair") from None


def canonical(value: Any) -> str:
    """Return the one text of a JSON value: names sorted, no spaces."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
