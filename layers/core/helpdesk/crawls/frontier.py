"""A worker's writes. Each requires that the worker still holds the run, so a late or repeated one changes nothing.

Specification: none; docs/decisions/0122. A run's frontier is its addresses, in the order in which they were found. An
address is added once, because the crawl's item counts them and each addition requires the count that was seen. An
address gets its outcome once, in the transaction that writes, changes or deletes its document.
"""

import secrets
from collections.abc import Callable, Sequence
from copy import replace

from helpdesk.crawls import repository
from helpdesk.crawls.record import (
    OUTCOMES_KEPT_MS,
    Address,
    Crawl,
    CrawledPage,
    Kind,
    SliceJob,
    address_key,
    counted_as,
)
from helpdesk.crawls.repository import STALLED_MS, due_key
from helpdesk.crawls.schemas import CrawlStatus, Outcome
from helpdesk.events.outbox import job_item
from helpdesk.logs import service as logs
from helpdesk.logs.kinds import LogKind
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

LEASE_MS = 100_000
"""How long a worker holds a run: longer than its function can run."""
_AT_ONCE = 90  # a transaction takes 100 actions

type Also = Callable[[Transaction], None]


class LostRun(Exception):
    """The run has ended, was deleted, or belongs to another worker by now."""


class PageTaken(Exception):
    """The page's document belongs to another crawl."""


def claim(job: SliceJob) -> "Frontier | None":
    """Take hold of a run for its slice; None if another worker has it, or the job is out of date. One call.

    The other worker hands on. If it dies, its own message comes back.
    """
    holder, now = secrets.token_hex(8), clock.now_ms()
    try:
        item = table.update(
            keys.Crawl(job.organization, job.crawl_id),
            "SET holder = :holder, leaseUntil = :until, GSI1SK = :due",
            condition="#run = :run AND turn = :turn AND #status = :running AND leaseUntil <= :now",
            names={"#run": "run", "#status": "status"},
            values={
                ":holder": holder,
                ":until": now + LEASE_MS,
                ":due": due_key(now + STALLED_MS),
                ":run": job.run,
                ":turn": job.turn,
                ":running": CrawlStatus.RUNNING.value,
                ":now": now,
            },
            returning="ALL_NEW",
        )
    except ConditionFailed:
        return None
    return Frontier(Crawl.from_item(job.organization, item), holder)


class Frontier:
    """A run as its worker sees it. `crawl` and `addresses` follow what is written here."""

    def __init__(self, crawl: Crawl, holder: str) -> None:
        """Read what the run has so far: two queries and one read."""
        self.crawl = crawl
        self._holder = holder
        self.addresses = repository.addresses(crawl)[0]
        self.pages = {page.key: page for page in repository.pages(crawl.organization, crawl.id)}
        self.keys = {address.key for address in self.addresses if address.kind is Kind.PAGE}
        self._lists = {address.url for address in self.addresses if address.kind is not Kind.PAGE}

    def knows(self, address: Address) -> bool:
        """Whether an address is in the frontier, in whatever spelling."""
        return address.key in self.keys if address.kind is Kind.PAGE else address.url in self._lists

    def next(self) -> Address | None:
        """Return the address to work on: lists of pages first, then pages as they were found, failed ones last."""
        waiting = [address for address in self.addresses if address.outcome is Outcome.PENDING]
        return min(
            waiting,
            key=lambda address: (address.kind is Kind.PAGE, address.tries, address.number),
            default=None,
        )

    def add(self, found: Sequence[tuple[str, Kind, Outcome]], *, limit_reached: bool = False) -> None:
        """Add addresses that the frontier does not have. One transaction for 90; none if nothing changes."""
        new: list[Address] = []
        for url, kind, outcome in found:
            address = Address(len(self.addresses) + len(new), url, kind, outcome, at=None)
            if self.knows(address):
                continue
            new.append(address)
            (self.keys if kind is Kind.PAGE else self._lists).add(address.key if kind is Kind.PAGE else url)
        limit_reached = limit_reached and not self.crawl.limit_reached
        for start in range(0, len(new) or int(limit_reached), _AT_ONCE):
            self._add(new[start : start + _AT_ONCE], limit_reached=limit_reached or self.crawl.limit_reached)

    def _add(self, new: list[Address], *, limit_reached: bool) -> None:
        pages = [address for address in new if address.kind is Kind.PAGE]
        waiting = sum(address.outcome is Outcome.PENDING for address in pages)
        transaction = Transaction()
        for address in new:
            transaction.put(address.to_item(self.crawl), new=True)
        self._update(
            transaction,
            "addresses = addresses + :added, lists = lists + :lists, counts.#found = counts.#found + :pages, "
            "counts.#pending = counts.#pending + :waiting, counts.#skipped = counts.#skipped + :skipped, "
            "limitReached = :limitReached",
            condition="addresses = :seen",
            names={"#found": "found", "#pending": "pending", "#skipped": "skipped"},
            values={
                ":added": len(new),
                ":lists": len(new) - len(pages),
                ":pages": len(pages),
                ":waiting": waiting,
                ":skipped": len(pages) - waiting,
                ":limitReached": limit_reached,
                ":seen": len(self.addresses),
            },
        )
        transaction.commit()
        self.addresses += new
        self.crawl = replace(
            self.crawl, lists=self.crawl.lists + len(new) - len(pages), limit_reached=limit_reached
        )

    def record_robots(self, stored: bytes) -> None:
        """Keep the site's robots.txt for the run."""
        transaction = Transaction()
        self._update(transaction, "failures = :zero", values={":zero": 0})
        transaction.put(
            {
                **keys.CrawlRobots(self.crawl.organization, self.crawl.id).attributes(),
                "run": self.crawl.run,
                "stored": stored,
                "expiresAt": (self.crawl.started_at + OUTCOMES_KEPT_MS) // 1_000,
            }
        )
        transaction.commit()

    def robots(self) -> bytes | None:
        """Return the robots.txt that was kept for this run; None before."""
        return repository.robots(self.crawl)

    def count_failure(self) -> None:
        """Note that the site did not answer a request for its robots.txt."""
        transaction = Transaction()
        failures = self.crawl.failures + 1
        self._update(transaction, "failures = :failures", values={":failures": failures})
        transaction.commit()
        self.crawl = replace(self.crawl, failures=failures)

    def set_seeded(self) -> None:
        """Note that the first addresses were added."""
        transaction = Transaction()
        self._update(transaction, "seeded = :seeded", values={":seeded": True})
        transaction.commit()
        self.crawl = replace(self.crawl, seeded=True)

    def set_markdown(self, *, offered: bool) -> None:
        """Note whether the site offers its pages as Markdown."""
        transaction = Transaction()
        self._update(transaction, "markdown = :markdown", values={":markdown": offered})
        transaction.commit()
        self.crawl = replace(self.crawl, markdown=offered)

    def leave_folder(self) -> None:
        """Note that the crawl's folder is gone: new documents are in no folder."""
        transaction = Transaction()
        self._update(transaction, "folderId = :none", values={":none": None})
        transaction.commit()
        self.crawl = replace(self.crawl, settings=replace(self.crawl.settings, folder_id=None))

    def count_try(self, address: Address, *, failed: bool) -> None:
        """Note that a request had no usable answer; with `failed` it counts as the site's failure."""
        transaction = Transaction()
        failures = self.crawl.failures + failed
        self._update(transaction, "failures = :failures", values={":failures": failures})
        transaction.update(
            address_key(self.crawl, address.number),
            "SET tries = :tries",
            condition="tries = :seen",
            values={":tries": address.tries + 1, ":seen": address.tries},
            on_failure=lambda _: LostRun(),
        )
        transaction.commit()
        self.addresses[address.number] = replace(address, tries=address.tries + 1)
        self.crawl = replace(self.crawl, failures=failures)

    def outcome(
        self,
        address: Address,
        outcome: Outcome,
        *,
        detail: str | None = None,
        text_hash: str | None = None,
        failed: bool = False,
    ) -> "Recording":
        """Return the recording of an address's outcome, for the transaction of its document or one of its own."""
        failures = self.crawl.failures + 1 if failed else 0
        done = replace(address, outcome=outcome, detail=detail, text_hash=text_hash, at=clock.now_ms())
        return Recording(self, done, failures)

    def hand_on(self, due_at: int | None) -> None:
        """End the slice and queue the next one, due now or at an instant (ms)."""
        following = replace(self.crawl.slice_job, turn=self.crawl.turn + 1)
        transaction = Transaction()
        self._update(
            transaction,
            "turn = :turn, holder = :none, leaseUntil = :zero, stalls = :zero, GSI1SK = :due",
            values={
                ":turn": following.turn,
                ":none": None,
                ":zero": 0,
                ":due": due_key(clock.now_ms() + STALLED_MS),
            },
        )
        transaction.put(job_item(self.crawl.organization, following.to_job(due_at)), new=True)
        transaction.commit()

    def let_go(self) -> None:
        """Give the run back after a failure, so that the message's next try can take it."""
        transaction = Transaction()
        self._update(transaction, "holder = :none, leaseUntil = :zero", values={":none": None, ":zero": 0})
        transaction.commit()

    def end(self, status: CrawlStatus, problem: str | None = None) -> None:
        """End the run. One that did not finish gets an entry in the organization's log."""
        transaction = Transaction()
        entry = None if problem is None else log_entry(self.crawl, problem)
        repository.end(transaction, self.crawl, status, problem, self._update, entry)
        transaction.commit()

    def _update(
        self,
        transaction: Transaction,
        changes: str,
        *,
        values: Item,
        condition: str = "",
        names: dict[str, str] | None = None,
    ) -> None:
        transaction.update(
            keys.Crawl(self.crawl.organization, self.crawl.id),
            f"SET {changes}",
            condition="holder = :me" + (f" AND {condition}" if condition else ""),
            names=names,
            values={**values, ":me": self._holder},
            on_failure=lambda _: LostRun(),
        )


class Recording:
    """An outcome to write. Called with a transaction, it adds its actions; `then` adds more of the caller's."""

    def __init__(self, frontier: Frontier, done: Address, failures: int) -> None:
        self._frontier, self.done, self._failures = frontier, done, failures

    def commit(self, also: Also | None = None) -> None:
        """Write the outcome in a transaction of its own."""
        transaction = Transaction()
        self.add_to(transaction)
        if also is not None:
            also(transaction)
        transaction.commit()
        self.committed()

    def add_to(self, transaction: Transaction, document_id: str | None = None) -> None:
        """Add the outcome to a transaction."""
        self.done = replace(self.done, document_id=document_id)
        crawl, done = self._frontier.crawl, self.done
        changes, names, values = "failures = :failures", {}, {":failures": self._failures}
        if done.kind is Kind.PAGE:
            changes += ", counts.#done = counts.#done + :one, counts.#pending = counts.#pending - :one"
            names = {"#done": counted_as(done.outcome), "#pending": "pending"}
            values[":one"] = 1
        self._frontier._update(transaction, changes, values=values, names=names)  # noqa: SLF001 - its other half
        transaction.update(
            address_key(crawl, done.number),
            "SET outcome = :outcome, detail = :detail, documentId = :document, textHash = :hash, #at = :at",
            condition="outcome = :pending",
            names={"#at": "at"},
            values={
                ":outcome": done.outcome.value,
                ":detail": done.detail,
                ":document": done.document_id,
                ":hash": done.text_hash,
                ":at": done.at,
                ":pending": Outcome.PENDING.value,
            },
            on_failure=lambda _: LostRun(),
        )

    def committed(self) -> None:
        """Follow the write in the worker's view of the run."""
        self._frontier.addresses[self.done.number] = self.done
        self._frontier.crawl = replace(self._frontier.crawl, failures=self._failures)


def log_entry(crawl: Crawl, problem: str) -> Item:
    """Return the log entry of a run that ended early."""
    return logs.entry(
        crawl.organization,
        LogKind.CRAWL_ENDED_EARLY,
        actor=logs.SYSTEM,
        summary=f"A crawl ended early: {problem}",
        crawlId=crawl.id,
    )


def claim_page(transaction: Transaction, crawl: Crawl, page: CrawledPage) -> None:
    """Enter a page's new document, and the page as this crawl's. The transaction raises PageTaken."""
    transaction.update(
        keys.PageClaim(crawl.organization, page.key),
        "SET crawlId = :crawl",
        condition="attribute_not_exists(PK) OR crawlId = :crawl",
        values={":crawl": crawl.id},
        on_failure=lambda _: PageTaken(),
    )
    put_page(transaction, crawl, page)


def put_page(transaction: Transaction, crawl: Crawl, page: CrawledPage) -> None:
    """Write a page's entry."""
    transaction.put(page.to_item(crawl.organization, crawl.id))


def reserve(host: str, interval_ms: int) -> int:
    """Take the next request to a site; return 0, or the instant (ms) at which to ask again. One call.

    All crawls of all organizations share the site's pace.
    """
    now = clock.now_ms()
    try:
        table.update(
            keys.CrawledHost(sha256_hex(host)),
            "SET nextAt = :next, expiresAt = :expires",
            condition="attribute_not_exists(PK) OR nextAt <= :now",
            values={":next": now + interval_ms, ":expires": clock.seconds_from_now(DAY_SECONDS), ":now": now},
        )
    except ConditionFailed as error:
        return max(_next_from_item(error.item or {}), now + 1)
    return 0


def _next_from_item(item: Item) -> int:
    return int(item.get("nextAt", 0))


def postpone(host: str, until: int) -> None:
    """Let no crawl request a site before an instant (ms), because it asks for that. One call."""
    try:
        table.update(
            keys.CrawledHost(sha256_hex(host)),
            "SET nextAt = :until, expiresAt = :expires",
            condition="attribute_not_exists(PK) OR nextAt < :until",
            values={":until": until, ":expires": clock.seconds_from_now(DAY_SECONDS)},
        )
    except ConditionFailed:
        return
