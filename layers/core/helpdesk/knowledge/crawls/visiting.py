"""Requests to a crawl's site: one at a time, at the site's pace, as its robots.txt allows, each hop guarded."""

from collections.abc import Callable
from typing import Final

from helpdesk.knowledge.crawls import reading
from helpdesk.knowledge.crawls.frontier import Frontier, postpone, reserve
from helpdesk.knowledge.crawls.reading import Web
from helpdesk.knowledge.crawls.robots import Robots, packed
from helpdesk.knowledge.crawls.scope import Scope, host_of, page_key
from helpdesk.outbound.fetcher import Fetched
from helpdesk.outbound.outcome import Failure
from helpdesk.platform import clock

REQUEST_MS = 40_000
"""No request is made later than this after the slice's start. One takes up to 15 s, and reading the page up to 5."""
MAX_HOPS = 5
MAX_TRIES = 3

FINAL_FAILURES: Final = frozenset({Failure.INVALID_URL, Failure.REFUSED_ADDRESS})

type Sleep = Callable[[float], None]


class OutOfTime(Exception):
    """The slice has no time for the next request, which may be made at `at` (ms)."""

    def __init__(self, at: int) -> None:
        self.at = at
        super().__init__(at)


class SiteFailed(Exception):
    """The site cannot be crawled; the text says why."""


class Left(Exception):
    """A redirect leads to another page: `target` of this site, or elsewhere if that is None."""

    def __init__(self, status: int, target: str | None, location: str) -> None:
        self.status, self.target, self.location = status, target, location
        super().__init__(location)


class Site:
    """A crawl's site during a slice, which began at `started` (ms). `robots` allows everything until it is set."""

    def __init__(self, web: Web, sleep: Sleep, scope: Scope, started: int) -> None:
        self.robots = Robots("")
        self._web, self._sleep, self._scope, self._started = web, sleep, scope, started
        self._next_at = 0

    def follow(self, url: str, accept: str) -> tuple[Fetched, str]:
        """Request a page; return the response and the address that it came from.

        Follows redirects between spellings of the same page. Raises Left for any other, and OutOfTime.
        """
        key = page_key(url)
        for _ in range(MAX_HOPS + 1):
            fetched = self._request(url, accept)
            location = reading.redirect_of(fetched, url)
            if location is None:
                return fetched, url
            target = self._scope.resolve(location)
            if target is None or page_key(target) != key or not self.robots.allows(target):
                raise Left(fetched.status or 0, target, location)
            url = target
        return Fetched(None, Failure.REDIRECT), url

    def read_robots(self, frontier: Frontier) -> bytes:
        """Return the site's robots.txt as it is stored, empty if there is none. Raises SiteFailed."""
        address = self._scope.resolve("/robots.txt") or ""
        while True:
            try:
                fetched, _ = self.follow(address, "text/plain")
            except Left:
                return packed(b"")  # RFC 9309, 2.3.1.2: as if there were none
            unread = fetched.status == 200 and fetched.encoding is not None
            if fetched.status is not None and fetched.status < 500 and fetched.status != 429 and not unread:
                return packed(fetched.body if fetched.status == 200 else b"")
            frontier.count_failure()
            if fetched.failure in FINAL_FAILURES or frontier.crawl.failures >= MAX_TRIES:
                what = f"status {fetched.status}" if fetched.status else str(fetched.failure)
                what = f"compressed as {fetched.encoding}" if unread else what
                raise SiteFailed(
                    f"The site's robots.txt could not be read ({what}). It must respond, with 404 if it has none."
                )
            leave_alone(address, fetched)

    def _request(self, url: str, accept: str) -> Fetched:
        """Make one request when it is the crawl's turn at the site. Raises OutOfTime."""
        at = self._next_at  # waiting first saves the call that would say so
        while True:
            if at <= clock.now_ms():
                at = reserve(host_of(url), self.robots.interval_ms)
            if at == 0:
                self._next_at = clock.now_ms() + self.robots.interval_ms
                return self._web.get(url, accept)
            if at > self._started + REQUEST_MS:
                raise OutOfTime(at)
            self._sleep((at - clock.now_ms()) / 1_000)


def leave_alone(url: str, fetched: Fetched) -> None:
    """Let no crawl request the site for as long as a response asks for."""
    if fetched.status in {429, 503}:
        postpone(host_of(url), clock.now_ms() + reading.retry_after_ms(fetched))
