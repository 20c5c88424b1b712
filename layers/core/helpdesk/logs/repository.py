"""Items of the log. Entries are kept for a year."""

import hashlib
from typing import Any

from helpdesk.logs.errors import LogNotFound
from helpdesk.logs.schemas import MAX_MS, Chosen, LogEntry, LogKind
from helpdesk.platform import clock, ids
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item

LOG_DAYS = 365
_ALL_RANDOM_BITS = 2**80 - 1


def new_item(organization: str, kind: LogKind, actor: str, summary: str, detail: dict[str, Any]) -> Item:
    """Return the item of a new entry."""
    log_id = ids.new("log")
    return {
        **keys.LogEntry(organization, log_id).attributes(),
        **_listed_by_kind(organization, kind, log_id),
        "id": log_id,
        "at": clock.now_ms(),
        "kind": kind.value,
        "actor": actor,
        "summary": summary,
        "detail": detail,
        "expiresAt": clock.seconds_from_now(LOG_DAYS * DAY_SECONDS),
    }


def count_in_minute(organization: str, kind: LogKind, subject: str, actor: str, summary: str) -> None:
    """Add one to the entry of this minute, kind and subject, and make it where it is the first.

    The entry's id follows from those three, so all writers of one minute meet in one item.
    """
    minute = clock.now_ms() // MINUTE_MS * MINUTE_MS
    digest = hashlib.sha256(f"{organization} {kind} {subject}".encode()).digest()[:10]
    log_id = f"log_{ids.ulid(minute, int.from_bytes(digest))}"
    table.update(
        keys.LogEntry(organization, log_id),
        "SET id = :id, #at = :at, kind = :kind, actor = :actor, summary = :summary, detail = :detail, "
        "expiresAt = :expires, GSI1PK = :list, GSI1SK = :id ADD occurrences :one",
        names={"#at": "at"},
        values={
            ":id": log_id,
            ":at": minute,
            ":kind": kind.value,
            ":actor": actor,
            ":summary": summary,
            ":detail": {"subject": subject},
            ":expires": clock.seconds_from_now(LOG_DAYS * DAY_SECONDS),
            ":list": keys.log_of_kind(organization, kind.value),
            ":one": 1,
        },
    )


def get(organization: str, log_id: str) -> LogEntry:
    """Return one entry. Raises LogNotFound."""
    item = table.get(keys.LogEntry(organization, log_id), consistent=False)
    if item is None:
        raise LogNotFound
    return _from_item(item)


def newest(
    organization: str, limit: int, before: str | None, chosen: Chosen
) -> tuple[list[LogEntry], str | None]:
    """Return the chosen entries, newest first, older than the id `before`; and the id to go on from, None at the end.

    One query, whatever is chosen: an entry's id begins with its time, and the index keeps each kind by itself.
    """
    first, last = _ids_between(chosen)
    if chosen.kind is None:
        page = table.query(
            keys.LogEntry(organization, "-").pk,
            sk_between=(keys.LogEntry(organization, first).sk, keys.LogEntry(organization, last).sk),
            limit=limit,
            newest_first=True,
            after=keys.LogEntry(organization, before).attributes() if before else None,
        )
    else:
        after = None
        if before:
            after = keys.LogEntry(organization, before).attributes()
            after |= _listed_by_kind(organization, chosen.kind, before)
        page = table.query(
            keys.log_of_kind(organization, chosen.kind.value),
            index="GSI1",
            sk_between=(first, last),
            limit=limit,
            newest_first=True,
            after=after,
        )
    return [_from_item(item) for item in page.items], page.items[-1]["id"] if page.after else None


def _listed_by_kind(organization: str, kind: LogKind, log_id: str) -> Item:
    """Return the attributes by which GSI1 lists an entry among those of its kind."""
    return {"GSI1PK": keys.log_of_kind(organization, kind.value), "GSI1SK": log_id}


def _ids_between(chosen: Chosen) -> tuple[str, str]:
    """Return the least and the greatest id that an entry of the chosen time can have."""
    first = ids.ulid(chosen.start if chosen.start is not None else 0, 0)
    last = ids.ulid(MAX_MS if chosen.end is None else chosen.end - 1, _ALL_RANDOM_BITS)
    return f"log_{first}", f"log_{last}"


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
