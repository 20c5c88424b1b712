"""Search on the site: the retriever's sections of published documents, and titles that have the words."""

from collections.abc import Sequence

from helpdesk.api.http.content import Content
from helpdesk.api.http.schemas import Query
from helpdesk.knowledge import publishing, retrieval
from helpdesk.knowledge.documents import searchable
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.knowledge.publishing import Contents
from helpdesk.platform.record import Record
from helpdesk.platform.text import first_words, one_line
from helpdesk.site import contents, gaps, rendering
from helpdesk.site.texts import texts_in
from helpdesk.site.visit import Visit
from helpdesk_files import reading

MAX_QUERY_CHARACTERS = 200
MAX_RESULTS = 10

LEAST_SCORE = 0.1
"""Below this confidence a section has little to do with the words. A quote in an answer needs 0.5."""

_PROPOSED = 20
"""Documents that are looked for: some may have been withdrawn since the list of published ones was read."""

_EXCERPT_CHARACTERS = 240


class SearchQuery(Query):
    """The parameters of the page of search results."""

    q: str = ""
    """The words to look for."""


class Result(Record):
    """A document that was found: its page, where it is, and the passage that fits best."""

    page: DocumentPage
    trail: str
    excerpt: str


def show(visit: Visit) -> Content:
    """Return the page of results. A search that finds nothing is noted for the team."""
    query = one_line(visit.query(SearchQuery).q, MAX_QUERY_CHARACTERS)
    shown = contents.load_contents(visit.organization)
    results = _results(visit.organization, query, shown) if query else []
    if query and not results:
        gaps.note(visit.organization, query)
    values = {"query": query, "results": results, "contents": shown, "place": "root"}
    title = texts_in(visit.language)["search.title"]
    # Results are no page of their own for other search engines.
    headers = {"x-robots-tag": "noindex"} if query else {}
    return rendering.page("search", visit, values, title=title, headers=headers)


def _results(organization: str, query: str, shown: Contents) -> list[Result]:
    passages = retrieval.find(organization, query, limit=_PROPOSED, among=shown.by_document.keys()) or []
    excerpts = {passage.document_id: passage.excerpt for passage in passages if passage.score >= LEAST_SCORE}
    found = [shown.by_document[document_id] for document_id in excerpts]
    named = [page for page in _named(query, shown.pages) if page.document_id not in excerpts]
    return [
        Result(page, _trail(shown, page), plain(excerpts.get(page.document_id, "")))
        # What was withdrawn a moment ago is on the list, but no word of it may be shown.
        for page in publishing.shown_now(organization, [*found, *named][:_PROPOSED])[:MAX_RESULTS]
    ]


def _named(query: str, pages: Sequence[DocumentPage]) -> list[DocumentPage]:
    """Return the documents whose title has every word, also those that are not indexed yet."""
    words = searchable(query).split()
    return [page for page in pages if all(word in searchable(page.title) for word in words)]


def _trail(shown: Contents, page: DocumentPage) -> str:
    return " › ".join(folder.name for folder in shown.above(shown.place_of(page)))


def plain(text: str) -> str:
    """Return Markdown as text on one line, cut at a word."""
    words = reading.plain_text(text)
    shown = first_words(words, _EXCERPT_CHARACTERS)
    return shown if shown == words else f"{shown}…"
