"""Searches that found nothing: what customers look for and the site does not say."""

import re
from collections.abc import Sequence

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import next_cursor, position
from helpdesk.api.http.schemas import PageQuery
from helpdesk.knowledge.documents import searchable
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.logging import logger
from helpdesk.site import gap_repository as repository
from helpdesk.site.gap_repository import SearchGap
from helpdesk.site.schemas import SearchesAnswer, SearchShape
from helpdesk.storage.table import Throttled

LEAST_SEARCHES = 3
_LATEST = 100

_PERSONAL = re.compile(r"@|\d(?:[ -]?\d){5,}")
"""An address, or a number as long as those of orders and accounts: such a search is not kept."""


def note(organization: str, query: str) -> None:
    """Count a search that found nothing. It is kept without who searched, for 90 days. One call."""
    words = searchable(query)
    if not words or _PERSONAL.search(words):
        return
    try:
        repository.count(organization, sha256_hex(words), words)
    except Throttled:
        logger.info("search_not_noted")


def repeated(organization: str) -> Sequence[SearchGap]:
    """Return what was searched for and not found at least three times, of the 100 latest such searches. One query.

    A single search can be a slip, or something that one visitor alone would call so.
    """
    found, _ = repository.latest(organization, _LATEST, None)
    return [each for each in found if each.count >= LEAST_SEARCHES]


def listed(caller: Caller, query: PageQuery) -> SearchesAnswer:
    """Return the searches that found nothing, the latest first. Raises InvalidCursor."""
    name = "site/searches"
    found, end = repository.latest(caller.organization, query.limit, position(caller, query, name))
    return SearchesAnswer(
        searches=[SearchShape.from_record(each) for each in found],
        next_cursor=next_cursor(caller, end, name),
    )
