"""Crawls as the routes return them."""

from helpdesk.crawls.record import Crawl
from helpdesk.crawls.schemas import CrawlSummary
from helpdesk.storage import by_name as by_names


def summary(crawl: Crawl) -> CrawlSummary:
    """Return a crawl with the numbers of its latest run."""
    chosen = crawl.settings
    return CrawlSummary.from_record(
        crawl,
        url=chosen.url,
        include=chosen.include,
        exclude=chosen.exclude,
        max_pages=chosen.max_pages,
        folder_id=chosen.folder_id,
        refresh=chosen.refresh,
        created_by=by_names.id_of(crawl.created_by_name),
    )
