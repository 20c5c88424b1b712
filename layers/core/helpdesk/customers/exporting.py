"""Customers as CSV."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.csv_content import CsvText, csv_text, page_url
from helpdesk.api.http.pages import fits
from helpdesk.customers import listing
from helpdesk.customers.schemas import CustomerShape, CustomersQuery

ON_A_PAGE = 1_000
"""How many customers a page has if the request doesn't say: about 400 KB."""
_COLUMNS = ("id", "name", "email", "avatarUrl", "mailNotices", "createdAt", "updatedAt", "metadata")


def as_csv(caller: Caller, query: CustomersQuery, list_url: str) -> CsvText:
    """Return a page of customers as CSV. Raises InvalidRequest, InvalidCursor.

    Times are in UTC (ISO 8601), and metadata is a JSON object in one column, so that every page has the same columns.
    """
    is_sized = "limit" in query.model_fields_set or query.q is not None
    size = query.limit if is_sized else ON_A_PAGE
    while True:
        page = listing.newest(caller, query, size)
        following = None
        if page.next_cursor is not None:
            limit = query.limit if "limit" in query.model_fields_set else None
            following = page_url(list_url, {"cursor": page.next_cursor, "limit": limit, "q": query.q})
        table = written(page.customers, following)
        if fits(table.text):
            return table
        # The page fits as JSON. In CSV, quotes in metadata take up to twice the room.
        size = len(page.customers) // 2


def written(customers: Iterable[CustomerShape], next_page: str | None) -> CsvText:
    """Return customers as CSV, with the address of the next page."""
    return csv_text("customers", _COLUMNS, map(_row, customers), next_page)


def _row(customer: CustomerShape) -> tuple[str | None, ...]:
    return (
        customer.id,
        customer.name,
        customer.email,
        customer.avatar_url,
        str(customer.mail_notices).lower(),
        _time(customer.created_at),
        _time(customer.updated_at),
        json.dumps(customer.metadata, ensure_ascii=False) if customer.metadata else None,
    )


def _time(at_ms: int) -> str:
    return (
        datetime.fromtimestamp(at_ms / 1_000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )
