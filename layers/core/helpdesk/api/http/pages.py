"""Pages of lists: cursors, and the size limit of a response."""

import json
from collections.abc import Sequence
from typing import Any, Protocol

from helpdesk.api.http.schemas import Answer, PageQuery
from helpdesk.storage import cursor

MAX_LISTED_BYTES = 5_500_000
"""The size limit of a list's items. Lambda returns at most 6 MiB, including the rest of the response."""


class CursorSigner(Protocol):
    """The caller of a list, as far as cursors need to know."""

    @property
    def cursor_key(self) -> bytes:
        """The key that signs the cursors of the caller's organization."""


def position(caller: CursorSigner, page: PageQuery, query: str) -> Any:
    """Return the position in the caller's cursor, or None without a cursor. Raises InvalidCursor.

    `query` names the list with its filters. A cursor works only for the list that it was created for.
    """
    if page.cursor is None:
        return None
    return cursor.decode(page.cursor, query=query, key=caller.cursor_key)


def next_cursor(caller: CursorSigner, position: Any, query: str) -> str | None:
    """Return the cursor that continues after a position. None, the end of the list, has no cursor."""
    if position is None:
        return None
    return cursor.encode(position, query=query, key=caller.cursor_key)


def fitting(parts: Sequence[Answer]) -> int:
    """Return how many of the first parts fit one response: at least one, if there are any.

    The next page continues after them, as it does after `limit` items.
    """
    room = MAX_LISTED_BYTES
    for count, part in enumerate(parts):
        room -= _weight(part)
        if room < 0 and count:
            return count
    return len(parts)


def fits(text: str) -> bool:
    """Return whether a text is small enough for one response, in which it is a JSON string."""
    return len(json.dumps(text, ensure_ascii=False).encode()) <= MAX_LISTED_BYTES


def _weight(part: Answer) -> int:
    """Return the bytes of a part in the function's result, in which the response is a JSON string."""
    text = part.model_dump_json(by_alias=True)
    return len(text.encode()) + text.count('"') + text.count("\\") + 1
