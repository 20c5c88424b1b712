"""Opaque, signed cursors: the position at which a list continues.

A cursor is bound to the organization (by its own key, which admission returns with the same write that lets the request
in) and to the query it came from. A cursor of another organization or query, or a changed one, is refused. So nobody
can read a partition by writing its key into a cursor.
"""

import base64
import hashlib
import hmac
import json
from typing import Any

from helpdesk.platform.errors import InvalidCursor

_TAG_BYTES = 16


def encode(position: Any, *, query: str, key: bytes) -> str:
    """Return a cursor for a position (anything JSON holds) of a query (text that names route and filters)."""
    body = json.dumps(position, separators=(",", ":"), ensure_ascii=False).encode()
    return _text(_tag(body, query, key) + body)


def decode(cursor: str, *, query: str, key: bytes) -> Any:
    """Return the position that a cursor of this query holds. Raises InvalidCursor for every other text."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except ValueError:
        raise InvalidCursor from None
    if _text(raw) != cursor:  # base64 has many spellings of the same bytes; one of them was given out
        raise InvalidCursor
    tag, body = raw[:_TAG_BYTES], raw[_TAG_BYTES:]
    if not hmac.compare_digest(tag, _tag(body, query, key)):
        raise InvalidCursor
    return json.loads(body)


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _tag(body: bytes, query: str, key: bytes) -> bytes:
    return hmac.new(key, query.encode() + b"\0" + body, hashlib.sha256).digest()[:_TAG_BYTES]
