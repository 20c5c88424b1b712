"""The items of crawls: the crawl with its latest run, the addresses of a run, and the pages that have documents."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, Self

from helpdesk.crawls.schemas import CrawlStatus, Outcome, Refresh
from helpdesk.crawls.scope import Scope, page_key
from helpdesk.events.outbox import Job, JobQueue
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import attributes, keys
from helpdesk.storage import by_name as by_names
from helpdesk.storage.table import Item

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

    def to_item(self) -> Item:
        """Return the settings as attributes of the crawl's item."""
        return {
            "url": self.url,
            "include": list(self.include),
            "exclude": list(self.exclude),
            "maxPages": self.max_pages,
            "folderId": self.folder_id,
            "refresh": self.refresh.value,
        }

    @property
    def scope(self) -> Scope:
        """The addresses that belong to the crawl."""
        return Scope(self.url, self.include, self.exclude)


class SliceJob(Record):
    """An instruction to work on a crawl's run for up to a minute.

    `turn` counts the slices of a run, so that a repeated message does not begin a second chain of them.
    """

    organization: str
    crawl_id: str
    run: int
    turn: int

    def to_job(self, due_at: int | None = None) -> Job:
        """Return the job, due now or within 15 minutes (ms)."""
        body = {
            "kind": "slice",
            "organization": self.organization,
            "crawlId": self.crawl_id,
            "run": self.run,
            "turn": self.turn,
        }
        return Job(JobQueue.CRAWL, self.organization, "", body, due_at)

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the job of a queue message. Raises KeyError."""
        return cls(body["organization"], body["crawlId"], body["run"], body["turn"])


class RemovalJob(Record):
    """An instruction to let go of a deleted crawl's documents, or to delete them."""

    organization: str
    crawl_id: str

    def to_job(self) -> Job:
        """Return the job."""
        body = {"kind": "removal", "organization": self.organization, "crawlId": self.crawl_id}
        return Job(JobQueue.CRAWL, self.organization, "", body)

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the job of a queue message. Raises KeyError."""
        return cls(body["organization"], body["crawlId"])


class Crawl(Record):
    """A crawl and its latest run. Times are in ms.

    run, turn        number of the run, and of its slice
    addresses        how many addresses the run's frontier has, lists of pages included
    lists            how many of them are lists of pages
    seeded           whether robots.txt was read and the first addresses were added
    markdown         whether the site offers its pages as Markdown; None before it was tried
    failures         how many requests in a row had no usable answer
    stalls           how often the run was found without a worker
    """

    organization: str
    id: str
    settings: Settings
    status: CrawlStatus
    problem: str | None
    created_at: int
    created_by_name: str
    run: int
    turn: int
    started_at: int
    finished_at: int | None
    next_run_at: int | None
    counts: Mapping[str, int]
    limit_reached: bool
    addresses: int
    lists: int
    seeded: bool
    markdown: bool | None
    failures: int
    stalls: int

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Return the crawl of an item."""
        return cls(
            organization=organization,
            id=item["id"],
            settings=Settings(
                item["url"],
                tuple(item["include"]),
                tuple(item["exclude"]),
                item["maxPages"],
                item["folderId"],
                Refresh(item["refresh"]),
            ),
            status=CrawlStatus(item["status"]),
            problem=item["problem"],
            created_at=item["createdAt"],
            created_by_name=by_names.from_item(item, "createdBy"),
            run=item["run"],
            turn=item["turn"],
            started_at=item["startedAt"],
            finished_at=item["finishedAt"],
            next_run_at=item["nextRunAt"],
            counts=item["counts"],
            limit_reached=item["limitReached"],
            addresses=item["addresses"],
            lists=item["lists"],
            seeded=item["seeded"],
            markdown=item["markdown"],
            failures=item["failures"],
            stalls=item["stalls"],
        )

    @property
    def slice_job(self) -> SliceJob:
        """The job of the run's present slice."""
        return SliceJob(self.organization, self.id, self.run, self.turn)


def address_key(crawl: Crawl, number: int) -> keys.CrawlAddress:
    """Return the key of an address of the crawl's run. Keys sort by run and number."""
    return keys.CrawlAddress(crawl.organization, crawl.id, f"{crawl.run:06d}", f"{number:05d}")


class Kind(StrEnum):
    """What is behind an address of the frontier."""

    PAGE = "page"
    SITEMAP = "sitemap"
    LLMS = "llms"


class Address(Record):
    """An address of a run: a page, or a list of pages (`kind`), in the order in which it was found (`number`).

    `tries` counts the requests without a usable answer. `text_hash` is that of the text that was kept.
    """

    number: int
    url: str
    kind: Kind
    outcome: Outcome
    tries: int = 0
    detail: str | None = None
    document_id: str | None = None
    text_hash: str | None = None
    at: int | None = None

    @property
    def is_page(self) -> bool:
        """Whether it is a page, and no list of pages."""
        return self.kind is Kind.PAGE

    @property
    def key(self) -> str:
        """What identifies the page, in whatever spelling of the address."""
        return page_key(self.url)

    def to_item(self, crawl: Crawl) -> Item:
        """Return the address as an item."""
        return {
            **address_key(crawl, self.number).attributes(),
            "number": self.number,
            "url": self.url,
            "kind": self.kind.value,
            "outcome": self.outcome.value,
            "tries": self.tries,
            "detail": self.detail,
            "documentId": self.document_id,
            "textHash": self.text_hash,
            "at": self.at,
            "expiresAt": (crawl.started_at + OUTCOMES_KEPT_MS) // 1_000,
        }

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Return the address of an item."""
        return cls(
            item["number"],
            item["url"],
            Kind(item["kind"]),
            Outcome(item["outcome"]),
            item["tries"],
            item["detail"],
            item["documentId"],
            item["textHash"],
            item["at"],
        )


class CrawledPage(Record):
    """A page that has, or had, a document. `deleted` once someone deleted that document.

    `text_hash` is that of the title and text that the document was last given.
    """

    url: str
    document_id: str
    text_hash: str
    deleted: bool = False

    @property
    def key(self) -> str:
        """What identifies the page."""
        return page_key(self.url)

    def to_item(self, organization: str, crawl_id: str) -> Item:
        """Return the page as an item."""
        return {
            **keys.CrawledPage(organization, crawl_id, self.key).attributes(),
            "url": self.url,
            "documentId": self.document_id,
            "textHash": self.text_hash,
            "deleted": self.deleted,
        }

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Return the page of an item."""
        return cls(item["url"], item["documentId"], item["textHash"], item["deleted"])


class Removal(Record):
    """What is left to do about a deleted crawl: its start is still taken, and its documents are deleted or kept."""

    url: str
    delete_documents: bool


class DueCrawl(Record):
    """An entry of the index of crawls that need attention: one to run, or one whose worker may be gone."""

    organization: str
    crawl_id: str
    at: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Return the entry of an item. Raises UnreadableItem."""
        return cls(
            attributes.text(item, "organization"),
            attributes.text(item, "id"),
            int(attributes.text(item, "GSI1SK")),
        )
