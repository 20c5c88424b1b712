"""Errors and limits of crawls (Specification: Errors, Knowledge; Limits, Running crawls)."""

from helpdesk.knowledge.errors import BadUrl
from helpdesk.platform.errors import BadRequestError, ConflictError, NotFoundError

MAX_RUNNING_CRAWLS = 3
MAX_PAGES = 500
DEFAULT_PAGES = 100
MAX_GLOBS = 20
MAX_GLOB_CHARACTERS = 200
NEEDS_PAID_PLAN = "Crawls require the Standard or Pro plan. Ask your operator to change the plan."


class BadStart(BadUrl):
    """The start is malformed, not https, or not on the public internet; the message says which."""

    message = "`url` must be the https:// address of a website on the public internet."


class TooManyCrawls(BadRequestError):
    code = "too_many_crawls"
    message = (
        f"At most {MAX_RUNNING_CRAWLS} crawls can run at a time. Wait until one has finished, or delete one."
    )


class CrawlRunning(ConflictError):
    code = "crawl_running"
    message = "A crawl from this start is running. Wait until it has finished."


class CrawlNotFound(NotFoundError):
    code = "crawl_not_found"
    message = "No crawl has this ID in your organization. GET /v1/knowledge/crawls lists them."
