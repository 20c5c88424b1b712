"""The items that the index is made of, as they are at this moment."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from helpdesk.storage import keys, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import Item

_PAGE = 500


@dataclass(frozen=True, slots=True)
class EntryName:
    """Which entry of which conversation; a note's item has a sort key of its own."""

    conversation_id: str
    id: str
    note: bool

    def key(self, organization: str) -> keys.Message | keys.Note:
        """Return the key of its item. Raises MalformedKey."""
        kind = keys.Note if self.note else keys.Message
        return kind(organization, self.conversation_id, self.id)


def conversations(organization: str, conversation_ids: Iterable[str]) -> dict[str, Item]:
    """Return the conversations that exist, by id. One call per hundred."""
    wanted = [keys.Conversation(organization, each) for each in dict.fromkeys(conversation_ids)]
    return {str(item["id"]): item for item in table.get_many(wanted).values() if BEING_ERASED not in item}


def customers(organization: str, customer_ids: Iterable[str]) -> dict[str, Item]:
    """Return the customers that exist, by id. One call per hundred."""
    wanted = [keys.Customer(organization, each) for each in dict.fromkeys(customer_ids)]
    return {str(item["id"]): item for item in table.get_many(wanted).values() if BEING_ERASED not in item}


def entries(organization: str, names: Iterable[EntryName]) -> list[Item]:
    """Return the messages and notes that exist. One call per hundred."""
    found = table.get_many([name.key(organization) for name in dict.fromkeys(names)])
    return [item for item in found.values() if _searchable(item)]


def thread(organization: str, conversation_id: str) -> Iterator[Item]:
    """Yield every message and note of a conversation. One call per 500, or per megabyte."""
    partition = keys.Conversation(organization, conversation_id).pk
    for prefix in ("MSG#", "NOTE#"):
        after: Any = None
        while True:
            page = table.query(partition, sk_prefix=prefix, limit=_PAGE, after=after, consistent=True)
            yield from (item for item in page.items if _searchable(item))
            after = page.after
            if after is None:
                break


def _searchable(item: Item) -> bool:
    return item.get("kind") != "system"  # what the service itself notes in a thread
