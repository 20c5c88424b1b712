"""Search on the site: its page, and the titles that are shown while someone types."""

import json
from collections.abc import Sequence
from urllib.parse import urlencode

from helpdesk.api.http.content import Content, RawJson
from helpdesk.api.http.schemas import Query
from helpdesk.knowledge import publishing, searching
from helpdesk.knowledge.documents import searchable
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.knowledge.publishing import Contents
from helpdesk.knowledge.searching import Search
from helpdesk.knowledge.snippets import Piece
from helpdesk.platform.record import Record
from helpdesk.platform.text import one_line
from helpdesk.site import contents, gaps, rendering
from helpdesk.site.links import article_path
from helpdesk.site.sending import SHORT
from helpdesk.site.texts import texts_in
from helpdesk.site.visit import Visit

MAX_QUERY_CHARACTERS = 200
RESULTS = 20
"""Results on a page."""
MOST_TITLES = 10
"""Titles that are shown while someone types."""


class SearchQuery(Query):
    """The parameters of the page of search results."""

    q: str = ""
    """The words to look for."""
    page: str = ""
    """Which page of the results; anything but a number is the first."""


class TitlesQuery(Query):
    """The parameters of the titles that are shown while someone types."""

    q: str = ""
    """What was typed so far."""


class Result(Record):
    """A document that was found: its page, where it is, and the passage that fits best."""

    page: DocumentPage
    trail: str
    excerpt: Sequence[Piece]


def show(visit: Visit) -> Content:
    """Return a page of results. A search that finds nothing that fits is noted for the team."""
    asked = visit.query(SearchQuery)
    query = one_line(asked.q, MAX_QUERY_CHARACTERS)
    shown = contents.load_contents(visit.organization)
    values = {"query": query, "results": [], "contents": shown, "place": "root"}
    if query:
        named = [page.document_id for page in _named(query, shown.pages)]
        found = searching.find(visit.organization, query, among=shown.by_document.keys(), others=named)
        if not found.fits:
            gaps.note(visit.organization, query)
        values |= _part(visit, query, shown, found, asked.page)
    title = texts_in(visit.language)["search.title"]
    # Results are no page of their own for other search engines.
    headers = {"x-robots-tag": "noindex"} if query else {}
    return rendering.page("search", visit, values, title=title, headers=headers)


def show_titles(visit: Visit) -> Content:
    """Return the articles that have what someone is typing, for the script of the search box."""
    query = one_line(visit.query(TitlesQuery).q, MAX_QUERY_CHARACTERS)
    shown = contents.load_contents(visit.organization)
    ids = searching.find_begun(visit.organization, query, among=shown.by_document.keys(), limit=MOST_TITLES)
    pages = [shown.by_document[document_id] for document_id in ids]
    found = [{"title": page.title, "path": visit.link(article_path(page))} for page in pages]
    return RawJson(json.dumps({"articles": found}, ensure_ascii=False), {**SHORT, "x-robots-tag": "noindex"})


def _part(visit: Visit, query: str, shown: Contents, found: Search, page: str) -> dict[str, object]:
    """Return what a page of the results shows. A number beyond the last page is the last one."""
    last = -(-found.total // RESULTS)
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 5 else 1
    number = max(1, min(number, last))
    first = (number - 1) * RESULTS
    pages = [shown.by_document[document_id] for document_id in found.documents(first, RESULTS)]
    results = [
        Result(page, _trail(shown, page), found.excerpt(page.document_id))
        # What was withdrawn a moment ago is on the list, but no word of it may be shown.
        for page in publishing.shown_now(visit.organization, pages)
    ]

    def address(number: int) -> str:
        return f"{visit.link('/search')}?{urlencode({'q': query, 'page': number})}"

    return {
        "results": results,
        "total": found.total,
        "first": first + 1,
        "last": first + len(results),
        "previous": address(number - 1) if number > 1 else None,
        "next": address(number + 1) if number < last else None,
    }


def _named(query: str, pages: Sequence[DocumentPage]) -> list[DocumentPage]:
    """Return the documents whose title has every word, also those that are not indexed yet."""
    words = searchable(query).split()
    return [page for page in pages if all(word in searchable(page.title) for word in words)]


def _trail(shown: Contents, page: DocumentPage) -> str:
    return " › ".join(folder.name for folder in shown.above(shown.place_of(page)))
