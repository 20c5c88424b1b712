"""The item of a log entry."""

from collections.abc import Mapping
from typing import Any, Self

from helpdesk.logs.kinds import LogKind
from helpdesk.platform.record import Record
from helpdesk.storage import by_name as by_names
from helpdesk.storage.by_name import ByName
from helpdesk.storage.table import Item


class LogRecord(Record):
    """A log entry as stored. `at` is in ms.

    Refusals of one minute share an entry: `occurrences` counts them, and `last_at` is when the last one happened (ms).
    Other entries have neither.
    """

    id: str
    at: int
    kind: LogKind
    actor: str
    summary: str
    detail: Mapping[str, Any]
    occurrences: int | None = None
    last_at: int | None = None

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an entry's item."""
        occurrences, last_at = item.get("occurrences"), item.get("lastAt")
        return cls(
            id=item["id"],
            at=int(item["at"]),
            kind=LogKind(item["kind"]),
            actor=_actor_from_item(item),
            summary=item["summary"],
            detail=item["detail"],
            occurrences=None if occurrences is None else int(occurrences),
            last_at=None if last_at is None else int(last_at),
        )

    def to_item(self) -> Item:
        """Return the attributes of the entry's item, without its keys and its count."""
        return {
            "id": self.id,
            "at": self.at,
            "kind": self.kind.value,
            "actor": self.actor,
            "actorId": by_names.id_of(self.actor),
            "summary": self.summary,
            "detail": dict(self.detail),
        }


def _actor_from_item(item: Item) -> ByName:
    """Return the actor in an entry. An entry from before ids has a name alone."""
    if "actorId" in item:
        return ByName(item["actor"], item["actorId"])
    return by_names.of_text(item["actor"])
