"""Events and outbox items as they are read back.

They are apart from `outbox`, because most functions only write events (docs/decisions/0030).
"""

from helpdesk.events.outbox import LINE, Job
from helpdesk.platform.record import Record
from helpdesk.storage import attributes, keys
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.table import Item


class StoredEvent(Record):
    """An event as its outbox item holds it. `body` is the JSON text that every attempt of every delivery sends."""

    id: str
    organization: str
    type: str
    created_at: int
    body: str
    only_to: str | None

    @classmethod
    def from_item(cls, item: Item) -> "StoredEvent":
        """Read an event's item. Raises UnreadableItem."""
        return cls(
            id=attributes.text(item, "id"),
            organization=attributes.text(item, "organization"),
            type=attributes.text(item, "type"),
            created_at=attributes.number(item, "createdAt"),
            body=attributes.text(item, "body"),
            only_to=attributes.text(item, "onlyTo") if "onlyTo" in item else None,
        )


class OutboxItem(Record):
    """What the fan-out dispatches: an event with its jobs, jobs alone, or a line of a thread.

    `line` is the organization and the conversation of a system line that came without an event.
    """

    id: str
    event: StoredEvent | None
    jobs: tuple[Job, ...]
    line: tuple[str, str] | None = None

    @classmethod
    def from_item(cls, item: Item) -> "OutboxItem":
        """Read an outbox item. Raises UnreadableItem or another ValueError."""
        if item.get("entity") == LINE:
            key = keys.Note.parse(item["PK"], item["SK"])
            if key is None:
                raise UnreadableItem("PK")
            return cls(key.message_id, None, (), (key.organization, key.conversation_id))
        jobs = item.get("jobs")
        if not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs):
            raise UnreadableItem("jobs")
        return cls(
            id=attributes.text(item, "id"),
            event=StoredEvent.from_item(item) if "body" in item else None,
            jobs=tuple(Job.from_item(job) for job in jobs),
        )
