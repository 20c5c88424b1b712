"""Log entries as the table holds them."""

from collections.abc import Mapping
from typing import Any

from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform.record import field
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.stored import Stored


class LogRecord(Stored, kw_only=True):
    """An entry of the organization's log; IDs sort by time. `at` and `last_at` are in ms, `expires_at` is in seconds.

    Refusals of one minute share an entry: `occurrences` counts them, and `last_at` is when the last one happened.
    Other entries have neither.
    """

    PK, SK = "ORG#{organization}#LOG", "LOG#{id}"
    GSI1 = "ORG#{organization}#LOG#{kind}", "{id}"
    organization: str
    id: str
    at: int
    kind: LogKind
    actor_name: str = field(name="actor")
    actor_id: str | None = None
    summary: str
    detail: Mapping[str, Any]
    occurrences: int | None = None
    last_at: int | None = None
    expires_at: int

    @property
    def actor(self) -> ActorName:
        """Who did it."""
        return ActorName(self.actor_name, self.actor_id)
