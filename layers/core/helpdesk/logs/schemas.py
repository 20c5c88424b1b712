"""What goes out of the log's routes."""

from enum import StrEnum
from typing import Any

from helpdesk.http.schemas import Answer, Milliseconds, PageQuery


class LogKind(StrEnum):
    """What a log entry tells of."""

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


class LogEntry(Answer):
    """One entry. `actor` is who did it: a person's name, a key, or "system"; `at` is in ms."""

    id: str
    at: Milliseconds
    kind: LogKind
    actor: str
    """Who did it: a person's name, a key, or `system`."""
    summary: str
    """One sentence for people."""
    detail: dict[str, Any]
    """What it is about, by kind."""


class LogsQuery(PageQuery):
    """The parameters of GET /logs."""


class LogsAnswer(Answer):
    """GET /logs, newest first."""

    logs: list[LogEntry]
    next_cursor: str | None
    """Send it as `cursor` for older entries; null at the end."""


class LogAnswer(Answer):
    """GET /logs/{id}."""

    log: LogEntry
