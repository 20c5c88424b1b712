"""The items of crawls: the crawl with its latest run, the addresses of a run, and the pages that have documents."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from helpdesk.events.outbox import Job, JobBody, JobQueue
from helpdesk.knowledge.crawls.schemas import CrawlStatus, Outcome, Refresh
from helpdesk.knowledge.crawls.scope import Scope, page_key
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import shards
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.stored import Stored, field

OUTCOMES_KEPT_MS = 7 * DAY_MS
PERIOD_MS: Final = {Refresh.DAILY: DAY_MS, Refresh.WEEKLY: 7 * DAY_MS}

COUNTED_AS: Final[Mapping[Outcome, str]] = {
    Outcome.PENDING: "pending",
    Outcome.CREATED: "created",
    Outcome.UPDATED: "updated",
    Outcome.UNCHANGED: "unchanged",
    Outcome.REMOVED: "removed",
    Outcome.TOO_LARGE: "failed",
    Outcome.UNREADABLE: "failed",
    Outcome.UNREACHABLE: "failed",
}
"""The number that an outcome is counted in; those that are missing here count as `skipped`."""
COUNTS: Final = ("pending", "created", "updated", "unchanged", "removed", "skipped", "failed")


def counted_as(outcome: Outcome) -> str:
    """Return the name of the number that an outcome is counted in."""
    return COUNTED_AS.get(outcome, "skipped")


class Settings(Record):
    """What a person chose of a crawl."""

    url: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    max_pages: int
    folder_id: str | None
    refresh: Refresh


class SliceJob(JobBody, tag_field="kind", tag="slice"):
    """An instruction to work on a crawl's run for up to a minute.

    `turn` counts the slices of a run, so that a repeated message does not begin a second chain of them.
    """

    organization: str
    crawl_id: str
    run: int
    turn: int

    def to_job(self, due_at: int | None = None) -> Job:
        """Return the job, due now or within 15 minutes (ms)."""
        return Job(JobQueue.CRAWL, self.to_body(), due_at=due_at)


class RemovalJob(JobBody, tag_field="kind", tag="removal"):
    """An instruction to release a deleted crawl's documents, or to delete them."""

    organization: str
    crawl_id: str

    def to_job(self) -> Job:
        """Return the job."""
        return Job(JobQueue.CRAWL, self.to_body())


class Crawl(Stored, kw_only=True):
    """A crawl with its settings, and its latest run. Times are in ms.

    run, turn           number of the run, and of its slice
    addresses           how many addresses the run's frontier has, lists of pages included
    lists               how many of them are lists of pages
    seeded              whether robots.txt was read and the first addresses were added
    markdown            whether the site offers its pages as Markdown; None before it was tried
    failures            how many requests in a row had no usable answer
    stalls              how often the run was found without a worker
    holder, lease_until the worker that holds the run, and until when
    due_at              its place in the index of crawls to look at; None for one that does not run by itself
    """

    PK, SK = "ORG#{organization}#CRAWLS", "CRAWL#{id}"
    GSI1 = "DUECRAWLS#{shard}", "{due_at}"

    organization: str
    id: str
    url: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    max_pages: int
    folder_id: str | None = None
    refresh: Refresh
    status: CrawlStatus
    problem: str | None = None
    created_at: int
    created_by_name: ActorName
    run: int
    turn: int
    started_at: int
    finished_at: int | None = None
    next_run_at: int | None = None
    counts: Mapping[str, int]
    limit_reached: bool
    addresses: int
    lists: int
    seeded: bool
    markdown: bool | None = None
    failures: int
    stalls: int
    holder: str | None = None
    lease_until: int = 0
    due_at: str | None = field(default=None, name="GSI1SK")

    @property
    def shard(self) -> int:
        """Which shard of the index it is in."""
        return shards.shard_of(self.id)

    @property
    def settings(self) -> Settings:
        """What a person chose."""
        return Settings(self.url, self.include, self.exclude, self.max_pages, self.folder_id, self.refresh)

    @property
    def scope(self) -> Scope:
        """The addresses that belong to the crawl."""
        return Scope(self.url, self.include, self.exclude)

    @property
    def run_key(self) -> str:
        """The number of the run, as the keys of its addresses sort by it."""
        return f"{self.run:06d}"

    @property
    def slice_job(self) -> SliceJob:
        """The job of the run's present slice."""
        return SliceJob(self.organization, self.id, self.run, self.turn)


class CrawlStart(Stored, kw_only=True):
    """Which crawl begins at a page. Its presence makes the crawl the only one."""

    PK, SK = "ORG#{organization}#CRAWLS", "START#{page_key}"

    organization: str
    page_key: str
    crawl_id: str = field(name="id")


class RunningCrawls(Stored, kw_only=True):
    """How many crawls are running, so that their limit is a condition and not a count."""

    PK, SK = "ORG#{organization}#CRAWLS", "RUNNING"

    organization: str
    count: int = 0


class CrawlRobots(Stored, kw_only=True):
    """The robots.txt that a crawl's run follows, compressed."""

    PK, SK = "ORG#{organization}#CRAWL#{crawl_id}", "ROBOTS"

    organization: str
    crawl_id: str
    run: int
    stored: bytes
    expires_at: int


class PageClaim(Stored, kw_only=True):
    """Which crawl a page belongs to, so that two crawls do not make two documents of it."""

    PK, SK = "ORG#{organization}#CRAWLED", "PAGE#{page_key}"

    organization: str
    page_key: str
    crawl_id: str


class CrawledHost(Stored, kw_only=True):
    """When a website may be requested next (ms), by all crawls of all organizations."""

    PK, SK = "CRAWLEDHOST#{host_hash}", "PACE"

    host_hash: str
    next_at: int = 0
    expires_at: int


class Kind(StrEnum):
    """What is behind an address of the frontier."""

    PAGE = "page"
    SITEMAP = "sitemap"
    LLMS = "llms"


class Address(Stored, kw_only=True):
    """An address of a run: a page, or a list of pages (`kind`), in the order in which it was found (`number`).

    `tries` counts the requests without a usable answer. `text_hash` is that of the text that was kept.
    """

    PK, SK = "ORG#{organization}#CRAWL#{crawl_id}", "ADDRESS#{run}#{number_key}"

    organization: str
    crawl_id: str
    run: str
    number: int
    url: str
    kind: Kind
    outcome: Outcome
    tries: int = 0
    detail: str | None = None
    document_id: str | None = None
    text_hash: str | None = None
    at: int | None = None
    expires_at: int

    @property
    def number_key(self) -> str:
        """Its number, as keys sort by it."""
        return f"{self.number:05d}"

    @property
    def is_page(self) -> bool:
        """Whether it is a page, and no list of pages."""
        return self.kind is Kind.PAGE

    @property
    def page_key(self) -> str:
        """What identifies the page, in whatever spelling of the address."""
        return page_key(self.url)


class CrawledPage(Stored, kw_only=True):
    """A page that has, or had, a document. `deleted` once someone deleted that document.

    `text_hash` is that of the title and text that the document was last given.
    """

    PK, SK = "ORG#{organization}#CRAWL#{crawl_id}", "PAGE#{page_key}"

    organization: str
    crawl_id: str
    url: str
    document_id: str
    text_hash: str
    deleted: bool = False

    @property
    def page_key(self) -> str:
        """What identifies the page."""
        return page_key(self.url)


class CrawlRemoval(Stored, kw_only=True):
    """A deleted crawl that still has pages: its start is taken, and its documents are deleted or kept."""

    PK, SK = "ORG#{organization}#CRAWL#{crawl_id}", "REMOVAL"

    organization: str
    crawl_id: str
    url: str
    delete_documents: bool
