"""A worker's writes. Each requires that the worker still holds the run, so a late or repeated one changes nothing.

Specification: none; docs/decisions/0122. A run's frontier is its addresses, in the order in which they were found. An
address is added once, because the crawl's item counts them and each addition requires the count that was seen. An
address gets its outcome once, in the transaction that writes, changes or deletes its document.
"""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from copy import replace
from typing import Any

from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.events.outbox import job_item
from helpdesk.knowledge.crawls import repository
from helpdesk.knowledge.crawls.record import (
    OUTCOMES_KEPT_MS,
    Address,
    Crawl,
    CrawledHost,
    CrawledPage,
    CrawlRobots,
    Kind,
    PageClaim,
    SliceJob,
    counted_as,
)
from helpdesk.knowledge.crawls.repository import STALLED_MS, due_key
from helpdesk.knowledge.crawls.schemas import CrawlStatus, Outcome
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import table
from helpdesk.storage.changes import Values, below, or_missing
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import ExtraWrites, Transaction

LEASE_MS = 100_000
"""How long a worker holds a run: longer than its function can run."""
_AT_ONCE = 90  # a transaction takes 100 actions


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
        item = table.change(
            Crawl.key_for(job.organization, job.crawl_id),
            set={"holder": holder, "lease_until": now + LEASE_MS, "due_at": due_key(now + STALLED_MS)},
            require={
                "run": job.run,
                "turn": job.turn,
                "status": CrawlStatus.RUNNING,
                "lease_until": below(now + 1),
            },
            returning="ALL_NEW",
        )
    except ConditionFailed:
        return None
    return Frontier(Crawl.from_item(item), holder)


class Frontier:
    """A run as its worker sees it. `crawl` and `addresses` follow what is written here."""

    def __init__(self, crawl: Crawl, holder: str) -> None:
        """Read what the run has so far: two queries and one read."""
        self.crawl = crawl
        self._holder = holder
        self.addresses = repository.addresses(crawl)[0]
        self.pages = {page.page_key: page for page in repository.pages.all(crawl.organization, crawl.id)}
        self.keys = {address.page_key for address in self.addresses if address.kind is Kind.PAGE}
        self._lists = {address.url for address in self.addresses if address.kind is not Kind.PAGE}

    def knows(self, address: Address) -> bool:
        """Whether an address is in the frontier, in whatever spelling."""
        return address.page_key in self.keys if address.kind is Kind.PAGE else address.url in self._lists

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
            address = Address(
                organization=self.crawl.organization,
                crawl_id=self.crawl.id,
                run=self.crawl.run_key,
                number=len(self.addresses) + len(new),
                url=url,
                kind=kind,
                outcome=outcome,
                expires_at=self._expires_at,
            )
            if self.knows(address):
                continue
            new.append(address)
            (self.keys if kind is Kind.PAGE else self._lists).add(
                address.page_key if kind is Kind.PAGE else url
            )
        limit_reached = limit_reached and not self.crawl.limit_reached
        for start in range(0, len(new) or int(limit_reached), _AT_ONCE):
            self._add(new[start : start + _AT_ONCE], limit_reached=limit_reached or self.crawl.limit_reached)

    def _add(self, new: list[Address], *, limit_reached: bool) -> None:
        pages = [address for address in new if address.kind is Kind.PAGE]
        waiting = sum(address.outcome is Outcome.PENDING for address in pages)
        transaction = Transaction()
        for address in new:
            transaction.put(address, new=True)
        self._count(
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

    @property
    def _expires_at(self) -> int:
        return (self.crawl.started_at + OUTCOMES_KEPT_MS) // 1_000

    def record_robots(self, stored: bytes) -> None:
        """Keep the site's robots.txt for the run."""
        transaction = Transaction()
        self._change(transaction, {"failures": 0})
        transaction.put(
            CrawlRobots(
                organization=self.crawl.organization,
                crawl_id=self.crawl.id,
                run=self.crawl.run,
                stored=stored,
                expires_at=self._expires_at,
            )
        )
        transaction.commit()

    def robots(self) -> bytes | None:
        """Return the robots.txt that was kept for this run; None before."""
        return repository.robots(self.crawl)

    def count_failure(self) -> None:
        """Note that the site did not answer a request for its robots.txt."""
        self._save(failures=self.crawl.failures + 1)

    def set_seeded(self) -> None:
        """Note that the first addresses were added."""
        self._save(seeded=True)

    def set_markdown(self, *, offered: bool) -> None:
        """Note whether the site offers its pages as Markdown."""
        self._save(markdown=offered)

    def leave_folder(self) -> None:
        """Note that the crawl's folder is gone: new documents are in no folder."""
        self._save(folder_id=None)

    def count_try(self, address: Address, *, failed: bool) -> None:
        """Note that a request had no usable answer; with `failed` it counts as the site's failure."""
        transaction = Transaction()
        failures = self.crawl.failures + failed
        self._change(transaction, {"failures": failures})
        transaction.change(
            address.key,
            set={"tries": address.tries + 1},
            require={"tries": address.tries},
            on_failure=LostRun(),
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
        self._change(
            transaction,
            {
                "turn": following.turn,
                "holder": None,
                "lease_until": 0,
                "stalls": 0,
                "due_at": due_key(clock.now_ms() + STALLED_MS),
            },
        )
        transaction.put(job_item(self.crawl.organization, following.to_job(due_at)), new=True)
        transaction.commit()

    def release(self) -> None:
        """Give the run back after a failure, so that the message's next try can take it."""
        self._save(holder=None, lease_until=0)

    def end(self, status: CrawlStatus, problem: str | None = None) -> None:
        """End the run. One that did not finish gets an entry in the organization's log."""
        entry = None if problem is None else log_entry(self.crawl, problem)
        held = {"holder": self._holder}
        repository.end(self.crawl, status, problem, require=held, on_failure=LostRun(), entry=entry)

    def _save(self, **values: Any) -> None:
        """Change fields of the crawl, here and in its item."""
        transaction = Transaction()
        self._change(transaction, values)
        transaction.commit()
        self.crawl = replace(self.crawl, **values)

    def _change(self, transaction: Transaction, values: Values) -> None:
        held = {"holder": self._holder}
        transaction.change(self.crawl.key, set=values, require=held, on_failure=LostRun())

    def _count(
        self,
        transaction: Transaction,
        changes: str,
        *,
        values: Item,
        condition: str = "",
        names: dict[str, str] | None = None,
    ) -> None:
        """Change the numbers inside `counts`, which have no fields of their own."""
        transaction.update(
            self.crawl.key,
            f"SET {changes}",
            condition="holder = :me" + (f" AND {condition}" if condition else ""),
            names=names,
            values={**values, ":me": self._holder},
            on_failure=LostRun(),
        )


class Recording:
    """An outcome to write. Called with a transaction, it adds its actions; `then` adds more of the caller's."""

    def __init__(self, frontier: Frontier, done: Address, failures: int) -> None:
        self._frontier, self.done, self._failures = frontier, done, failures

    def commit(self, extra_writes: ExtraWrites | None = None) -> None:
        """Write the outcome in a transaction of its own."""
        transaction = Transaction()
        self.add_to(transaction)
        if extra_writes is not None:
            extra_writes(transaction)
        transaction.commit()
        self.committed()

    def add_to(self, transaction: Transaction, document_id: str | None = None) -> None:
        """Add the outcome to a transaction."""
        self.done = replace(self.done, document_id=document_id)
        done = self.done
        changes, names, values = "failures = :failures", {}, {":failures": self._failures}
        if done.kind is Kind.PAGE:
            changes += ", counts.#done = counts.#done + :one, counts.#pending = counts.#pending - :one"
            names = {"#done": counted_as(done.outcome), "#pending": "pending"}
            values[":one"] = 1
        self._frontier._count(transaction, changes, values=values, names=names)  # noqa: SLF001 - its other half
        written = ("outcome", "detail", "document_id", "text_hash", "at")
        transaction.change(
            done.key,
            set={name: getattr(done, name) for name in written},
            require={"outcome": Outcome.PENDING},
            on_failure=LostRun(),
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


def claim_page(transaction: Transaction, page: CrawledPage) -> None:
    """Enter a page's new document, and the page as its crawl's. The transaction raises PageTaken."""
    transaction.change(
        PageClaim.key_for(page.organization, page.page_key),
        set={"crawl_id": page.crawl_id},
        require={"crawl_id": or_missing(page.crawl_id)},
        or_new=True,
        on_failure=PageTaken(),
    )
    transaction.put(page)


def reserve(host: str, interval_ms: int) -> int:
    """Take the next request to a site; return 0, or the instant (ms) at which to ask again. One call.

    All crawls of all organizations share the site's pace.
    """
    now = clock.now_ms()
    try:
        _set_pace(host, now + interval_ms, if_before=now + 1)
    except ConditionFailed as error:
        return max(CrawledHost.from_item(error.item).next_at if error.item else 0, now + 1)
    return 0


def postpone(host: str, until: int) -> None:
    """Let no crawl request a site before an instant (ms), because it asks for that. One call."""
    with suppress(ConditionFailed):
        _set_pace(host, until, if_before=until)


def _set_pace(host: str, next_at: int, *, if_before: int) -> None:
    table.change(
        CrawledHost.key_for(sha256_hex(host)),
        set={"next_at": next_at, "expires_at": clock.seconds_from_now(DAY_SECONDS)},
        require={"next_at": below(if_before)},
        or_new=True,
    )
