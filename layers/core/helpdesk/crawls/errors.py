"""Errors and limits of crawls (Specification: Errors, Knowledge; Limits, Running crawls)."""

from helpdesk.knowledge.errors import BadUrl
from helpdesk.platform.errors import AppError

MAX_RUNNING_CRAWLS = 3
MAX_PAGES = 500
DEFAULT_PAGES = 100
MAX_GLOBS = 20
MAX_GLOB_CHARACTERS = 200
NEEDS_PAID_PLAN = "Crawls need the Standard or Pro plan. Ask your operator to change the plan."


class BadStart(BadUrl):
    """The start is malformed, not https, or does not lead to the public internet; the message says which."""

    status, code = 400, "bad_url"
    message = "Give the https:// URL of a website on the public internet as `url`."


class TooManyCrawls(AppError):
    """As many crawls are running as may run at once."""

    status, code = 400, "too_many_crawls"
    message = f"Wait until one of the {MAX_RUNNING_CRAWLS} running crawls has finished, or delete one."


class CrawlRunning(AppError):
    """The crawl is running, or another one from the same start."""

    status, code = 409, "crawl_running"
    message = "A crawl from this start is running. Wait until it has finished."


class CrawlNotFound(AppError):
    """No such crawl in this organization."""

    status, code = 404, "crawl_not_found"
    message = "No crawl has this ID in your organization."
