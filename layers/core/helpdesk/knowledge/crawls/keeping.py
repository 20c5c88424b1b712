"""Writes pages as documents, each in the transaction that records the outcome of its address.

When a crawl is deleted, its documents are deleted, or become ordinary documents that people can edit.
"""

from copy import replace

from helpdesk.accounts.quotas.errors import KNOWLEDGE_IS_FULL
from helpdesk.knowledge import service as knowledge
from helpdesk.knowledge.crawls import repository
from helpdesk.knowledge.crawls.frontier import Frontier, PageTaken, claim_page
from helpdesk.knowledge.crawls.record import Address, CrawledPage, CrawlRemoval, RemovalJob
from helpdesk.knowledge.crawls.schemas import Outcome
from helpdesk.knowledge.crawls.scope import host_of
from helpdesk.knowledge.documents import Source
from helpdesk.knowledge.errors import (
    MAX_BODY_BYTES,
    MAX_TITLE_CHARACTERS,
    DocumentNotFound,
    FolderNotFound,
)
from helpdesk.knowledge.schemas import SourceKind
from helpdesk.knowledge.service import Change, Draft
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record
from helpdesk.platform.text import without_hidden
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.collection import Collection
from helpdesk.storage.transactions import Transaction


class QuotaReached(Exception):
    """The knowledge base is full; the text says what to do."""


class Kept(Record):
    """What is kept of a page, in Markdown."""

    title: str
    text: str

    @property
    def hash(self) -> str:
        """What is equal for pages that say the same, and for one that says the same in another run."""
        return sha256_hex(f"{self.title}\n{self.text}")


def keep(run: Frontier, address: Address, page: Kept) -> None:
    """Write a page's document, change it, or leave it as it is, and record which. Raises QuotaReached."""
    page = Kept(_title(page.title, address), page.text)
    if not any(char.isalnum() for char in page.text):
        run.outcome(address, Outcome.EMPTY).commit()
        return
    if len(page.text.encode()) > MAX_BODY_BYTES:
        detail = f"The text has over {MAX_BODY_BYTES:,} bytes."
        run.outcome(address, Outcome.TOO_LARGE, detail=detail).commit()
        return
    known = run.pages.get(address.page_key)
    try:
        if known is not None:
            _update(run, address, known, page)
        else:
            _create(run, address, page)
    except KNOWLEDGE_IS_FULL as full:
        raise QuotaReached(full.message) from full


def drop(run: Frontier, address: Address, outcome: Outcome, detail: str | None) -> None:
    """Record an outcome of a page that is not to be kept; if it has a document, delete that and record `removed`."""
    known = run.pages.get(address.page_key)
    if known is None:
        run.outcome(address, outcome, detail=detail).commit()
        return
    recording = run.outcome(
        address, outcome if known.deleted else Outcome.REMOVED, detail=detail or outcome.value
    )

    def extra_writes(transaction: Transaction) -> None:
        recording.add_to(transaction)
        repository.forget_page(transaction, known)

    try:
        knowledge.delete(run.crawl.organization, known.document_id, extra_writes=extra_writes)
    except DocumentNotFound:
        transaction = Transaction()
        extra_writes(transaction)
        transaction.commit()
    recording.committed()
    del run.pages[known.page_key]


def _create(run: Frontier, address: Address, page: Kept) -> None:
    crawl = run.crawl
    twin = next((other for other in run.addresses if other.text_hash == page.hash), None)
    if twin is not None:
        run.outcome(address, Outcome.DUPLICATE, detail=f"It has the text of {twin.url}").commit()
        return
    if repository.is_taken(crawl, address.page_key):
        run.outcome(address, Outcome.OTHER_CRAWL).commit()
        return
    recording = run.outcome(address, Outcome.CREATED, text_hash=page.hash)

    def write() -> None:
        draft = Draft(page.title, page.text, run.crawl.folder_id, address.url, _source(address))
        entry = CrawledPage(
            organization=crawl.organization,
            crawl_id=crawl.id,
            url=address.url,
            document_id=ids.new("doc"),
            text_hash=page.hash,
        )

        def extra_writes(transaction: Transaction) -> None:
            recording.add_to(transaction, entry.document_id)
            claim_page(transaction, entry)

        knowledge.write(
            crawl.organization, draft, _name(run), document_id=entry.document_id, extra_writes=extra_writes
        )
        run.pages[entry.page_key] = entry

    try:
        try:
            write()
        except FolderNotFound:
            run.leave_folder()
            write()
    except PageTaken:
        run.outcome(address, Outcome.OTHER_CRAWL).commit()
        return
    recording.committed()


def _update(run: Frontier, address: Address, known: CrawledPage, page: Kept) -> None:
    crawl = run.crawl
    if known.deleted:
        run.outcome(address, Outcome.DOCUMENT_DELETED).commit()
        return
    same = known.text_hash == page.hash
    recording = run.outcome(address, Outcome.UNCHANGED if same else Outcome.UPDATED, text_hash=page.hash)
    entry = replace(known, text_hash=page.hash)

    def extra_writes(transaction: Transaction) -> None:
        recording.add_to(transaction, known.document_id)
        if not same:
            transaction.put(entry)

    source = _source(address)
    change = Change(source=source) if same else Change(title=page.title, body=page.text, source=source)
    try:
        knowledge.change(crawl.organization, known.document_id, change, _name(run), extra_writes=extra_writes)
    except DocumentNotFound:
        gone = replace(known, deleted=True)
        run.outcome(address, Outcome.DOCUMENT_DELETED).commit(lambda transaction: transaction.put(gone))
        run.pages[known.page_key] = gone
        return
    recording.committed()
    run.pages[known.page_key] = entry


def _source(address: Address) -> Source:
    return Source(SourceKind.CRAWL, url=address.url, synced_at=clock.now_ms())


def _name(run: Frontier) -> ActorName:
    return ActorName(f"Crawl of {host_of(run.crawl.url)}")


def _title(title: str, address: Address) -> str:
    """Return a page's title as a document may have it: its own, or the last part of its address."""
    line = without_hidden(" ".join(title.split())).strip()
    if not line:
        line = address.url.rstrip("/").rpartition("/")[2] or address.url
    if len(line) <= MAX_TITLE_CHARACTERS:
        return line
    cut = line[: MAX_TITLE_CHARACTERS - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"


class NotDone(Exception):
    """There was no time for all documents; the message is tried again."""


def release_documents(job: RemovalJob, until: int) -> str:
    """Release a deleted crawl's documents until an instant (ms); return the outcome, for the log.

    Each document is done with its page's entry in one transaction, so a repeated job continues. Raises NotDone.
    """
    left = Collection(CrawlRemoval).find(job.organization, job.crawl_id)
    if left is None:
        return "done_before"
    for page in repository.pages.all(job.organization, job.crawl_id):
        if clock.now_ms() >= until:
            raise NotDone
        _release(page, delete_document=left.delete_documents)
    repository.end_removal(left)
    return "removed"


def _release(page: CrawledPage, *, delete_document: bool) -> None:
    def extra_writes(transaction: Transaction) -> None:
        repository.forget_page(transaction, page)

    try:
        if delete_document:
            knowledge.delete(page.organization, page.document_id, extra_writes=extra_writes)
        else:
            change = Change(source=Source())
            knowledge.change(
                page.organization, page.document_id, change, ActorName("Crawl"), extra_writes=extra_writes
            )
    except DocumentNotFound:
        transaction = Transaction()
        extra_writes(transaction)
        transaction.commit()
