"""One slice of a run: requests pages for up to a minute, writes what they say, and hands on.

A worker may die anywhere. An address gets its outcome in the transaction that writes its document, so a page whose
worker died is requested again, and its document is neither lost nor doubled (docs/decisions/0122).
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from helpdesk.accounts.organizations import service as organizations
from helpdesk.api.admission.limits import Plan
from helpdesk.knowledge.crawls import keeping, reading
from helpdesk.knowledge.crawls.errors import NEEDS_PAID_PLAN
from helpdesk.knowledge.crawls.frontier import Frontier, LostRun, claim
from helpdesk.knowledge.crawls.keeping import Kept, QuotaReached
from helpdesk.knowledge.crawls.reading import ACCEPT_LIST, ACCEPT_MARKDOWN, ACCEPT_PAGE, Page, Web
from helpdesk.knowledge.crawls.record import Address, Kind, SliceJob
from helpdesk.knowledge.crawls.robots import unpacked
from helpdesk.knowledge.crawls.schemas import CrawlStatus, Outcome
from helpdesk.knowledge.crawls.scope import markdown_address, page_key
from helpdesk.knowledge.crawls.sitemaps import MAX_SITEMAPS, parse_llms, parse_sitemap
from helpdesk.knowledge.crawls.visiting import (
    FINAL_FAILURES,
    MAX_TRIES,
    REQUEST_MS,
    Left,
    OutOfTime,
    Site,
    SiteFailed,
    Sleep,
    leave_alone,
)
from helpdesk.outbound.fetcher import MAX_PAGE_BYTES, Fetched
from helpdesk.outbound.outcome import Failure
from helpdesk.platform import clock
from helpdesk.platform.isolation import Isolated, Unreadable

BEGIN_MS = 30_000
"""No page is begun later than this after the slice's start."""
MAX_FAILURES = 10
"""How many requests in a row may have no usable answer before the run fails."""
MAX_DISALLOWED = 100
"""How many addresses that robots.txt excludes are listed."""
MAX_LINKS_MS = 10_000
"""How long the links of one page are compared with robots.txt, which can have 40,000 rules. The rest is left out."""

_GONE: Final = frozenset({404, 410})
_REFUSED: Final = frozenset({400, 401, 402, 403, 405, 406, 407, 414, 451})
_LEFT_OUT: Final = "The crawl's settings leave this address out."


def work(job: SliceJob, web: Web, reader: Isolated, sleep: Sleep, *, skip: bool = False) -> str:
    """Do a slice of a run; return the outcome, for the log.

    Raises what the table or the queue raise. The message is then tried again. With `skip`, which is for a late try, the
    address at which that happened is left out of the run, so that no page ends it.
    """
    frontier = claim(job)
    if frontier is None:
        return "not_mine"
    at_work = _Slice(frontier, web, reader, sleep)
    try:
        return at_work.run()
    except LostRun:
        return "lost"
    except Exception:
        if skip:
            at_work.skip()
        frontier.release()
        raise


class _Slice:
    def __init__(self, frontier: Frontier, web: Web, reader: Isolated, sleep: Sleep) -> None:
        self._frontier, self._reader = frontier, reader
        self._address: Address | None = None  # at work
        self._started = clock.now_ms()
        self._scope = frontier.crawl.scope
        self._site = Site(web, sleep, self._scope, self._started)
        self._disallowed = sum(
            address.outcome is Outcome.DISALLOWED
            for address in frontier.addresses
            if address.kind is Kind.PAGE
        )

    def run(self) -> str:
        if organizations.plan_of(self._frontier.crawl.organization) is Plan.EXPLORE:
            self._frontier.end(CrawlStatus.STOPPED, NEEDS_PAID_PLAN)
            return "stopped"
        try:
            self._seed()
            while (address := self._frontier.next()) is not None:
                # A page takes up to three requests, for a redirect and for its Markdown.
                if clock.now_ms() - self._started >= min(
                    BEGIN_MS, REQUEST_MS - 3 * self._site.robots.interval_ms
                ):
                    raise OutOfTime(0)  # noqa: TRY301 - hands on as a wait for the site does
                self._take(address)
        except OutOfTime as late:
            self._frontier.hand_on(late.at if late.at > clock.now_ms() else None)
            return "handed_on"
        except SiteFailed as failed:
            self._frontier.end(CrawlStatus.FAILED, str(failed))
            return "failed"
        except QuotaReached as full:
            self._frontier.end(CrawlStatus.STOPPED, str(full))
            return "stopped"
        self._frontier.end(CrawlStatus.FINISHED)
        return "finished"

    def skip(self) -> None:
        """Leave the address at work out of the run. A document of it stays."""
        if self._address is None:
            return
        address = self._frontier.addresses[self._address.number]
        if address.outcome is Outcome.PENDING:
            with suppress(LostRun):  # its outcome is written, and only the response was lost
                self._record(address, Outcome.UNREACHABLE, "The page could not be processed.")

    # ----------------------------------------------------------------------------------------------------- the start

    def _seed(self) -> None:
        """Read robots.txt, and add the first addresses: the start, known pages, and the site's lists of pages."""
        frontier = self._frontier
        stored = frontier.robots()
        if stored is None:
            stored = self._site.read_robots(frontier)
            frontier.record_robots(stored)
        self._site.robots = unpacked(stored)
        if frontier.crawl.seeded:
            return
        sitemaps = [self._scope.resolve(each) for each in self._site.robots.sitemaps]
        lists = [(each, Kind.SITEMAP) for each in sitemaps or [self._scope.resolve("/sitemap.xml")]]
        prefix = self._scope.prefix
        lists += [
            (self._scope.resolve(f"{folder}/llms.txt"), Kind.LLMS) for folder in dict.fromkeys((prefix, ""))
        ]
        frontier.add(
            [
                (each, kind, Outcome.PENDING)
                for each, kind in lists
                if each is not None and self._site.robots.allows(each)
            ]
        )
        frontier.add([(frontier.crawl.url, Kind.PAGE, Outcome.PENDING)])
        # A page that an earlier run found is looked at again, even if nothing links to it any more.
        known = sorted(page.url for page in frontier.pages.values())
        frontier.add([(url, Kind.PAGE, Outcome.PENDING) for url in known])
        frontier.set_seeded()

    # --------------------------------------------------------------------------------------------------- an address

    def _take(self, address: Address) -> None:
        """Work on one address. What interrupts it counts as a try, so that no page is tried for ever."""
        self._address = address
        if address.tries >= MAX_TRIES:
            self._frontier.outcome(
                address, Outcome.UNREACHABLE, detail="The page could not be read in time.", failed=True
            ).commit()
            return
        try:
            if address.kind is Kind.PAGE:
                self._take_page(address)
            else:
                self._take_list(address)
        except OutOfTime:
            if clock.now_ms() - self._started > 1_000:
                self._frontier.count_try(address, failed=False)
            raise
        if self._frontier.crawl.failures >= MAX_FAILURES:
            raise SiteFailed(f"The site failed to respond to {MAX_FAILURES} requests in a row.")

    def _take_list(self, address: Address) -> None:
        """Read a sitemap or llms.txt, whose failure is no failure of the run."""
        try:
            fetched, _ = self._site.follow(address.url, ACCEPT_LIST)
        except Left:
            fetched = Fetched(None, Failure.REDIRECT)
        if fetched.status in {429, 503} and self._tried_again(address, fetched):
            return
        was_read = fetched.status == 200 and fetched.encoding is None
        if was_read:
            if address.kind is Kind.SITEMAP:
                self._add_sitemap(fetched.body, fetched.headers.get("content-type", ""))
            else:
                self._add_pages(
                    parse_llms(fetched.body, fetched.headers.get("content-type", "")), address.url
                )
        self._frontier.outcome(address, Outcome.UNCHANGED if was_read else Outcome.NOT_FOUND).commit()

    def _add_sitemap(self, body: bytes, content_type: str) -> None:
        listed = parse_sitemap(body, content_type)
        if not listed.index:
            self._add_pages(listed.locations)
            return
        found = [self._scope.resolve(each) for each in listed.locations]
        room = max(0, MAX_SITEMAPS - self._frontier.crawl.lists)
        allowed = [
            each for each in dict.fromkeys(found) if each is not None and self._site.robots.allows(each)
        ]
        self._frontier.add([(each, Kind.SITEMAP, Outcome.PENDING) for each in allowed[:room]])

    def _add_pages(self, links: Iterable[str], base: str | None = None) -> None:
        """Add the pages among links, as far as the crawl's limit allows."""
        frontier = self._frontier
        room = frontier.crawl.max_pages + self._disallowed - len(frontier.keys)
        new: list[tuple[str, Kind, Outcome]] = []
        seen: set[str] = set()
        limit_reached = False
        until = clock.now_ms() + MAX_LINKS_MS
        for link in links:
            if clock.now_ms() >= until:
                limit_reached = True
                break
            url = self._scope.resolve(link, base)
            if (
                url is None
                or not self._scope.covers(url)
                or (key := page_key(url)) in frontier.keys
                or key in seen
            ):
                continue
            if not self._site.robots.allows(url):
                if self._disallowed < MAX_DISALLOWED:
                    self._disallowed += 1
                    seen.add(key)
                    new.append((url, Kind.PAGE, Outcome.DISALLOWED))
            elif room > 0:
                room -= 1
                seen.add(key)
                new.append((url, Kind.PAGE, Outcome.PENDING))
            else:
                limit_reached = True
        frontier.add(new, limit_reached=limit_reached)

    def _take_page(self, address: Address) -> None:
        # The start is read for its links, even if it is left out itself.
        if not self._scope.covers(address.url) and address.page_key != page_key(self._frontier.crawl.url):
            self._drop(address, Outcome.OUT_OF_SCOPE, _LEFT_OUT)
            return
        if not self._site.robots.allows(address.url):
            self._record(address, Outcome.DISALLOWED)
            return
        try:
            fetched, url = self._site.follow(address.url, ACCEPT_PAGE)
        except Left as left:
            self._take_redirect(address, left)
            return
        if fetched.status in _GONE:
            self._drop(address, Outcome.NOT_FOUND, f"status {fetched.status}")
        elif fetched.status != 200:
            self._take_failure(address, fetched)
        elif fetched.encoding is not None:
            detail = f"It is compressed as {fetched.encoding}, which the crawler does not ask for"
            self._record(address, Outcome.UNREADABLE, detail)
        elif reading.kind_of(fetched) is None:
            self._record(address, Outcome.NOT_A_PAGE, fetched.headers.get("content-type", "")[:100] or None)
        elif fetched.too_large:
            self._record(address, Outcome.TOO_LARGE, f"The page has over {MAX_PAGE_BYTES // 1_000_000} MB.")
        else:
            self._take_body(address, fetched, url)

    def _take_redirect(self, address: Address, left: Left) -> None:
        target = left.target
        if target is None or not self._scope.covers(target):
            self._record(address, Outcome.OUT_OF_SCOPE, f"It redirects to {left.location[:300]}")
            return
        self._add_pages([target])
        detail = f"It redirects to {target}"
        if left.status in {301, 308}:
            self._drop(address, Outcome.REDIRECTED, detail)
        else:
            self._record(address, Outcome.REDIRECTED, detail)

    def _take_failure(self, address: Address, fetched: Fetched) -> None:
        final = fetched.status in _REFUSED or fetched.failure in FINAL_FAILURES
        if not final and self._tried_again(address, fetched):
            return
        what = f"status {fetched.status}" if fetched.status else str(fetched.failure)
        self._frontier.outcome(address, Outcome.UNREACHABLE, detail=what, failed=not final).commit()

    def _tried_again(self, address: Address, fetched: Fetched) -> bool:
        """Leave an address for later, unless it was tried often enough; return whether it is."""
        if address.tries + 1 >= MAX_TRIES:
            return False
        leave_alone(address.url, fetched)
        self._frontier.count_try(address, failed=True)
        return True

    def _take_body(self, address: Address, fetched: Fetched, url: str) -> None:
        try:
            page = reading.read(self._reader, fetched, url)
        except Unreadable:
            self._record(
                address, Outcome.UNREADABLE, "The page is built so that it could not be read in time."
            )
            return
        if page.noindex:
            self._drop(address, Outcome.NOINDEX)
            return
        refresh = self._scope.resolve(page.refresh, url) if page.refresh is not None else None
        if refresh is not None and page_key(refresh) != address.page_key:
            self._take_redirect(address, Left(0, refresh, refresh))
            return
        self._add_pages(page.links)
        if not self._scope.covers(address.url):
            self._drop(address, Outcome.OUT_OF_SCOPE, _LEFT_OUT)
            return
        if page.canonical is not None:
            canonical = self._scope.resolve(page.canonical, url)
            if canonical is None:
                self._record(
                    address, Outcome.DUPLICATE, f"It names {page.canonical[:300]} as its own address"
                )
                return
            if page_key(canonical) != address.page_key:
                self._add_pages([canonical])
                self._drop(address, Outcome.DUPLICATE, f"It names {canonical} as its own address")
                return
        self._keep(address, self._as_markdown(page, fetched, url))

    def _as_markdown(self, page: Page, fetched: Fetched, url: str) -> Page:
        """Return the page as the site itself offers it in Markdown, if it does."""
        if reading.kind_of(fetched) == "markdown":
            return page
        offered = self._scope.resolve(page.alternate, url) if page.alternate is not None else None
        crawl = self._frontier.crawl
        guess = None if offered is not None or crawl.markdown is False else markdown_address(url)
        source = offered or guess
        if source is None or not self._site.robots.allows(source):
            return page
        try:
            answer, address = self._site.follow(source, ACCEPT_MARKDOWN)
            whole = not answer.too_large and answer.encoding is None
            good = answer.status == 200 and reading.kind_of(answer) == "markdown" and whole
            written = reading.read(self._reader, answer, address) if good else None
        except (Left, Unreadable):
            written = None
        if guess is not None and crawl.markdown is None:
            self._frontier.set_markdown(offered=written is not None)
        if written is None or not written.text:
            return page
        return Page(
            title=written.title or page.title,
            text=written.text,
            links=(),
            canonical=None,
            alternate=None,
            refresh=None,
            noindex=False,
        )

    # ------------------------------------------------------------------------------------------------------ outcomes

    def _record(self, address: Address, outcome: Outcome, detail: str | None = None) -> None:
        self._frontier.outcome(address, outcome, detail=detail).commit()

    def _drop(self, address: Address, outcome: Outcome, detail: str | None = None) -> None:
        """Record an outcome of a page that is not to be kept. If it has a document, that is deleted."""
        keeping.drop(self._frontier, address, outcome, detail)

    def _keep(self, address: Address, page: Page) -> None:
        keeping.keep(self._frontier, address, Kept(page.title, page.text))
