"""Outbox items as the fan-out reads them."""

from typing import NamedTuple

import msgspec

from helpdesk.events.outbox import LINE, Event, HookDelivery, Job, QueuedJob
from helpdesk.storage.stored import Key, Stored, UnreadableItem
from helpdesk.storage.table import Item


class Line(Stored):
    """A line of a thread, of which only the key is read."""

    VIEW_OF = "Note"
    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "NOTE#{id}"


class OutboxItem(NamedTuple):
    """What the fan-out dispatches: an event with its jobs, jobs alone, or a line of a thread.

    `line` is the organization and the conversation of a system line that came without an event. `hook` is the key of a
    request that a service sent, whose job is removed once it is queued.
    """

    id: str
    event: Event | None
    jobs: tuple[Job, ...]
    line: tuple[str, str] | None = None
    hook: Key | None = None

    @classmethod
    def from_item(cls, item: Item) -> "OutboxItem":
        """Read an outbox item. Raises UnreadableItem or another ValueError."""
        if item.get("entity") == LINE:
            key = Line.parse(item["PK"], item["SK"])
            if key is None:
                raise UnreadableItem("PK")
            return cls(key["id"], None, (), (key["organization"], key["conversation_id"]))
        if "data" in item:
            event = Event.from_item(item)
            return cls(event.id, event, event.jobs)
        if HookDelivery.parse(item["PK"], item["SK"]) is not None:
            # One that was fanned out before has no job any more.
            jobs = msgspec.convert(item.get("jobs", []), tuple[Job, ...])
            return cls(item["id"], None, jobs, hook=Key(item["PK"], item["SK"], HookDelivery))
        queued = QueuedJob.from_item(item)
        return cls(queued.id, None, queued.jobs)
