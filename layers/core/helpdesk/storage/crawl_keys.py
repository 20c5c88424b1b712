"""Keys of the items of crawls.

storage/keys.py re-exports these names. No other module imports them from here.
"""

from helpdesk.storage.item_key import ItemKey


class Crawl(ItemKey):
    """A crawl: its settings, and its latest run with the claim of the worker on it."""

    PK, SK = "ORG#{organization}#CRAWLS", "CRAWL#{crawl_id}"
    organization: str
    crawl_id: str


class CrawlStart(ItemKey):
    """The crawl that begins at a page, by the page's key; its presence makes the crawl the only one."""

    PK, SK = "ORG#{organization}#CRAWLS", "START#{page_key}"
    organization: str
    page_key: str


class RunningCrawls(ItemKey):
    """How many crawls are running, so that their limit is a condition and not a count."""

    PK, SK = "ORG#{organization}#CRAWLS", "RUNNING"
    organization: str


class CrawlAddress(ItemKey):
    """An address of a crawl's run and its outcome, in the order in which it was found."""

    PK, SK = "ORG#{organization}#CRAWL#{crawl_id}", "ADDRESS#{run}#{number}"
    organization: str
    crawl_id: str
    run: str
    number: str


class CrawlRobots(ItemKey):
    """The robots.txt that a crawl's run follows."""

    PK, SK = "ORG#{organization}#CRAWL#{crawl_id}", "ROBOTS"
    organization: str
    crawl_id: str


class CrawledPage(ItemKey):
    """The document of a page that a crawl read, by the page's key."""

    PK, SK = "ORG#{organization}#CRAWL#{crawl_id}", "PAGE#{page_key}"
    organization: str
    crawl_id: str
    page_key: str


class CrawlRemoval(ItemKey):
    """A deleted crawl whose pages have not been let go of yet."""

    PK, SK = "ORG#{organization}#CRAWL#{crawl_id}", "REMOVAL"
    organization: str
    crawl_id: str


class PageClaim(ItemKey):
    """Which crawl a page belongs to, so that two crawls do not make two documents of it."""

    PK, SK = "ORG#{organization}#CRAWLED", "PAGE#{page_key}"
    organization: str
    page_key: str


class CrawledHost(ItemKey):
    """When a website may be requested next, by all crawls of all organizations."""

    PK, SK = "CRAWLEDHOST#{host_hash}", "PACE"
    host_hash: str
