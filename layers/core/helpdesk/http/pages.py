"""A page of a list: its items, the cursor behind which the list goes on, and how much an answer has room for."""

from collections.abc import Sequence
from typing import Any, Protocol

from helpdesk.http.schemas import Answer, PageQuery
from helpdesk.storage import cursor

MAX_LISTED_BYTES = 5_500_000
"""How much the items of a list may weigh together: Lambda answers 6 MiB at most, the rest of the answer included."""


class CursorSigner(Protocol):
    """The caller of a list, as far as cursors need to know."""

    @property
    def cursor_key(self) -> bytes:
        """The key that signs the cursors of the caller's organization."""


def position(caller: CursorSigner, page: PageQuery, query: str) -> Any:
    """Return where the caller's cursor says to go on, or None at the start. Raises InvalidCursor.

    `query` names the list with its filters: a cursor of one list is refused by every other.
    """
    if page.cursor is None:
        return None
    return cursor.decode(page.cursor, query=query, key=caller.cursor_key)


def next_cursor(caller: CursorSigner, position: Any, query: str) -> str | None:
    """Return the cursor for going on behind a position (None: the list ends here)."""
    if position is None:
        return None
    return cursor.encode(position, query=query, key=caller.cursor_key)


def fitting(parts: Sequence[Answer]) -> int:
    """Return how many of these, from the first on, one answer has room for: at least one, if there are any.

    A page that is ended by it goes on with the next, as one that is ended by its `limit`.
    """
    room = MAX_LISTED_BYTES
    for count, part in enumerate(parts):
        room -= _weight(part)
        if room < 0 and count:
            return count
    return len(parts)


def _weight(part: Answer) -> int:
    """Return how many bytes a part takes in the function's result, where the whole answer is one text in JSON."""
    text = part.model_dump_json(by_alias=True)
    return len(text.encode()) + text.count('"') + text.count("\\") + 1
