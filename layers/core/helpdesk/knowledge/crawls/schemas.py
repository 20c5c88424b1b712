"""Requests and responses of the crawl routes (Specification: Knowledge and repositories)."""

from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, PageQuery, Query, schema_hint
from helpdesk.api.http.unknown_names import NotOneOf
from helpdesk.knowledge.crawls.errors import DEFAULT_PAGES, MAX_GLOBS, MAX_PAGES
from helpdesk.outbound.errors import MAX_URL_CHARACTERS


class Refresh(StrEnum):
    """How often a crawl runs by itself."""

    NEVER = "never"
    DAILY = "daily"
    WEEKLY = "weekly"


def _refresh(value: object) -> object:
    try:
        return Refresh(value) if isinstance(value, str) else value
    except ValueError:
        raise NotOneOf(Refresh) from None


class CrawlStatus(StrEnum):
    """The state of a crawl's latest run."""

    RUNNING = "running"
    FINISHED = "finished"
    """Every page was read, up to the limit."""
    STOPPED = "stopped"
    """The plan or its quota ended the run. What was read until then is kept."""
    FAILED = "failed"
    """The site did not answer, or its robots.txt could not be read."""


class Outcome(StrEnum):
    """The result of one address."""

    PENDING = "pending"
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    """The page is gone, moved, or asks not to be kept. Its document was deleted."""
    NOT_FOUND = "not_found"
    REDIRECTED = "redirected"
    DUPLICATE = "duplicate"
    """The page names another address as its own, or has the text of another page."""
    NOINDEX = "noindex"
    DISALLOWED = "disallowed"
    """robots.txt does not let crawlers read it."""
    NOT_A_PAGE = "not_a_page"
    """Neither text/html nor text/markdown."""
    EMPTY = "empty"
    OUT_OF_SCOPE = "out_of_scope"
    """It leads outside of the site or of the crawl's addresses."""
    DOCUMENT_DELETED = "document_deleted"
    """Someone deleted the page's document, so the crawl does not create it again."""
    OTHER_CRAWL = "other_crawl"
    """The page's document belongs to another crawl."""
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"
    UNREACHABLE = "unreachable"
    """No answer, a status that is an error, or an address that is not public."""


class CrawlInput(Body):
    """The body of POST /knowledge/crawls."""

    model_config = ConfigDict(json_schema_extra={"required": ["url"]})

    url: Annotated[str, schema_hint(maxLength=MAX_URL_CHARACTERS, format="uri")] | None = None
    """Required: the page that the crawl starts at. It reads the pages whose path begins with this one's."""
    include: Annotated[list[str], schema_hint(maxItems=MAX_GLOBS)] = Field(default_factory=list)
    """Only pages whose path matches one of these globs, such as `/docs/*`. All by default."""
    exclude: Annotated[list[str], schema_hint(maxItems=MAX_GLOBS)] = Field(default_factory=list)
    """No pages whose path matches one of these globs."""
    max_pages: Annotated[int, schema_hint(minimum=1, maximum=MAX_PAGES)] = DEFAULT_PAGES
    """How many pages a run requests at most. What `include`, `exclude` or robots.txt leave out does not count."""
    folder_id: str | None = None
    """The folder of new documents; none by default."""
    refresh: Annotated[Refresh, BeforeValidator(_refresh)] = Refresh.NEVER
    """How often the crawl runs by itself."""


class CrawlCreated(Answer):
    """The response of POST /knowledge/crawls."""

    id: str


class CrawlCounts(Answer):
    """How many addresses of the latest run had which result."""

    found: int
    pending: int
    created: int
    updated: int
    unchanged: int
    removed: int
    skipped: int
    failed: int


class CrawlSummary(Answer):
    """A crawl with the numbers of its latest run."""

    id: str
    url: str
    include: list[str]
    exclude: list[str]
    max_pages: int
    folder_id: str | None
    refresh: Refresh
    status: CrawlStatus
    problem: str | None
    """Why the run stopped or failed; null otherwise."""
    counts: CrawlCounts
    limit_reached: bool
    """Whether pages were left out, because the site has more than `maxPages` or a robots.txt with very many rules."""
    started_at: Milliseconds
    finished_at: Milliseconds | None
    next_run_at: Milliseconds | None
    """When it runs by itself again; null if it does not, and during a run."""
    created_at: Milliseconds
    created_by: str | None
    """The ID of the person or key."""
    created_by_name: str


class CrawlAddress(Answer):
    """An address of a crawl's latest run."""

    url: str
    outcome: Outcome
    detail: str | None
    """An explanation, such as the HTTP status or where the address leads; null if there is none."""
    document_id: str | None
    at: Milliseconds | None
    """When the outcome was recorded; null before."""


class CrawlsQuery(PageQuery):
    """The parameters of GET /knowledge/crawls."""


class CrawlsAnswer(Answer):
    """The response of GET /knowledge/crawls, newest first."""

    crawls: list[CrawlSummary]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""


class CrawlQuery(PageQuery):
    """The parameters of GET /knowledge/crawls/{id}, for its addresses."""


class CrawlAnswer(Answer):
    """The response of GET /knowledge/crawls/{id}. Outcomes are kept for 7 days after the run began."""

    crawl: CrawlSummary
    addresses: list[CrawlAddress]
    next_cursor: str | None
    """Send it as `cursor` for more addresses; null at the end."""


class Documents(StrEnum):
    """Whether a deleted crawl's documents stay."""

    KEEP = "keep"
    DELETE = "delete"


class CrawlDeletionQuery(Query):
    """The parameters of DELETE /knowledge/crawls/{id}."""

    documents: Documents = Documents.KEEP
    """`keep` leaves the documents, which can then be edited. `delete` deletes them, too."""
