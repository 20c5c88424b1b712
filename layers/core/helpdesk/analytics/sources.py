"""What a change in the table's stream is about, as typed records."""

from collections.abc import Mapping
from typing import Any

from helpdesk.accounts.invites.record import Invite
from helpdesk.agent_runs.record import Run
from helpdesk.analytics import repository
from helpdesk.api.logs.record import LogRecord
from helpdesk.conversations.files.record import File
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Conversation, Rating
from helpdesk.customers.record import Customer
from helpdesk.knowledge.crawls.record import Crawl
from helpdesk.knowledge.documents import Document
from helpdesk.platform.record import Record
from helpdesk.signals.record import Signal
from helpdesk.storage import table
from helpdesk.storage.stored import Key, Stored
from helpdesk.storage.table import Item, from_wire
from helpdesk.suggestions.record import Suggestion
from helpdesk.tasks.record import Task
from helpdesk.tools.approvals.record import Approval
from helpdesk.tools.call_log import ToolTestRun

_TIME_TO_LIVE = "dynamodb.amazonaws.com"
_DIGITS = 40  # the longest sequence number of a stream

_KINDS: tuple[tuple[str, type[Stored]], ...] = (
    ("MSG#", Message),
    ("RATING#", Rating),
    ("LOG#", LogRecord),
    ("DOC#", Document),
    ("SUGGESTION#", Suggestion),
    ("APPROVAL#", Approval),
    ("RUN#", Run),
    ("CRAWL#", Crawl),
    ("INVITE#", Invite),
    ("TEST#", ToolTestRun),
    ("CONV", Conversation),
    ("CUS", Customer),
    ("FILE", File),
    ("SIGNAL", Signal),
    ("TASK", Task),
)


class Source(Record):
    """An item that rows are about: its kind, its key, and the parts of the key by their names."""

    kind: type[Stored]
    key: Key
    parts: Mapping[str, str]

    @property
    def id(self) -> str:
        """The last part of the key, which is the id of each of these items."""
        return list(self.parts.values())[-1]


class Change(Record):
    """A change of an item: what it was and what it is, None for nothing. `sequence` sorts as the changes happened.

    What is being erased is nothing already. `expired` means that the item went by its time to live.
    """

    source: Source
    sequence: str
    old: Item | None
    new: Item | None
    expired: bool = False

    @property
    def kind(self) -> type[Stored]:
        """The kind of the item."""
        return self.source.kind

    @property
    def organization(self) -> str:
        """The organization of the item."""
        return self.source.parts["organization"]

    @property
    def is_new(self) -> bool:
        """Whether the item was created."""
        return self.old is None


def read(record: Mapping[str, Any]) -> Change | None:
    """Return the change of a stream's record; None if no row is about its item."""
    change = record["dynamodb"]
    source = source_of(change["Keys"]["PK"]["S"], change["Keys"]["SK"]["S"])
    if source is None:
        return None
    old, new = (change.get(name) for name in ("OldImage", "NewImage"))
    return Change(
        source=source,
        sequence=change["SequenceNumber"].zfill(_DIGITS),
        old=None if old is None else from_wire(old),
        new=None if repository.is_gone(new) else from_wire(new),
        expired=record.get("userIdentity", {}).get("principalId") == _TIME_TO_LIVE,
    )


def of_item(item: Item) -> Change | None:
    """Return an item as if it came to be before everything in the stream; None if no row is about it."""
    source = source_of(*table.key_of(item))
    return None if source is None else Change(source, "", None, None if repository.is_gone(item) else item)


def source_of(pk: str, sk: str) -> Source | None:
    """Return which item a key is of; None if no rows are about it."""
    for prefix, kind in _KINDS:
        if sk.startswith(prefix) and (parts := kind.parse(pk, sk)) is not None:
            return Source(kind, Key(pk, sk, kind), parts)
    return None


def number_of(record: Mapping[str, Any]) -> str:
    """Return the sequence number by which a record is repeated."""
    number: str = record["dynamodb"]["SequenceNumber"]
    return number
