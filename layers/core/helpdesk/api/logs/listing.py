"""Reads the organization's log."""

from collections.abc import Mapping, Sequence

from helpdesk.api.logs import repository
from helpdesk.api.logs.kinds import LogFilter
from helpdesk.api.logs.record import LogRecord
from helpdesk.api.logs.repository import logs
from helpdesk.api.logs.schemas import LogEntry
from helpdesk.platform.errors import InvalidRequest
from helpdesk.storage import actor_name, names
from helpdesk.storage.actor_name import ActorName


def get(organization: str, log_id: str) -> LogEntry:
    """Return one entry. Raises LogNotFound."""
    [entry] = _entries(organization, [logs.get(organization, log_id, consistent=False)])
    return entry


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
    return _entries(organization, records), after


def _entries(organization: str, records: Sequence[LogRecord]) -> list[LogEntry]:
    """Return entries with the names that people and keys have now. One batch read, or none."""
    shown = [each.actor for each in records]
    about = [ActorName("-", each.detail.get("userId")) for each in records]
    present = names.now(organization, [*shown, *about])
    return [_entry(each, present) for each in records]


def _entry(record: LogRecord, present: Mapping[str, str]) -> LogEntry:
    actor_id, user_name = actor_name.id_of(record.actor), present.get(record.detail.get("userId", ""))
    return LogEntry(
        id=record.id,
        at=record.at,
        last_at=record.at if record.last_at is None else record.last_at,
        count=1 if record.occurrences is None else record.occurrences,
        kind=record.kind,
        actor=present.get(actor_id or "", record.actor),
        actor_id=actor_id,
        summary=record.summary,
        detail={**record.detail, **({"userName": user_name} if user_name else {})},
    )
