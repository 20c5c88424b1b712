"""The items of the log. Entries are kept for a year."""

import hashlib
from typing import Any

from helpdesk.api.logs.errors import LogNotFound
from helpdesk.api.logs.kinds import LogFilter, LogKind
from helpdesk.api.logs.record import LogRecord
from helpdesk.platform import clock, ids
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import actor_name, table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Index
from helpdesk.storage.table import Filter, Item

LOG_DAYS = 365
_ALL_RANDOM_BITS = 2**80 - 1

logs = Collection(LogRecord, missing=LogNotFound)


def new(organization: str, log_id: str, kind: LogKind, actor: str, summary: str, detail: Any) -> LogRecord:
    """Return a new entry of this moment."""
    return LogRecord(
        organization=organization,
        id=log_id,
        at=clock.now_ms(),
        kind=kind,
        actor_name=str(actor),
        actor_id=actor_name.id_of(actor),
        summary=summary,
        detail=detail,
        expires_at=clock.seconds_from_now(LOG_DAYS * DAY_SECONDS),
    )


def count_in_minute(organization: str, kind: LogKind, subject: str, actor: str, summary: str) -> None:
    """Increment the entry of this minute, kind and subject; create it if it is the first.

    The entry's ID is derived from those three, so all writers of one minute share an item. It begins with the minute's
    first instant; `at` and `lastAt` are those of the first and the last occurrence.
    """
    minute = clock.now_ms() // MINUTE_MS * MINUTE_MS
    digest = hashlib.sha256(f"{organization} {kind} {subject}".encode()).digest()[:10]
    log_id = f"log_{ids.ulid(minute, int.from_bytes(digest))}"
    entry = new(organization, log_id, kind, actor, summary, {"subject": subject})
    item = entry.to_item() | {"lastAt": entry.at}
    values = {name: value for name, value in item.items() if name not in {"PK", "SK", "at"}}
    assignments = ", ".join(f"#{name} = :{name}" for name in values)
    table.update(
        entry.key,
        f"SET #at = if_not_exists(#at, :lastAt), {assignments} ADD occurrences :one",
        names={"#at": "at", **{f"#{name}": name for name in values}},
        values={":one": 1, **{f":{name}": value for name, value in values.items()}},
    )


def newest(
    organization: str, limit: int, before: str | None, wanted: LogFilter
) -> tuple[list[LogRecord], str | None]:
    """Return matching entries older than the ID `before`, newest first; and the ID to continue from, None at the end.

    Any filter is one query: an entry's ID starts with its time, and the index lists each kind separately. A period
    begins to be read at its first minute, because an entry that counts may have begun before the period. The page can
    then be shorter than `limit`.
    """
    index: Index | None = None if wanted.kind is None else "GSI1"
    prefix = LogRecord.sk_prefix() if wanted.kind is None else ""
    scope = [organization] if wanted.kind is None else [organization, wanted.kind.value]
    partition = LogRecord.partition_for(*scope, index=index)
    first, last = _ids_between(wanted)
    after: Item | None = None
    if before:
        after = LogRecord.key_for(organization, before).attributes()
        after |= {"GSI1SK": before} if index else {}
    page = table.query(
        partition,
        index=index,
        sk_between=(prefix + first, prefix + last),
        limit=limit,
        newest_first=True,
        matching=_meets(wanted),
        after=after,
    )
    records = [LogRecord.from_item(item) for item in page.items]
    end = LogRecord.parse(*table.key_of(page.after)) if page.after else None
    return records, end["id"] if end else None


def _ids_between(wanted: LogFilter) -> tuple[str, str]:
    """Return the lowest and the highest id that an entry in the wanted period can have."""
    first = ids.ulid(wanted.start // MINUTE_MS * MINUTE_MS if wanted.start is not None else 0, 0)
    last = ids.ulid(ids.MAX_MS if wanted.end is None else wanted.end - 1, _ALL_RANDOM_BITS)
    return f"log_{first}", f"log_{last}"


def _meets(wanted: LogFilter) -> Filter | None:
    """Return the filter for entries whose time from `at` to `lastAt` meets the wanted period; None for any."""
    parts, values = [], {}
    if wanted.start is not None:
        parts.append("(lastAt >= :start OR #at >= :start)")
        values[":start"] = wanted.start
    if wanted.end is not None:
        parts.append("#at < :end")
        values[":end"] = wanted.end
    return Filter(" AND ".join(parts), {"#at": "at"}, values) if parts else None
