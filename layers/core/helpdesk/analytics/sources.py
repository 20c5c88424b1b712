"""What a change in the table's stream is about, as typed records."""

from collections.abc import Mapping
from typing import Any

from helpdesk.platform.record import Record
from helpdesk.storage import keys, table
from helpdesk.storage.item_key import ItemKey
from helpdesk.storage.table import Item, from_wire

_TIME_TO_LIVE = "dynamodb.amazonaws.com"
_DIGITS = 40  # the longest sequence number of a stream

_KINDS: tuple[tuple[str, type[ItemKey]], ...] = (
    ("MSG#", keys.Message),
    ("RATING#", keys.Rating),
    ("LOG#", keys.LogEntry),
    ("DOC#", keys.KnowledgeDocument),
    ("SUGGESTION#", keys.Suggestion),
    ("APPROVAL#", keys.Approval),
    ("RUN#", keys.AgentRun),
    ("CRAWL#", keys.Crawl),
    ("INVITE#", keys.Invite),
    ("TEST#", keys.ToolTest),
    ("CONV", keys.Conversation),
    ("CUS", keys.Customer),
    ("FILE", keys.File),
    ("SIGNAL", keys.Signal),
    ("TASK", keys.Task),
)


class Change(Record):
    """A change of an item: what it was and what it is, None for nothing. `sequence` sorts as the changes happened.

    `expired` means that the item went by its time to live.
    """

    key: ItemKey
    organization: str
    sequence: str
    old: Item | None
    new: Item | None
    expired: bool = False

    @property
    def is_new(self) -> bool:
        """Whether the item was created."""
        return self.old is None


def read(record: Mapping[str, Any]) -> Change | None:
    """Return the change of a stream's record; None if no row is about its item."""
    change = record["dynamodb"]
    key = key_of(change["Keys"]["PK"]["S"], change["Keys"]["SK"]["S"])
    if key is None:
        return None
    old, new = (change.get(name) for name in ("OldImage", "NewImage"))
    return Change(
        key=key,
        organization=_organization(key),
        sequence=change["SequenceNumber"].zfill(_DIGITS),
        old=None if old is None else from_wire(old),
        new=None if new is None else from_wire(new),
        expired=record.get("userIdentity", {}).get("principalId") == _TIME_TO_LIVE,
    )


def of_item(item: Item) -> Change | None:
    """Return an item as if it came to be before everything in the stream; None if no row is about it."""
    key = key_of(*table.key_of(item))
    return None if key is None else Change(key, _organization(key), "", None, item)


def key_of(pk: str, sk: str) -> ItemKey | None:
    """Return the key of an item that rows are about; None if none is."""
    found = (kind.parse(pk, sk) for prefix, kind in _KINDS if sk.startswith(prefix))
    return next((key for key in found if key is not None), None)


def _organization(key: ItemKey) -> str:
    return key.pk.split("#")[1]


def number_of(record: Mapping[str, Any]) -> str:
    """Return the sequence number by which a record is repeated."""
    number: str = record["dynamodb"]["SequenceNumber"]
    return number
