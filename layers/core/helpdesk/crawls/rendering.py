"""Crawls as the routes return them."""

from helpdesk.crawls.record import Address, Crawl
from helpdesk.crawls.schemas import CrawlAddress, CrawlCounts, CrawlSummary
from helpdesk.storage import by_name as by_names


def summary(crawl: Crawl) -> CrawlSummary:
    """Return a crawl with the numbers of its latest run."""
    chosen = crawl.settings
    return CrawlSummary(
        id=crawl.id,
        url=chosen.url,
        include=list(chosen.include),
        exclude=list(chosen.exclude),
        max_pages=chosen.max_pages,
        folder_id=chosen.folder_id,
        refresh=chosen.refresh,
        status=crawl.status,
        problem=crawl.problem,
        counts=CrawlCounts(**crawl.counts),
        limit_reached=crawl.limit_reached,
        started_at=crawl.started_at,
        finished_at=crawl.finished_at,
        next_run_at=crawl.next_run_at,
        created_at=crawl.created_at,
        created_by=by_names.id_of(crawl.created_by_name),
        created_by_name=crawl.created_by_name,
    )


def address_shape(address: Address) -> CrawlAddress:
    """Return an address of a run."""
    return CrawlAddress(
        url=address.url,
        outcome=address.outcome,
        detail=address.detail,
        document_id=address.document_id,
        at=address.at,
    )
