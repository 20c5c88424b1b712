"""Reads the organization's log."""

from helpdesk.logs import repository
from helpdesk.logs.kinds import LogFilter
from helpdesk.logs.record import LogRecord
from helpdesk.logs.schemas import LogEntry
from helpdesk.platform.errors import InvalidRequest


def get(organization: str, log_id: str) -> LogEntry:
    """Return one entry. Raises LogNotFound."""
    return _entry(repository.get(organization, log_id))


def newest(
    organization: str, limit: int, before: str | None, wanted: LogFilter
) -> tuple[list[LogEntry], str | None]:
    """Return a page of matching entries, newest first, and the id after which the next page starts.

    Raises InvalidRequest if the period ends before it starts.
    """
    if wanted.start is not None and wanted.end is not None and wanted.start >= wanted.end:
        raise InvalidRequest("`to` must be after `from`.")
    if wanted.end == 0:
        return [], None
    records, after = repository.newest(organization, limit, before, wanted)
    return [_entry(record) for record in records], after


def _entry(record: LogRecord) -> LogEntry:
    return LogEntry(
        id=record.id,
        at=record.at,
        last_at=record.at if record.last_at is None else record.last_at,
        count=1 if record.occurrences is None else record.occurrences,
        kind=record.kind,
        actor=record.actor,
        summary=record.summary,
        detail=dict(record.detail),
    )
