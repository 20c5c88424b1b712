"""Deletes a deleted crawl's documents, or turns them into ordinary documents that people can edit."""

from helpdesk.knowledge import service as knowledge
from helpdesk.knowledge.crawls import repository
from helpdesk.knowledge.crawls.record import CrawledPage, CrawlRemoval, RemovalJob
from helpdesk.knowledge.documents import Source
from helpdesk.knowledge.errors import DocumentNotFound
from helpdesk.knowledge.service import Change
from helpdesk.platform import clock
from helpdesk.storage.by_name import ByName
from helpdesk.storage.collection import Collection
from helpdesk.storage.transactions import Transaction


class NotDone(Exception):
    """There was no time for all documents; the message is tried again."""


def work(job: RemovalJob, until: int) -> str:
    """Release a deleted crawl's documents until an instant (ms); return the outcome, for the log.

    Each document is done with its page's entry in one transaction, so a repeated job continues. Raises NotDone.
    """
    left = Collection(CrawlRemoval).find(job.organization, job.crawl_id)
    if left is None:
        return "done_before"
    for page in repository.pages(job.organization, job.crawl_id):
        if clock.now_ms() >= until:
            raise NotDone
        _release(page, delete_document=left.delete_documents)
    repository.end_removal(left)
    return "removed"


def _release(page: CrawledPage, *, delete_document: bool) -> None:
    def also(transaction: Transaction) -> None:
        repository.forget_page(transaction, page)

    try:
        if delete_document:
            knowledge.delete(page.organization, page.document_id, also=also)
        else:
            change = Change(source=Source())
            knowledge.change(page.organization, page.document_id, change, ByName("Crawl"), also=also)
    except DocumentNotFound:
        transaction = Transaction()
        also(transaction)
        transaction.commit()
