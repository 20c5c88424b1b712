"""Reads JSON that a client or another service wrote."""

import json
import re
from typing import Any

from pydantic_core import from_json

from helpdesk.platform.errors import InvalidJson

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|.)",
    re.DOTALL,
)
# A double ends at 1.8e308, so a larger number has an exponent of three digits or a few hundred digits.
_MAYBE_INFINITE = re.compile(rb"\d[eE]\+?\d{3}|\d{200}")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read(content: bytes) -> Any:
    """Return the value of a JSON text in UTF-8. Everything in it can be stored and written as JSON again.

    Half of a surrogate pair becomes U+FFFD. Raises InvalidJson for anything that isn't JSON, and for NaN, infinity,
    numbers that no double holds, and nesting deeper than about 200 levels.
    """
    try:
        value = from_json(_without_half_pairs(content.removeprefix(_BYTE_ORDER_MARK)), allow_inf_nan=False)
        if _MAYBE_INFINITE.search(content):
            json.dumps(value, allow_nan=False)  # the parser reads 1e999 as infinity
    except (ValueError, RecursionError) as error:
        # The parser's own words name the reason and the position, and nothing of the body.
        raise InvalidJson(f"{InvalidJson.message} It cannot be read: {error}.") from None
    return value


def _without_half_pairs(content: bytes) -> bytes:
    """Return JSON in which a surrogate that has no partner, and so no form in UTF-8, is U+FFFD.

    Clients that cut text at a number of UTF-16 units send the half of an emoji (RFC 8259, 8.2).
    """
    if _SURROGATE.search(content) is None:
        return content
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], content)
