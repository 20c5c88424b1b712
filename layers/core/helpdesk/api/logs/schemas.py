"""Request and response schemas of the log's routes."""

from typing import Annotated, Any

from pydantic import Field

from helpdesk.api.http.schemas import Answer, Instant, Milliseconds, PageQuery
from helpdesk.api.logs.kinds import LogKind


class LogEntry(Answer):
    """A log entry."""

    id: str
    at: Milliseconds
    """When it happened. Refusals of one class and minute share an entry: when the first of them happened."""
    last_at: Milliseconds
    """When the last of them happened. The same as `at` on any other entry."""
    count: int
    """How many of them there were. 1 on any other entry."""
    kind: LogKind
    actor: str
    """The name that a person or key has now, or `system`."""
    actor_id: str | None
    """The ID of the person or key. Null for `system`."""
    summary: str
    """One sentence for people."""
    detail: dict[str, Any]
    """Details that depend on the kind. With `userId` it has `userName`, the name that this person has now."""


class LogsQuery(PageQuery):
    """The parameters of GET /logs."""

    kind: LogKind | None = None
    """Only entries of this kind."""
    start: Annotated[Instant | None, Field(alias="from")] = None
    """Only entries whose `lastAt` is at or after this instant, in milliseconds since 1970."""
    end: Annotated[Instant | None, Field(alias="to")] = None
    """Only entries whose `at` is before this instant, in milliseconds since 1970. It must be after `from`."""


class LogsAnswer(Answer):
    """GET /logs, newest first."""

    logs: list[LogEntry]
    """Can be fewer than `limit` while there is a `nextCursor`."""
    next_cursor: str | None
    """Send it as `cursor` for older entries. Null at the end."""


class LogAnswer(Answer):
    """GET /logs/{id}."""

    log: LogEntry
