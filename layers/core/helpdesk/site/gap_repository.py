"""The items of searches that found nothing."""

from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored

KEPT_DAYS = 90


class SearchGap(Stored, kw_only=True):
    """A search that found nothing: its words, how often, and when last (ms)."""

    PK, SK = "ORG#{organization}#SEARCHGAP#{query_hash}", "SEARCHGAP"
    GSI1 = "ORG#{organization}#SEARCHGAPS", "{last_at:015d}#{query_hash}"

    organization: str
    query_hash: str
    query: str
    count: int
    last_at: int
    expires_at: int


def count(organization: str, query_hash: str, query: str) -> None:
    """Count a search. One call."""
    now = clock.now_ms()
    gap = SearchGap(
        organization=organization,
        query_hash=query_hash,
        query=query,
        count=1,
        last_at=now,
        expires_at=(now + KEPT_DAYS * DAY_MS) // 1_000,
    )
    values = {"query": query, "last_at": now, "expires_at": gap.expires_at}
    table.change(gap.key, set=values | gap.index_entry("GSI1"), add={"count": 1}, or_new=True)


def latest(organization: str, limit: int, before: str | None) -> tuple[list[SearchGap], str | None]:
    """Return searches before a place, the latest first, and the place to continue from. One query."""
    after = None
    if before is not None:
        key = SearchGap.key_for(organization, before.partition("#")[2])
        after = {**key.attributes(), "GSI1SK": before}
    page = Collection(SearchGap).page(organization, index="GSI1", limit=limit, newest_first=True, after=after)
    return page.records, None if page.after is None else str(page.after["GSI1SK"])
