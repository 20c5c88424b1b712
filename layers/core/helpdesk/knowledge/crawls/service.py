"""The rules of crawls: creating, running, listing and deleting them, and running them again when they are due.

What a run does is in `worker`, which only the crawler's function has the packages for.
"""

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.quotas.errors import PlanUpgradeRequired
from helpdesk.api.admission import waits
from helpdesk.api.admission.caller import Caller
from helpdesk.api.admission.limits import Plan
from helpdesk.api.http.pages import next_cursor, position
from helpdesk.knowledge import folder_service as folders
from helpdesk.knowledge.crawls import repository
from helpdesk.knowledge.crawls.errors import (
    MAX_GLOB_CHARACTERS,
    MAX_GLOBS,
    MAX_PAGES,
    NEEDS_PAID_PLAN,
    BadStart,
    CrawlNotFound,
    CrawlRunning,
    TooManyCrawls,
)
from helpdesk.knowledge.crawls.frontier import log_entry
from helpdesk.knowledge.crawls.record import OUTCOMES_KEPT_MS, Crawl, Settings
from helpdesk.knowledge.crawls.schemas import (
    CrawlAddress,
    CrawlAnswer,
    CrawlCreated,
    CrawlInput,
    CrawlQuery,
    CrawlsAnswer,
    CrawlsQuery,
    CrawlStatus,
    CrawlSummary,
    Documents,
)
from helpdesk.knowledge.crawls.scope import Scope
from helpdesk.outbound import addresses
from helpdesk.outbound.errors import InvalidUrl
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.settings import settings
from helpdesk.platform.text import trimmed
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import shards
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

MAX_STALLS = 5
_LIST = "knowledge/crawls"
_PAGE = 100
_STALLED = "The crawl stopped again and again. Run it again."


def create(caller: Caller, wanted: CrawlInput) -> CrawlCreated:
    """Create a crawl and begin its first run. A start that has a crawl keeps it, with the new settings.

    Raises BadStart, InvalidRequest, PlanUpgradeRequired, FolderNotFound, CrawlRunning, TooManyCrawls.
    """
    chosen = _checked(caller, wanted)
    _require_paid_plan(caller.organization)

    def in_folder(transaction: Transaction) -> None:
        folders.require(transaction, caller.organization, chosen.folder_id)

    def attempt() -> CrawlCreated:
        crawl_id = repository.find_by_start(caller.organization, chosen.url)
        if crawl_id is None:
            crawl_id = ids.new("crawl")
            repository.create(caller.organization, crawl_id, chosen, caller.actor, in_folder)
        else:
            repository.run(_of_start(caller.organization, crawl_id), chosen, in_folder)
        return CrawlCreated(id=crawl_id)

    return repeat_when_stale(attempt, ConditionFailed)


def run(caller: Caller, crawl_id: str) -> None:
    """Begin another run. Raises CrawlNotFound, PlanUpgradeRequired, CrawlRunning, TooManyCrawls."""
    crawl = repository.get(caller.organization, crawl_id)
    _require_paid_plan(caller.organization)
    repository.run(crawl, crawl.settings)


def newest(caller: Caller, query: CrawlsQuery) -> CrawlsAnswer:
    """Return a page of crawls, newest first."""
    before = position(caller, query, _LIST)
    found, end = repository.crawls.newest(
        caller.organization, limit=query.limit, before=before, consistent=True
    )
    return CrawlsAnswer(
        crawls=[CrawlSummary.from_record(crawl) for crawl in found],
        next_cursor=next_cursor(caller, end, _LIST),
    )


def get(caller: Caller, crawl_id: str, query: CrawlQuery) -> CrawlAnswer:
    """Return a crawl with a page of its latest run's addresses. Raises CrawlNotFound, InvalidCursor."""
    crawl = repository.get(caller.organization, crawl_id)
    # A cursor of another run would skip addresses of this one.
    of_list = f"{_LIST}/{crawl_id}/{crawl.run}"
    after = position(caller, query, of_list)
    found, end = (
        repository.addresses(crawl, query.limit, after)
        if clock.now_ms() < crawl.started_at + OUTCOMES_KEPT_MS
        else ([], None)
    )
    # A reader who sees an address sees the numbers after it.
    now = repository.get(caller.organization, crawl_id)
    crawl = now if now.run == crawl.run else crawl
    return CrawlAnswer(
        crawl=CrawlSummary.from_record(crawl),
        addresses=[CrawlAddress.from_record(address) for address in found if address.is_page],
        next_cursor=next_cursor(caller, end, of_list),
    )


def delete(caller: Caller, crawl_id: str, documents: Documents) -> None:
    """Delete a crawl, also during a run. Its documents are deleted or become ordinary ones in the background.

    Raises CrawlNotFound.
    """

    def attempt() -> None:
        crawl = repository.get(caller.organization, crawl_id)
        repository.remove(crawl, delete_documents=documents is Documents.DELETE)

    repeat_when_stale(attempt, ConditionFailed)  # a run may begin or end in the meantime


def start_due(until: int) -> int:
    """Begin the runs that are due, and queue those again whose worker may be gone; return how many crawls that were.

    Ends when there are no more, or at the instant `until` (ms): the next run continues with the earliest ones.
    """
    before = clock.now_ms()
    done = 0

    def read(shard: int, after: Item | None) -> tuple[list[Crawl], Item | None]:
        return repository.crawls.due(shard, before, _PAGE, after, index="GSI1")

    for page in shards.pages(read, before // MINUTE_MS, until):
        done += sum(_start(due) for due in page)
    return done


def _start(due: Crawl) -> bool:
    try:
        crawl = repository.get(due.organization, due.id)
        if crawl.status is not CrawlStatus.RUNNING:
            repository.run(crawl, crawl.settings)
        elif crawl.stalls < MAX_STALLS:
            repository.queue_again(crawl)
        else:
            repository.give_up(crawl, _STALLED, log_entry(crawl, _STALLED))
    except (CrawlNotFound, CrawlRunning, TooManyCrawls):
        return False  # it was deleted, runs by now, or waits for the next time
    return True


def _checked(caller: Caller, wanted: CrawlInput) -> Settings:
    """Return the settings of a request. Raises BadStart, InvalidRequest, RateLimited."""
    if not 1 <= wanted.max_pages <= MAX_PAGES:
        raise InvalidRequest(f"`maxPages` must be a whole number from 1 to {MAX_PAGES}.")
    return Settings(
        url=_start_address(caller, trimmed(wanted.url or "")),
        include=_globs("include", wanted.include),
        exclude=_globs("exclude", wanted.exclude),
        max_pages=wanted.max_pages,
        folder_id=wanted.folder_id,
        refresh=wanted.refresh,
    )


def _start_address(caller: Caller, url: str) -> str:
    if not url:
        raise BadStart
    url = url.partition("#")[0]
    try:
        addresses.require_public(
            url,
            allow_loopback=settings().allow_loopback_urls,
            waiting=waits.on_others(caller.organization, caller.tier, addresses.RESOLVE_SECONDS),
        )
    except InvalidUrl as error:
        raise BadStart(error.message) from None
    start = Scope(url).resolve(url)
    if start is None:
        raise BadStart(
            "The URL has too many path segments, or repeats one. Start at another page of the website."
        )
    return start


def _globs(name: str, patterns: list[str]) -> tuple[str, ...]:
    if len(patterns) > MAX_GLOBS or any(not 0 < len(each) <= MAX_GLOB_CHARACTERS for each in patterns):
        raise InvalidRequest(
            f"`{name}` must have at most {MAX_GLOBS} globs of 1 to {MAX_GLOB_CHARACTERS} characters."
        )
    if any(not each.startswith(("/", "*")) for each in patterns):
        raise InvalidRequest(f"Each glob of `{name}` must start with / or *.")
    return tuple(patterns)


def _require_paid_plan(organization: str) -> None:
    if organizations.plan_of(organization) is Plan.EXPLORE:
        raise PlanUpgradeRequired(NEEDS_PAID_PLAN)


def _of_start(organization: str, crawl_id: str) -> Crawl:
    """Return the crawl of a start. Raises CrawlRunning if it is deleted, and its documents are not yet."""
    try:
        return repository.get(organization, crawl_id)
    except CrawlNotFound:
        raise CrawlRunning(
            "A deleted crawl from this start is still being removed. Try again in a minute."
        ) from None
