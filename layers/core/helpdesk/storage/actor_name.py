"""Who did something: their name as it was then, with the id that says whose name it is.

A name proves nothing: anyone can take another person's for a minute. So records and logs keep the id beside it, and a
response shows the name that the id has now (`storage.names`).
"""

from typing import Self

from helpdesk.storage.wire import Item


class ActorName(str):
    """A name with an id: a person's (`usr_…`) or a key's (`key_…`); None for the service itself, such as a sync."""

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


def optional_from_item(item: Item, what: str) -> ActorName | None:
    """Return the name in an attribute such as `createdByName` of an item, with the id in `createdBy`."""
    name = item.get(f"{what}Name")
    return None if name is None else ActorName(name, item.get(what))


def to_item(what: str, name: str | None) -> Item:
    """Return the two attributes of a name, such as `createdByName` and `createdBy`."""
    return {f"{what}Name": name, what: id_of(name)}
