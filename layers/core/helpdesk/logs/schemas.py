"""Request and response schemas of the log's routes."""

from enum import StrEnum
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, Field

from helpdesk.http.schemas import Answer, Milliseconds, PageQuery, QueryInteger, schema_hint

MAX_MS = 2**48 - 1
"""The last instant that an id can start with, in the year 10889."""


def _instant(value: int) -> int:
    if value > MAX_MS:
        raise ValueError("must be an instant in milliseconds since 1970")
    return value


Instant = Annotated[
    QueryInteger, AfterValidator(_instant), schema_hint(format="int64", minimum=0, maximum=MAX_MS)
]


class LogKind(StrEnum):
    """The kind of a log entry."""

    API_LIMIT_REACHED = "api_limit_reached"
    WEBHOOK_STOPPED_ANSWERING = "webhook_stopped_answering"
    WEBHOOK_ANSWERING_AGAIN = "webhook_answering_again"
    WEBHOOK_CREATED = "webhook_created"
    WEBHOOK_CHANGED = "webhook_changed"
    WEBHOOK_REMOVED = "webhook_removed"
    SETTINGS_CHANGED = "settings_changed"
    KEY_CREATED = "key_created"
    KEY_REVOKED = "key_revoked"
    KEY_IMPORTED = "key_imported"
    MEMBER_JOINED = "member_joined"
    MEMBER_ROLE_CHANGED = "member_role_changed"
    MEMBER_REMOVED = "member_removed"
    INVITE_CREATED = "invite_created"
    INVITE_RESENT = "invite_resent"
    INVITE_WITHDRAWN = "invite_withdrawn"
    ORGANIZATION_CREATED = "organization_created"
    CUSTOMER_ERASED = "customer_erased"
    RETENTION_APPLIED = "retention_applied"
    CRAWL_ENDED_EARLY = "crawl_ended_early"
    TOOL_CALL_APPROVED = "tool_call_approved"
    TOOL_CALL_DENIED = "tool_call_denied"
    TOOL_CALL_EXPIRED = "tool_call_expired"
    TOOL_ENDPOINT_ADDED = "tool_endpoint_added"
    TOOL_ENDPOINT_REMOVED = "tool_endpoint_removed"
    TOOLS_SYNCED = "tools_synced"
    TOOL_CHANGES_ACCEPTED = "tool_changes_accepted"
    TOOL_CHANGED = "tool_changed"
    INTEGRATION_CONNECTED = "integration_connected"
    INTEGRATION_BROKEN = "integration_broken"
    INTEGRATION_MENDED = "integration_mended"
    INTEGRATION_REMOVED = "integration_removed"


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
    """A person's name, a key, or `system`."""
    summary: str
    """One sentence for people."""
    detail: dict[str, Any]
    """Details that depend on the kind."""


class LogFilter(NamedTuple):
    """The entries to list: of a kind, from `start` (ms, inclusive) to `end` (ms, exclusive). None means no limit."""

    kind: LogKind | None = None
    start: int | None = None
    end: int | None = None


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
