"""Who did something: their name as it was then, with the id that says whose name it is.

A name proves nothing: anyone can take another person's for a minute. So records and logs keep the id beside it, and a
response shows the name that the id has now (`storage.names`).
"""

import re
from typing import Self

from helpdesk.storage.wire import Item

# The name that records got where a key's name wasn't known.
_UNNAMED_KEY = re.compile(r"key (key_[0-9a-z]{26})")


class ActorName(str):
    """A name with an id: a person's (`usr_…`) or a key's (`key_…`); None for the service itself, such as a sync.

    An empty name is that of a key whose name isn't known.
    """

    __slots__ = ("id",)
    id: str | None

    def __new__(cls, name: str, by_id: str | None = None) -> Self:
        """Return the name with its id."""
        made = super().__new__(cls, name)
        made.id = by_id or None
        return made

    def __getnewargs__(self) -> tuple[str, str | None]:  # type: ignore[override] # for copies, which keep the id
        return str(self), self.id


def id_of(name: str | None) -> str | None:
    """Return the id beside a name; None if there is none."""
    return name.id if isinstance(name, ActorName) else None


def of_text(name: str) -> ActorName:
    """Return a name from before ids, which for a key could be `key <id>`."""
    unnamed = _UNNAMED_KEY.fullmatch(name)
    return ActorName("", unnamed[1]) if unnamed else ActorName(name)


def unnamed(by_id: str | None) -> str | None:
    """Return the text that stands for a key without a known name, which `of_text` reads; None without an id."""
    return f"key {by_id}" if by_id else None


def from_item(item: Item, what: str) -> ActorName:
    """Return the name in an attribute such as `createdByName` of an item, with the id in `createdBy`.

    Items from before ids have the name alone.
    """
    name: str = item[f"{what}Name"]
    return ActorName(name, item[what]) if what in item else of_text(name)


def optional_from_item(item: Item, what: str) -> ActorName | None:
    """Return the same for an attribute that can be null or missing."""
    return None if item.get(f"{what}Name") is None else from_item(item, what)


def to_item(what: str, name: str | None) -> Item:
    """Return the two attributes of a name, such as `createdByName` and `createdBy`."""
    return {f"{what}Name": name, what: id_of(name)}
