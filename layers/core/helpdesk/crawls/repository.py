"""The items of crawls, as the routes read and write them. Those of a worker are in `frontier`."""

from collections.abc import Callable
from typing import Any

from helpdesk.crawls.errors import MAX_RUNNING_CRAWLS, CrawlNotFound, CrawlRunning, TooManyCrawls
from helpdesk.crawls.record import (
    COUNTS,
    PERIOD_MS,
    Address,
    Crawl,
    CrawledPage,
    DueCrawl,
    Removal,
    RemovalJob,
    Settings,
    SliceJob,
    address_key,
)
from helpdesk.crawls.schemas import CrawlStatus
from helpdesk.crawls.scope import page_key
from helpdesk.events.outbox import job_item
from helpdesk.platform import clock, unreadable
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import by_name as by_names
from helpdesk.storage import keys, shards, table
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.item_key import MalformedKey
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

STALLED_MS = 45 * MINUTE_MS
"""How long after a worker's claim, or its hand-over, the run is looked at. Longer than five tries of its message."""

type Also = Callable[[Transaction], None]


def find_by_start(organization: str, url: str) -> str | None:
    """Return the id of the crawl that begins at a page. One call."""
    item = table.get(keys.CrawlStart(organization, page_key(url)))
    return None if item is None else str(item["id"])


def get(organization: str, crawl_id: str) -> Crawl:
    """Return a crawl. Raises CrawlNotFound. One call."""
    try:
        item = table.get(keys.Crawl(organization, crawl_id))
    except MalformedKey:
        item = None
    if item is None:
        raise CrawlNotFound
    return Crawl.from_item(organization, item)


def newest(organization: str, limit: int, before: str | None) -> tuple[list[Crawl], str | None]:
    """Return crawls older than the id `before`, newest first, and the id to continue from (None at the end)."""
    after = keys.Crawl(organization, before).attributes() if before else None
    partition = keys.Crawl(organization, "-").pk
    page = table.query(
        partition, sk_prefix="CRAWL#", limit=limit, newest_first=True, after=after, consistent=True
    )
    return [Crawl.from_item(organization, item) for item in page.items], page.items[-1][
        "id"
    ] if page.after else None


def addresses(
    crawl: Crawl, limit: int | None = None, after: int | None = None
) -> tuple[list[Address], int | None]:
    """Return addresses of the run in their order, and the number to continue after (None at the end).

    Expired ones are left out, which DynamoDB may still have for days.
    """
    found: list[Address] = []
    start = None if after is None else address_key(crawl, after).attributes()
    while True:
        page = table.query(
            address_key(crawl, 0).pk,
            sk_prefix=f"ADDRESS#{crawl.run:06d}#",
            limit=limit,
            after=start,
            consistent=True,
        )
        now = clock.now_ms() // 1_000
        found += [Address.from_item(item) for item in page.items if item["expiresAt"] > now]
        start = page.after
        if limit is not None or start is None:
            break
    return found, None if start is None else int(page.items[-1]["number"])


def pages(organization: str, crawl_id: str) -> list[CrawledPage]:
    """Return the pages of a crawl that have documents, in no order that means anything."""
    partition = keys.CrawledPage(organization, crawl_id, "-").pk
    return [CrawledPage.from_item(item) for item in table.query_all(partition, sk_prefix="PAGE#")]


def create(organization: str, crawl_id: str, settings: Settings, by_name: str, also: Also) -> None:
    """Write a new crawl and begin its first run; `also` adds conditions to the transaction.

    Raises ConditionFailed if its start has a crawl, TooManyCrawls, and what `also` makes the transaction raise.
    """
    transaction = Transaction()
    transaction.put(
        {**keys.CrawlStart(organization, page_key(settings.url)).attributes(), "id": crawl_id},
        new=True,
        on_failure=ConditionFailed,
    )
    transaction.put(
        {
            **keys.Crawl(organization, crawl_id).attributes(),
            "id": crawl_id,
            "organization": organization,
            "createdAt": clock.now_ms(),
            **by_names.to_item("createdBy", by_name),
            **settings.to_item(),
            **_fresh_run(crawl_id, run=1),
        },
        new=True,
    )
    also(transaction)
    _begin(transaction, SliceJob(organization, crawl_id, 1, 1))
    transaction.commit()


def run(crawl: Crawl, settings: Settings, also: Also | None = None) -> None:
    """Begin another run of a crawl, with settings that may be new; `also` adds conditions to the transaction.

    Raises CrawlRunning, CrawlNotFound, TooManyCrawls, and what `also` makes the transaction raise.
    """
    transaction = Transaction()
    written = {**settings.to_item(), **_fresh_run(crawl.id, run=crawl.run + 1)}
    transaction.set(
        keys.Crawl(crawl.organization, crawl.id),
        written,
        condition="#run = :seenRun AND #status <> :running",
        values={":seenRun": crawl.run, ":running": CrawlStatus.RUNNING.value},
        on_failure=lambda found: CrawlRunning() if found else CrawlNotFound(),
    )
    if also is not None:
        also(transaction)
    _begin(transaction, SliceJob(crawl.organization, crawl.id, crawl.run + 1, 1))
    transaction.commit()


def _fresh_run(crawl_id: str, *, run: int) -> dict[str, Any]:
    now = clock.now_ms()
    return {
        "status": CrawlStatus.RUNNING.value,
        "problem": None,
        "run": run,
        "turn": 1,
        "startedAt": now,
        "finishedAt": None,
        "nextRunAt": None,
        "counts": {"found": 0, **dict.fromkeys(COUNTS, 0)},
        "limitReached": False,
        "addresses": 0,
        "lists": 0,
        "seeded": False,
        "markdown": None,
        "failures": 0,
        "stalls": 0,
        "holder": None,
        "leaseUntil": 0,
        "GSI1PK": shards.due_crawls(shards.shard_of(crawl_id)),
        "GSI1SK": due_key(now + STALLED_MS),
    }


def _begin(transaction: Transaction, job: SliceJob) -> None:
    """Take one of the places for running crawls, and queue the first slice."""
    transaction.update(
        keys.RunningCrawls(job.organization),
        "SET #count = if_not_exists(#count, :zero) + :one",
        condition="attribute_not_exists(#count) OR #count < :most",
        names={"#count": "count"},
        values={":zero": 0, ":one": 1, ":most": MAX_RUNNING_CRAWLS},
        on_failure=lambda _: TooManyCrawls(),
    )
    transaction.put(job_item(job.organization, job.to_job()), new=True)


def free_place(transaction: Transaction, organization: str) -> None:
    """Give back the place of a crawl that runs no more."""
    transaction.update(
        keys.RunningCrawls(organization),
        "SET #count = #count - :one",
        names={"#count": "count"},
        values={":one": 1},
    )


def remove(crawl: Crawl, *, delete_documents: bool) -> None:
    """Delete a crawl and queue the work on its documents. Raises ConditionFailed if it began or ended a run since.

    Its start stays taken until that work is done, so that no new crawl meets pages that still belong to this one.
    """
    organization = crawl.organization
    transaction = Transaction()
    transaction.delete(
        keys.Crawl(organization, crawl.id),
        condition="#run = :run AND #status = :status",
        names={"#run": "run", "#status": "status"},
        values={":run": crawl.run, ":status": crawl.status.value},
        on_failure=ConditionFailed,
    )
    if crawl.status is CrawlStatus.RUNNING:
        free_place(transaction, organization)
    transaction.put(
        {
            **keys.CrawlRemoval(organization, crawl.id).attributes(),
            "url": crawl.settings.url,
            "deleteDocuments": delete_documents,
        }
    )
    transaction.put(job_item(organization, RemovalJob(organization, crawl.id).to_job()), new=True)
    transaction.commit()


def due(shard: int, before: int, limit: int, after: Item | None) -> tuple[list[DueCrawl], Item | None]:
    """Return a page of a shard's crawls to look at before an instant (ms), and the key to continue from."""
    page = table.query(
        shards.due_crawls(shard), index="GSI1", sk_between=("0", due_key(before)), limit=limit, after=after
    )
    found = []
    for item in page.items:
        try:
            found.append(DueCrawl.from_item(item))
        except UnreadableItem as error:
            unreadable.report({"PK": item["PK"], "SK": item["SK"]}, error)
    return found, page.after


def queue_again(crawl: Crawl) -> None:
    """Queue a run's slice again, because its worker may be gone. Nothing happens if the run went on meanwhile."""
    transaction = Transaction()
    transaction.update(
        keys.Crawl(crawl.organization, crawl.id),
        "SET stalls = stalls + :one, GSI1SK = :due",
        condition="#run = :run AND turn = :turn AND stalls = :stalls",
        names={"#run": "run"},
        values={
            ":one": 1,
            ":due": due_key(clock.now_ms() + STALLED_MS),
            ":run": crawl.run,
            ":turn": crawl.turn,
            ":stalls": crawl.stalls,
        },
        on_failure=ConditionFailed,
    )
    transaction.put(job_item(crawl.organization, crawl.slice_job.to_job()), new=True)
    try:
        transaction.commit()
    except ConditionFailed:
        return


def end(
    transaction: Transaction,
    crawl: Crawl,
    status: CrawlStatus,
    problem: str | None,
    update: Callable[..., None],
    entry: Item | None,
) -> None:
    """Add the end of a run to a transaction, with an entry for the log.

    `update` adds the change of the crawl's item under its condition.
    """
    now = clock.now_ms()
    period = PERIOD_MS.get(crawl.settings.refresh)
    next_run = None if period is None else max(crawl.started_at + period, now)
    values: dict[str, Any] = {
        ":status": status.value,
        ":problem": problem,
        ":now": now,
        ":next": next_run,
        ":none": None,
        ":zero": 0,
    }
    changes = (
        "#status = :status, problem = :problem, finishedAt = :now, nextRunAt = :next, holder = :none, "
        "leaseUntil = :zero"
    )
    if next_run is None:
        changes += " REMOVE GSI1PK, GSI1SK"
    else:
        changes += ", GSI1SK = :due"
        values[":due"] = due_key(next_run)
    update(transaction, changes, values=values, names={"#status": "status"})
    free_place(transaction, crawl.organization)
    if entry is not None:
        transaction.put(entry, new=True)


def give_up(crawl: Crawl, problem: str, entry: Item) -> None:
    """End a run whose workers died again and again, so that no page is tried for ever."""
    transaction = Transaction()

    def update(transaction: Transaction, changes: str, *, values: Item, names: dict[str, str]) -> None:
        transaction.update(
            keys.Crawl(crawl.organization, crawl.id),
            f"SET {changes}",
            condition="#run = :run AND turn = :turn AND stalls = :stalls AND #status = :running",
            names={**names, "#run": "run"},
            values={
                **values,
                ":run": crawl.run,
                ":turn": crawl.turn,
                ":stalls": crawl.stalls,
                ":running": CrawlStatus.RUNNING.value,
            },
            on_failure=lambda _: CrawlRunning(),
        )

    end(transaction, crawl, CrawlStatus.FAILED, problem, update, entry)
    transaction.commit()


def due_key(instant: int) -> str:
    """Return the sort key of the index of crawls to look at."""
    return f"{instant:013d}"


def removal(organization: str, crawl_id: str) -> Removal | None:
    """Return what is left to do about a deleted crawl; None if nothing is."""
    item = table.get(keys.CrawlRemoval(organization, crawl_id))
    return None if item is None else Removal(item["url"], item["deleteDocuments"])


def robots(crawl: Crawl) -> bytes | None:
    """Return the robots.txt that was kept for the crawl's run; None before. One call."""
    item = table.get(keys.CrawlRobots(crawl.organization, crawl.id))
    return None if item is None or item["run"] != crawl.run else item["stored"]


def is_taken(crawl: Crawl, key: str) -> bool:
    """Return whether another crawl has the document of a page. One call."""
    item = table.get(keys.PageClaim(crawl.organization, key))
    return item is not None and item["crawlId"] != crawl.id


def forget_page(transaction: Transaction, organization: str, crawl_id: str, key: str) -> None:
    """Remove a page's entry, and its claim."""
    transaction.delete(keys.CrawledPage(organization, crawl_id, key))
    transaction.delete(keys.PageClaim(organization, key))


def end_removal(organization: str, crawl_id: str, url: str) -> None:
    """Forget a deleted crawl, whose pages are all gone; its start is free."""
    transaction = Transaction()
    transaction.delete(keys.CrawlStart(organization, page_key(url)))
    transaction.delete(keys.CrawlRobots(organization, crawl_id))
    transaction.delete(keys.CrawlRemoval(organization, crawl_id))
    transaction.commit()
