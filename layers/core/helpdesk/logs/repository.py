"""The items of the log. Entries are kept for a year."""

import hashlib

from helpdesk.logs.errors import LogNotFound
from helpdesk.logs.kinds import MAX_MS, LogFilter, LogKind
from helpdesk.logs.record import LogRecord
from helpdesk.platform import clock, ids
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import keys, table
from helpdesk.storage.table import Filter, Item

LOG_DAYS = 365
_ALL_RANDOM_BITS = 2**80 - 1


def new_item(organization: str, record: LogRecord) -> Item:
    """Return the item of a new entry, for a transaction."""
    return {
        **keys.LogEntry(organization, record.id).attributes(),
        **_index_attributes(organization, record.kind, record.id),
        **record.to_item(),
        "expiresAt": clock.seconds_from_now(LOG_DAYS * DAY_SECONDS),
    }


def count_in_minute(organization: str, kind: LogKind, subject: str, actor: str, summary: str) -> None:
    """Increment the entry of this minute, kind and subject; create it if it is the first.

    The entry's id is derived from those three, so all writers of one minute share an item. It begins with the minute's
    first instant; `at` and `lastAt` are those of the first and the last occurrence.
    """
    now = clock.now_ms()
    minute = now // MINUTE_MS * MINUTE_MS
    digest = hashlib.sha256(f"{organization} {kind} {subject}".encode()).digest()[:10]
    log_id = f"log_{ids.ulid(minute, int.from_bytes(digest))}"
    table.update(
        keys.LogEntry(organization, log_id),
        "SET id = :id, #at = if_not_exists(#at, :now), lastAt = :now, kind = :kind, actor = :actor, "
        "summary = :summary, detail = :detail, expiresAt = :expires, GSI1PK = :list, GSI1SK = :id "
        "ADD occurrences :one",
        names={"#at": "at"},
        values={
            ":id": log_id,
            ":now": now,
            ":kind": kind.value,
            ":actor": actor,
            ":summary": summary,
            ":detail": {"subject": subject},
            ":expires": clock.seconds_from_now(LOG_DAYS * DAY_SECONDS),
            ":list": keys.log_of_kind(organization, kind.value),
            ":one": 1,
        },
    )


def get(organization: str, log_id: str) -> LogRecord:
    """Return one entry. Raises LogNotFound."""
    item = table.get(keys.LogEntry(organization, log_id), consistent=False)
    if item is None:
        raise LogNotFound
    return LogRecord.from_item(item)


def newest(
    organization: str, limit: int, before: str | None, wanted: LogFilter
) -> tuple[list[LogRecord], str | None]:
    """Return matching entries older than the id `before`, newest first; and the id to continue from, None at the end.

    Any filter is one query: an entry's id starts with its time, and the index lists each kind separately. A period
    begins to be read at its first minute, because an entry that counts may have begun before the period. The page can
    then be shorter than `limit`.
    """
    first, last = _ids_between(wanted)
    matching = _meets(wanted)
    if wanted.kind is None:
        page = table.query(
            keys.LogEntry(organization, "-").pk,
            sk_between=(keys.LogEntry(organization, first).sk, keys.LogEntry(organization, last).sk),
            limit=limit,
            newest_first=True,
            matching=matching,
            after=keys.LogEntry(organization, before).attributes() if before else None,
        )
    else:
        after = None
        if before:
            after = keys.LogEntry(organization, before).attributes()
            after |= _index_attributes(organization, wanted.kind, before)
        page = table.query(
            keys.log_of_kind(organization, wanted.kind.value),
            index="GSI1",
            sk_between=(first, last),
            limit=limit,
            newest_first=True,
            matching=matching,
            after=after,
        )
    end = keys.LogEntry.parse(page.after["PK"], page.after["SK"]) if page.after else None
    return [LogRecord.from_item(item) for item in page.items], end.log_id if end else None


def _index_attributes(organization: str, kind: LogKind, log_id: str) -> Item:
    """Return the attributes with which GSI1 lists an entry by its kind."""
    return {"GSI1PK": keys.log_of_kind(organization, kind.value), "GSI1SK": log_id}


def _ids_between(wanted: LogFilter) -> tuple[str, str]:
    """Return the lowest and the highest id that an entry in the wanted period can have."""
    first = ids.ulid(wanted.start // MINUTE_MS * MINUTE_MS if wanted.start is not None else 0, 0)
    last = ids.ulid(MAX_MS if wanted.end is None else wanted.end - 1, _ALL_RANDOM_BITS)
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
