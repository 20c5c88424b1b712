"""Searches that found nothing that fits: what customers look for and the site does not say."""

import re
from collections.abc import Sequence

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import next_cursor, position
from helpdesk.api.http.schemas import PageQuery
from helpdesk.knowledge import service as knowledge
from helpdesk.knowledge.documents import searchable
from helpdesk.knowledge.schemas import AliasInput, DocumentChangedAnswer, DocumentSummary
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.logging import logger
from helpdesk.platform.units import DAY_MS
from helpdesk.site.schemas import SearchesAnswer, SearchShape
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import Throttled

KEPT_DAYS = 90
LEAST_SEARCHES = 3
_LATEST = 100

_PERSONAL = re.compile(r"@|\d(?:[ -]?\d){5,}")
"""An address, or a number as long as those of orders and accounts: such a search is not kept."""


class SearchGap(Stored, kw_only=True):
    """A search that found nothing that fits: its words, how often, and when last (ms)."""

    PK, SK = "ORG#{organization}#SEARCHGAP#{query_hash}", "SEARCHGAP"
    GSI1 = "ORG#{organization}#SEARCHGAPS", "{place}"

    organization: str
    query_hash: str
    query: str
    count: int
    last_at: int
    expires_at: int

    @property
    def place(self) -> str:
        """Its place in the list of the latest."""
        return f"{self.last_at:015d}#{self.query_hash}"


def note(organization: str, query: str) -> None:
    """Count a search that found nothing that fits. It is kept without who searched, for 90 days. One call."""
    words = searchable(query)
    if not words or _PERSONAL.search(words):
        return
    now = clock.now_ms()
    gap = SearchGap(
        organization=organization,
        query_hash=sha256_hex(words),
        query=words,
        count=1,
        last_at=now,
        expires_at=(now + KEPT_DAYS * DAY_MS) // 1_000,
    )
    values = {"query": words, "last_at": now, "expires_at": gap.expires_at}
    try:
        table.change(gap.key, set=values | gap.index_entry("GSI1"), add={"count": 1}, or_new=True)
    except Throttled:
        logger.info("search_not_noted")


def close(caller: Caller, document_id: str, wanted: AliasInput) -> DocumentChangedAnswer:
    """Add words to the aliases of a document. A search for them that found nothing is not listed any more.

    Raises DocumentNotFound, InvalidRequest. Calls: record, transaction.
    """
    gap = SearchGap.key_for(caller.organization, sha256_hex(searchable(wanted.alias)))
    changed = knowledge.change(
        caller.organization,
        document_id,
        knowledge.Change(new_alias=wanted.alias),
        caller.actor,
        extra_writes=lambda transaction: transaction.delete(gap),
    )
    return DocumentChangedAnswer(document=DocumentSummary.from_record(changed))


def repeated(organization: str) -> Sequence[SearchGap]:
    """Return what was searched for and not found at least three times, of the 100 latest such searches. One query.

    A single search can be a slip, or something that one visitor alone would call so.
    """
    found, _ = _latest(organization, _LATEST, None)
    return [each for each in found if each.count >= LEAST_SEARCHES]


def listed(caller: Caller, query: PageQuery) -> SearchesAnswer:
    """Return the searches that found nothing that fits, the latest first. Raises InvalidCursor."""
    name = "site/searches"
    found, end = _latest(caller.organization, query.limit, position(caller, query, name))
    return SearchesAnswer(
        searches=[SearchShape.from_record(each) for each in found],
        next_cursor=next_cursor(caller, end, name),
    )


def _latest(organization: str, limit: int, before: str | None) -> tuple[list[SearchGap], str | None]:
    """Return searches before a place, the latest first, and the place to continue from. One query."""
    after = None
    if before is not None:
        key = SearchGap.key_for(organization, before.partition("#")[2])
        after = {**key.attributes(), "GSI1SK": before}
    page = Collection(SearchGap).page(organization, index="GSI1", limit=limit, newest_first=True, after=after)
    return page.records, None if page.after is None else page.records[-1].place
