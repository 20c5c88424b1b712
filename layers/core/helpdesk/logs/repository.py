"""Items of the log. Entries are kept for a year."""

import hashlib
from typing import Any

from helpdesk.logs.errors import LogNotFound
from helpdesk.logs.schemas import LogEntry, LogKind
from helpdesk.platform import clock, ids
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item

LOG_DAYS = 365
_DAY_SECONDS = 86_400
_MINUTE_MS = 60_000


def new_item(organization: str, kind: LogKind, actor: str, summary: str, detail: dict[str, Any]) -> Item:
    """Return the item of a new entry."""
    log_id = ids.new("log")
    return {
        **keys.LogEntry(organization, log_id).attributes(),
        "id": log_id,
        "at": clock.now_ms(),
        "kind": kind.value,
        "actor": actor,
        "summary": summary,
        "detail": detail,
        "expiresAt": clock.seconds_from_now(LOG_DAYS * _DAY_SECONDS),
    }


def count_in_minute(organization: str, kind: LogKind, subject: str, actor: str, summary: str) -> None:
    """Add one to the entry of this minute, kind and subject, and make it where it is the first.

    The entry's id follows from those three, so all writers of one minute meet in one item.
    """
    minute = clock.now_ms() // _MINUTE_MS * _MINUTE_MS
    digest = hashlib.sha256(f"{organization} {kind} {subject}".encode()).digest()[:10]
    log_id = f"log_{ids.ulid(minute, int.from_bytes(digest))}"
    table.update(
        keys.LogEntry(organization, log_id),
        "SET id = :id, #at = :at, kind = :kind, actor = :actor, summary = :summary, detail = :detail, "
        "expiresAt = :expires ADD occurrences :one",
        names={"#at": "at"},
        values={
            ":id": log_id,
            ":at": minute,
            ":kind": kind.value,
            ":actor": actor,
            ":summary": summary,
            ":detail": {"subject": subject},
            ":expires": clock.seconds_from_now(LOG_DAYS * _DAY_SECONDS),
            ":one": 1,
        },
    )


def get(organization: str, log_id: str) -> LogEntry:
    """Return one entry. Raises LogNotFound."""
    item = table.get(keys.LogEntry(organization, log_id), consistent=False)
    if item is None:
        raise LogNotFound
    return _from_item(item)


def newest(organization: str, limit: int, before: str | None) -> tuple[list[LogEntry], str | None]:
    """Return entries, newest first, older than the id `before`; and the id to go on from, None at the end."""
    partition = keys.LogEntry(organization, "-")
    after = keys.LogEntry(organization, before).attributes() if before else None
    page = table.query(partition.pk, sk_prefix="LOG#", limit=limit, newest_first=True, after=after)
    return [_from_item(item) for item in page.items], page.items[-1]["id"] if page.after else None


def _from_item(item: Item) -> LogEntry:
    detail = dict(item["detail"])
    if "occurrences" in item:
        detail["count"] = item["occurrences"]
    return LogEntry(
        id=item["id"],
        at=item["at"],
        kind=LogKind(item["kind"]),
        actor=item["actor"],
        summary=item["summary"],
        detail=detail,
    )
