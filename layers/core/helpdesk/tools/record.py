"""Tools and tool endpoints as they are stored. Times are milliseconds since 1970."""

import json
from enum import StrEnum
from functools import cached_property
from typing import Any, Self

from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import shards
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored, UnreadableItem, field
from helpdesk.storage.table import Item
from helpdesk.tools.json_text import canonical

LOST_AFTER_MS = 15 * MINUTE_MS
"""How long a sync may be pending. It takes 15 s; the queue's tries of one whose worker dies take half an hour."""


class Risk(StrEnum):
    """What happens before a tool runs: nothing (low), a line in the thread, a second model's review, an approval."""

    LOW = "low"
    MEDIUM = "medium"
    REVIEWED = "reviewed"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """Return the place among the risks; a higher one is more careful."""
        return list(Risk).index(self)

    @property
    def runs_unattended(self) -> bool:
        """Whether no person sees a call before it is made."""
        return self is not Risk.HIGH


def higher(one: Risk, other: Risk | None) -> Risk:
    """Return the higher of two risks."""
    return one if other is None or one.rank >= other.rank else other


class Declaration(Record):
    """A tool as a manifest declares it."""

    name: str
    title: str | None
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    risk: Risk
    requires_identity: bool

    def to_item(self) -> Item:
        """Return the declaration as attributes. Schemas are text, because DynamoDB would change their numbers."""
        return {
            "title": self.title,
            "description": self.description,
            "inputSchema": canonical(self.input_schema),
            "outputSchema": None if self.output_schema is None else canonical(self.output_schema),
            "risk": self.risk.value,
            "requiresIdentity": self.requires_identity,
        }

    def definition(self, endpoint_id: str) -> str:
        """Return the hash of everything declared, and of who declares it."""
        return sha256_hex(canonical([self.name, endpoint_id, self.to_item()]))


class Tool(Stored, kw_only=True):
    """A tool.

    declared          what its manifest declared when the organization last accepted it, by a sync or by an admin. They
                      are attributes of the item itself
    raised_risk       the risk that the organization set; None if it did not
    enabled           whether the agent may call it
    waiting           what the manifest declares now, where that waits for an admin; None otherwise
    withdrawn         whether it is not in force: its manifest dropped it, or with `waiting` no admin has accepted it
                      yet. A dropped tool is kept so that its return is compared
    """

    PK, SK = "ORG#{organization}#TOOLS", "TOOL#{name}"
    organization: str
    declared: Declaration
    endpoint_id: str
    raised_risk: Risk | None = None
    enabled: bool
    waiting: Declaration | None = None
    withdrawn: bool
    updated_at: int

    @property
    def name(self) -> str:
        """The name, unique in the organization."""
        return self.declared.name

    @property
    def title(self) -> str | None:
        """The name for people."""
        return self.declared.title

    @property
    def description(self) -> str:
        """What the tool does, for the model."""
        return self.declared.description

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of its input, an object."""
        return self.declared.input_schema

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """The JSON Schema of its result; None if the manifest gives none."""
        return self.declared.output_schema

    @property
    def requires_identity(self) -> bool:
        """Whether it may only be called for a visitor whose identity is known."""
        return self.declared.requires_identity

    @property
    def risk(self) -> Risk:
        """The effective risk: the higher of the declared one and the organization's."""
        return higher(self.declared.risk, self.raised_risk)

    @property
    def has_choice(self) -> bool:
        """Whether the organization chose something about the tool, which then outlives its endpoint."""
        return self.raised_risk is not None or not self.enabled

    @property
    def is_protected(self) -> bool:
        """Whether anything stands between the model and a call: a risk above low, a required identity, the switch."""
        return self.risk is not Risk.LOW or self.requires_identity or not self.enabled

    @property
    def waiting_id(self) -> str | None:
        """The ID of the change that waits for an admin; None if none does."""
        return None if self.waiting is None else change_id(self.waiting.definition(self.endpoint_id))

    @cached_property
    def definition(self) -> str:
        """The hash of what is declared; an approval of another definition no longer fits."""
        return self.declared.definition(self.endpoint_id)

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a tool's item. Raises UnreadableItem."""
        name, waiting = item["SK"].removeprefix(cls.sk_prefix()), item.get("waiting")
        declared = {
            "declared": _declared_from_item(name, item),
            "waiting": None if waiting is None else _declared_from_item(name, waiting),
        }
        return super().from_item(item | declared)

    def to_item(self) -> Item:
        """Return the tool's item, with the hashes that a write compares."""
        item = super().to_item() | {"definition": self.definition, **self.declared.to_item()}
        del item["declared"]
        if self.waiting is not None:
            item |= {"waiting": self.waiting.to_item(), "waitingId": self.waiting_id}
        return {name: value for name, value in item.items() if value is not None}


def _declared_from_item(name: str, item: Item) -> Item:
    """Return the attributes of a declaration with its schemas as values. Raises UnreadableItem."""
    schemas = {each: item.get(each) for each in ("inputSchema", "outputSchema")}
    for each, text in schemas.items():
        try:
            schemas[each] = None if text is None else json.loads(text)
        except (TypeError, ValueError):
            raise UnreadableItem(each) from None
    return {"title": None, **item, **schemas, "name": name}


class SyncStatus(StrEnum):
    """What the latest sync of an endpoint came to."""

    PENDING = "pending"
    SYNCED = "synced"
    FAILED = "failed"


class ChangeKind(StrEnum):
    """What a sync changed about a tool."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


class ToolChange(Record):
    """A difference that the latest sync found.

    `id` is set while the change waits for an admin, and is of exactly this change. `fields` names what differs.
    """

    tool: str
    kind: ChangeKind
    fields: tuple[str, ...]
    id: str | None


def change_id(definition: str) -> str:
    """Return the ID of the change to a definition."""
    return f"change_{definition[:32]}"


class ToolEndpoint(Stored, kw_only=True):
    """A tool endpoint.

    key_id        the key whose secret signs; None after it was revoked
    sync_id       the latest sync that was asked for; an earlier one writes nothing
    problem       why the latest sync failed; None if it did not
    tools         the names that the latest successful sync found
    changes       what the latest successful sync found different
    last_sync_at  when a sync last ended
    requeues      how often the sync that is pending was queued again, because it was lost
    due_at        its sort key among the pending syncs, which is a time; None if no sync is pending
    """

    PK, SK = "ORG#{organization}#TOOLS", "ENDPOINT#{id}"
    GSI2 = "DUESYNCS#{shard}", "{due_at}"
    organization: str
    id: str
    url: str
    key_id: str | None = None
    created_at: int
    sync_id: str
    status: SyncStatus
    problem: str | None = None
    tools: tuple[str, ...]
    changes: tuple[ToolChange, ...]
    last_sync_at: int | None = None
    requeues: int = 0
    due_at: str | None = field(default=None, name="GSI2SK")

    @property
    def shard(self) -> int:
        """The shard of the index of pending syncs."""
        return shards.shard_of(self.id)


tool_endpoints = Collection(ToolEndpoint)


class ToolEndpointUrl(Stored):
    """The tool endpoint that has an address, by the address's hash; its presence makes that endpoint the only one."""

    PK, SK = "ORG#{organization}#TOOLS", "URL#{url_hash}"
    organization: str
    url_hash: str
    endpoint_id: str


class ToolEndpointCount(Stored):
    """The number of tool endpoints, so that the limit is a condition and not a count."""

    PK, SK = "ORG#{organization}#TOOLS", "COUNT"
    organization: str
    endpoints: int


def due_at() -> str:
    """Return the sort key of a sync that is asked for now, in the index of pending ones.

    The end of the sync removes the entry. One that is due belongs to a sync that was lost on its way (`sync_state`).
    """
    return f"{clock.now_ms() + LOST_AFTER_MS:013d}"
