"""A page of a list: its items and the cursor behind which the list goes on."""

from typing import Any

from helpdesk.admission.caller import Caller
from helpdesk.http.schemas import PageQuery
from helpdesk.storage import cursor


def position(caller: Caller, page: PageQuery, query: str) -> Any:
    """Return where the caller's cursor says to go on, or None at the start. Raises InvalidCursor.

    `query` names the list with its filters: a cursor of one list is refused by every other.
    """
    if page.cursor is None:
        return None
    return cursor.decode(page.cursor, query=query, key=caller.cursor_key)


def next_cursor(caller: Caller, position: Any, query: str) -> str | None:
    """Return the cursor for going on behind a position (None: the list ends here)."""
    if position is None:
        return None
    return cursor.encode(position, query=query, key=caller.cursor_key)
