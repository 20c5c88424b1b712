"""The kinds of log entries, and what chooses among entries: apart from the models, which only the log's routes need."""

from enum import StrEnum
from typing import NamedTuple


class LogKind(StrEnum):
    """The kind of a log entry."""

    API_LIMIT_REACHED = "api_limit_reached"
    AGENT_LIMIT_REACHED = "agent_limit_reached"
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
    MEMBER_RENAMED = "member_renamed"
    MEMBER_ROLE_CHANGED = "member_role_changed"
    MEMBER_REMOVED = "member_removed"
    GRANT_CREATED = "grant_created"
    GRANT_ENDED = "grant_ended"
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
    TOOL_ENDPOINT_CHANGED = "tool_endpoint_changed"
    TOOL_ENDPOINT_REMOVED = "tool_endpoint_removed"
    TOOLS_SYNCED = "tools_synced"
    TOOL_CHANGES_ACCEPTED = "tool_changes_accepted"
    TOOL_CHANGED = "tool_changed"
    TOOL_TESTED = "tool_tested"
    INTEGRATION_CONNECTED = "integration_connected"
    INTEGRATION_CHANGED = "integration_changed"
    INTEGRATION_BROKEN = "integration_broken"
    INTEGRATION_MENDED = "integration_mended"
    INTEGRATION_REMOVED = "integration_removed"


class LogFilter(NamedTuple):
    """The entries to list: of a kind, from `start` (ms, inclusive) to `end` (ms, exclusive). None means no limit."""

    kind: LogKind | None = None
    start: int | None = None
    end: int | None = None
