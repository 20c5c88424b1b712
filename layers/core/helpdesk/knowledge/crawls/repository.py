"""The items of crawls, as the routes read and write them. Those of a worker are in `frontier`."""

from contextlib import suppress
from typing import Any

from msgspec.structs import asdict

from helpdesk.events.outbox import job_item
from helpdesk.knowledge.crawls.errors import MAX_RUNNING_CRAWLS, CrawlNotFound, CrawlRunning, TooManyCrawls
from helpdesk.knowledge.crawls.record import (
    COUNTS,
    PERIOD_MS,
    Address,
    Crawl,
    CrawledPage,
    CrawlRemoval,
    CrawlRobots,
    CrawlStart,
    PageClaim,
    RemovalJob,
    RunningCrawls,
    Settings,
    SliceJob,
)
from helpdesk.knowledge.crawls.schemas import CrawlStatus
from helpdesk.knowledge.crawls.scope import page_key
from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import table
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.changes import Values, below, other_than
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import ExtraWrites, Transaction

STALLED_MS = 45 * MINUTE_MS
"""How long after a worker's claim, or its hand-over, the run is looked at. Longer than five tries of its message."""


crawls = Collection(Crawl, missing=CrawlNotFound)
pages = Collection(CrawledPage)
"""The pages of crawls that have documents."""


def find_by_start(organization: str, url: str) -> str | None:
    """Return the id of the crawl that begins at a page. One call."""
    start = Collection(CrawlStart).find(organization, page_key(url))
    return None if start is None else start.crawl_id


def get(organization: str, crawl_id: str) -> Crawl:
    """Return a crawl. Raises CrawlNotFound. One call."""
    try:
        return crawls.get(organization, crawl_id)
    except MalformedKey:
        raise CrawlNotFound from None


def addresses(
    crawl: Crawl, limit: int | None = None, after: int | None = None
) -> tuple[list[Address], int | None]:
    """Return addresses of the run in their order, and the number to continue after (None at the end).

    Expired ones are left out, which DynamoDB may still have for days.
    """
    found: list[Address] = []
    start = None
    if after is not None:
        start = Address.key_for(crawl.organization, crawl.id, crawl.run_key, f"{after:05d}").attributes()
    while True:
        page = table.query(
            Address.partition_for(crawl.organization, crawl.id),
            sk_prefix=f"ADDRESS#{crawl.run_key}#",
            limit=limit,
            after=start,
            consistent=True,
        )
        read = [Address.from_item(item) for item in page.items]
        now = clock.now_ms() // 1_000
        found += [address for address in read if address.expires_at > now]
        start = page.after
        if limit is not None or start is None:
            break
    return found, None if start is None else read[-1].number


def create(
    organization: str, crawl_id: str, settings: Settings, actor: ActorName, extra_writes: ExtraWrites
) -> None:
    """Write a new crawl and begin its first run; `extra_writes` adds conditions to the transaction.

    Raises ConditionFailed if its start has a crawl, TooManyCrawls, and what `extra_writes` makes the transaction raise.
    """
    crawl = Crawl(
        organization=organization,
        id=crawl_id,
        created_at=clock.now_ms(),
        created_by_name=actor,
        **asdict(settings),
        **_fresh_run(1),
    )
    start = CrawlStart(organization=organization, page_key=page_key(settings.url), crawl_id=crawl_id)
    transaction = Transaction()
    transaction.put(start, new=True, on_failure=ConditionFailed)
    transaction.put(crawl, new=True)
    extra_writes(transaction)
    _begin(transaction, crawl.slice_job)
    transaction.commit()


def run(crawl: Crawl, settings: Settings, extra_writes: ExtraWrites | None = None) -> None:
    """Begin another run of a crawl, with settings that may be new; `extra_writes` adds conditions to the transaction.

    Raises CrawlRunning, CrawlNotFound, TooManyCrawls, and what `extra_writes` makes the transaction raise.
    """
    transaction = Transaction()
    transaction.change(
        crawl.key,
        set={**asdict(settings), **_fresh_run(crawl.run + 1), "GSI1PK": _listed_in(crawl)},
        require={"run": crawl.run, "status": other_than(CrawlStatus.RUNNING)},
        on_failure=lambda found: CrawlRunning() if found else CrawlNotFound(),
    )
    if extra_writes is not None:
        extra_writes(transaction)
    _begin(transaction, SliceJob(crawl.organization, crawl.id, crawl.run + 1, 1))
    transaction.commit()


def _listed_in(crawl: Crawl) -> str:
    return Crawl.partition_for(str(crawl.shard), index="GSI1")


def _fresh_run(run: int) -> dict[str, Any]:
    now = clock.now_ms()
    return {
        "status": CrawlStatus.RUNNING,
        "problem": None,
        "run": run,
        "turn": 1,
        "started_at": now,
        "finished_at": None,
        "next_run_at": None,
        "counts": {"found": 0, **dict.fromkeys(COUNTS, 0)},
        "limit_reached": False,
        "addresses": 0,
        "lists": 0,
        "seeded": False,
        "markdown": None,
        "failures": 0,
        "stalls": 0,
        "holder": None,
        "lease_until": 0,
        "due_at": due_key(now + STALLED_MS),
    }


def _begin(transaction: Transaction, job: SliceJob) -> None:
    """Take one of the places for running crawls, and queue the first slice."""
    transaction.change(
        RunningCrawls.key_for(job.organization),
        add={"count": 1},
        require={"count": below(MAX_RUNNING_CRAWLS)},
        or_new=True,
        on_failure=TooManyCrawls(),
    )
    transaction.put(job_item(job.organization, job.to_job()), new=True)


def free_place(transaction: Transaction, organization: str) -> None:
    """Give back the place of a crawl that runs no more."""
    transaction.change(RunningCrawls.key_for(organization), add={"count": -1})


def remove(crawl: Crawl, *, delete_documents: bool) -> None:
    """Delete a crawl and queue the work on its documents. Raises ConditionFailed if it began or ended a run since.

    Its start stays taken until that work is done, so that no new crawl meets pages that still belong to this one.
    """
    organization = crawl.organization
    transaction = Transaction()
    seen = {"run": crawl.run, "status": crawl.status}
    transaction.delete(crawl.key, require=seen, on_failure=ConditionFailed)
    if crawl.status is CrawlStatus.RUNNING:
        free_place(transaction, organization)
    transaction.put(
        CrawlRemoval(
            organization=organization, crawl_id=crawl.id, url=crawl.url, delete_documents=delete_documents
        )
    )
    transaction.put(job_item(organization, RemovalJob(organization, crawl.id).to_job()), new=True)
    transaction.commit()


def queue_again(crawl: Crawl) -> None:
    """Queue a run's slice again, because its worker may be gone. Nothing happens if the run went on meanwhile."""
    transaction = Transaction()
    transaction.change(
        crawl.key,
        set={"due_at": due_key(clock.now_ms() + STALLED_MS)},
        add={"stalls": 1},
        require={"run": crawl.run, "turn": crawl.turn, "stalls": crawl.stalls},
        on_failure=ConditionFailed,
    )
    transaction.put(job_item(crawl.organization, crawl.slice_job.to_job()), new=True)
    with suppress(ConditionFailed):
        transaction.commit()


def end(
    crawl: Crawl,
    status: CrawlStatus,
    problem: str | None,
    *,
    require: Values,
    on_failure: Exception,
    entry: Item | None,
) -> None:
    """End a run that is as required, with an entry for the log. Raises `on_failure`."""
    now = clock.now_ms()
    period = PERIOD_MS.get(crawl.refresh)
    next_run = None if period is None else max(crawl.started_at + period, now)
    values: dict[str, Any] = {
        "status": status,
        "problem": problem,
        "finished_at": now,
        "next_run_at": next_run,
        "holder": None,
        "lease_until": 0,
        "due_at": None if next_run is None else due_key(next_run),
    }
    if next_run is None:
        values["GSI1PK"] = None
    transaction = Transaction()
    transaction.change(crawl.key, set=values, require=require, on_failure=on_failure)
    free_place(transaction, crawl.organization)
    if entry is not None:
        transaction.put(entry, new=True)
    transaction.commit()


def give_up(crawl: Crawl, problem: str, entry: Item) -> None:
    """End a run whose workers died again and again, so that no page is tried for ever. Raises CrawlRunning."""
    seen = {"run": crawl.run, "turn": crawl.turn, "stalls": crawl.stalls, "status": CrawlStatus.RUNNING}
    end(crawl, CrawlStatus.FAILED, problem, require=seen, on_failure=CrawlRunning(), entry=entry)


def due_key(instant: int) -> str:
    """Return the sort key of the index of crawls to look at."""
    return f"{instant:013d}"


def robots(crawl: Crawl) -> bytes | None:
    """Return the robots.txt that was kept for the crawl's run; None before. One call."""
    found = Collection(CrawlRobots).find(crawl.organization, crawl.id)
    return None if found is None or found.run != crawl.run else found.stored


def is_taken(crawl: Crawl, page_key: str) -> bool:
    """Return whether another crawl has the document of a page. One call."""
    claim = Collection(PageClaim).find(crawl.organization, page_key)
    return claim is not None and claim.crawl_id != crawl.id


def forget_page(transaction: Transaction, page: CrawledPage) -> None:
    """Remove a page's entry, and its claim."""
    transaction.delete(page.key)
    transaction.delete(PageClaim.key_for(page.organization, page.page_key))


def end_removal(removal: CrawlRemoval) -> None:
    """Forget a deleted crawl, whose pages are all gone; its start is free."""
    transaction = Transaction()
    transaction.delete(CrawlStart.key_for(removal.organization, page_key(removal.url)))
    transaction.delete(CrawlRobots.key_for(removal.organization, removal.crawl_id))
    transaction.delete(removal.key)
    transaction.commit()
