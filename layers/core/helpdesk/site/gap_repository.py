"""The items of searches that found nothing."""

from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import keys, table

KEPT_DAYS = 90


class SearchGap(Record):
    """A search that found nothing: its words, how often, and when last (ms)."""

    query: str
    count: int
    last_at: int


def count(organization: str, query_hash: str, query: str) -> None:
    """Count a search. One call."""
    now = clock.now_ms()
    table.update(
        keys.SearchGap(organization, query_hash),
        "SET #query = :query, lastAt = :now, expiresAt = :until, GSI1PK = :list, GSI1SK = :place ADD #count :one",
        names={"#query": "query", "#count": "count"},
        values={
            ":query": query,
            ":now": now,
            ":until": (now + KEPT_DAYS * DAY_MS) // 1_000,
            ":list": keys.search_gaps(organization),
            ":place": f"{now:015d}#{query_hash}",
            ":one": 1,
        },
    )


def latest(organization: str, limit: int, before: str | None) -> tuple[list[SearchGap], str | None]:
    """Return searches before a place, the latest first, and the place to continue from. One query."""
    partition = keys.search_gaps(organization)
    after = None
    if before is not None:
        after = {
            **keys.SearchGap(organization, before.partition("#")[2]).attributes(),
            "GSI1PK": partition,
            "GSI1SK": before,
        }
    page = table.query(partition, index="GSI1", limit=limit, newest_first=True, after=after)
    found = [SearchGap(item["query"], int(item["count"]), item["lastAt"]) for item in page.items]
    return found, None if page.after is None else str(page.after["GSI1SK"])
