"""Reads an item's attributes by type, so that an item in an unexpected form is noticed where it is read.

A later version that was rolled back, or an operator's edit, can leave such items. They must not reach code that handles
the records of many organizations at once.
"""

from helpdesk.storage.stored import UnreadableItem
from helpdesk.storage.wire import Item

__all__ = ["UnreadableItem", "flag", "number", "optional_number", "optional_text", "text"]


def text(item: Item, name: str) -> str:
    """Return an attribute that is text and not empty. Raises UnreadableItem."""
    value = item.get(name)
    if isinstance(value, str) and value:
        return value
    raise UnreadableItem(name)


def optional_text(item: Item, name: str) -> str | None:
    """Return an attribute that is text or null. Raises UnreadableItem if it is neither, or missing."""
    return None if name in item and item[name] is None else text(item, name)


def number(item: Item, name: str) -> int:
    """Return an attribute that is a whole number. Raises UnreadableItem."""
    value = item.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise UnreadableItem(name)


def optional_number(item: Item, name: str) -> int | None:
    """Return an attribute that is a whole number or null. Raises UnreadableItem if it is neither, or missing."""
    return None if name in item and item[name] is None else number(item, name)


def flag(item: Item, name: str) -> bool:
    """Return an attribute that is true or false. Raises UnreadableItem."""
    value = item.get(name)
    if isinstance(value, bool):
        return value
    raise UnreadableItem(name)
