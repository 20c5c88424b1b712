"""A website in memory that a crawl reads, a clock that only waiting moves, and the queue of the crawl's messages."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from helpdesk.knowledge.crawls import keeping, service, worker
from helpdesk.knowledge.crawls.record import RemovalJob, SliceJob
from helpdesk.outbound.fetcher import Fetched
from helpdesk.outbound.outcome import Failure
from helpdesk.platform import clock
from helpdesk.platform.queues import MAX_RECEIVES
from helpdesk.platform.units import MINUTE_MS
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.in_process import InProcess
from tests.support.permissions import running

SITE = "https://fern.example.com"
VISIBILITY_MS = 540_000
EXTRACTION = "helpdesk.knowledge.crawls.extraction"


def html(body: str, *, title: str = "", head: str = "", status: int = 200) -> Fetched:
    """Return a page with this text in its main element."""
    text = f"<!doctype html><html><head><title>{title}</title>{head}</head><body><main>{body}</main></body></html>"
    return Fetched(status, None, {"content-type": "text/html; charset=utf-8"}, text.encode())


def plain(text: str, kind: str = "text/plain", status: int = 200) -> Fetched:
    """Return a response of another type."""
    return Fetched(status, None, {"content-type": kind}, text.encode())


def redirect(location: str, status: int = 301) -> Fetched:
    """Return a redirect."""
    return Fetched(status, None, {"location": location})


NOT_FOUND = plain("", status=404)


@dataclass
class Website:
    """The pages of a site by path; those that it lacks are not found. `requests` has the time (ms) of each request."""

    pages: dict[str, Fetched | Callable[[], Fetched]] = field(default_factory=dict)
    requests: list[tuple[int, str]] = field(default_factory=list)
    before: Callable[[str], None] = lambda _: None

    def get(self, url: str, accept: str) -> Fetched:
        """Answer a request."""
        self.before("before a request")
        self.requests.append((clock.now_ms(), url))
        if not url.startswith((SITE, "https://www.fern.example.com")):
            return Fetched(None, Failure.DNS_FAILED)
        found = self.pages.get(url.partition(".com")[2] or "/", NOT_FOUND)
        answer = found() if callable(found) else found
        self.before("after a request")
        return answer

    @property
    def paths(self) -> list[str]:
        """The paths that were requested, in their order."""
        return [url.partition(".com")[2] for _, url in self.requests]


@dataclass
class Crawling:
    """Drives crawls as stream, queue and schedule do. Waiting moves `now` (ms), and nothing else does."""

    site: Website
    now: int = field(default_factory=clock.now_ms)
    _done: set[str] = field(default_factory=set)
    _waiting: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    dead_letters: list[dict[str, Any]] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        """Wait."""
        self.now += max(1, round(seconds * 1_000))

    def take_jobs(self) -> None:
        """Move the crawl jobs of new outbox items to the queue."""
        for item in whole_table.everything():
            if item.get("entity") == "outbox" and item["id"] not in self._done:
                self._done.add(item["id"])
                self._waiting += [
                    (job.get("dueAt", self.now), job["body"])
                    for job in item["jobs"]
                    if job["queue"] == "crawl"
                ]

    def run(self, most: int = 1_000) -> None:
        """Do the messages of the queue until there are none."""
        for _ in range(most):
            self.take_jobs()
            if not self._waiting:
                return
            self.work()
        raise AssertionError("the crawl does not end")

    def work(self) -> None:
        """Do the message that is due first. If its worker dies, it comes back after the visibility timeout.

        The fifth time it goes to the dead letters.
        """
        self._waiting.sort(key=lambda each: each[0])
        due, body = self._waiting.pop(0)
        self.now = max(self.now, due)
        try:
            self.outcomes.append(self._do(body))
        except (Killed, Broken):
            self.now += 1_000
            body = {**body, "receives": body.get("receives", 0) + 1}
            if body["receives"] < MAX_RECEIVES:
                self._waiting.append((self.now + VISIBILITY_MS, body))
            else:
                self.dead_letters.append(body)

    def run_schedule(self) -> None:
        """Look for runs that stopped or are due, as the schedule does each ten minutes."""
        self.now += 10 * MINUTE_MS
        running("crawler", service.start_due)(self.now + MINUTE_MS)

    def _do(self, body: dict[str, Any]) -> str:
        body = json.loads(json.dumps(body))
        if body["kind"] == "removal":
            return running("crawler", keeping.release_documents)(
                RemovalJob.from_body(body), self.now + 60_000
            )
        skip = body.get("receives", 0) >= MAX_RECEIVES - 2  # as the function has it, which counts from one
        work = running("crawler", worker.work)
        return work(SliceJob.from_body(body), self.site, InProcess(EXTRACTION), self.sleep, skip=skip)


class Killed(BaseException):
    """The worker dies."""


class Broken(Exception):
    """The worker meets an error that it does not expect."""


@contextmanager
def crawling(site: Website) -> Iterator[Crawling]:
    """Drive crawls of a site under a clock of their own."""
    at_work = Crawling(site)
    with clock.frozen(lambda: at_work.now * 1_000):
        yield at_work


def documents_of(api: Client) -> dict[str, tuple[str, str, int]]:
    """Return title, text and version of all documents by the page that they came from; each page has one at most."""
    found: dict[str, tuple[str, str, int]] = {}
    cursor = ""
    while True:
        listed = api.get(f"/v1/knowledge/documents?limit=200{cursor}").body
        for each in listed["documents"]:
            body = api.get(f"/v1/knowledge/documents/{each['id']}").body["document"]["body"]
            assert each["url"] not in found, f"two documents of {each['url']}"
            found[each["url"]] = (each["title"], body, each["version"])
        if listed["nextCursor"] is None:
            return found
        cursor = f"&cursor={listed['nextCursor']}"


def outcomes_of(api: Client, crawl_id: str) -> dict[str, str]:
    """Return the outcome of each address of a crawl's latest run, by path."""
    found: dict[str, str] = {}
    cursor = ""
    while True:
        answer = api.get(f"/v1/knowledge/crawls/{crawl_id}?limit=200{cursor}").body
        found |= {each["url"].partition(".com")[2]: each["outcome"] for each in answer["addresses"]}
        if answer["nextCursor"] is None:
            return found
        cursor = f"&cursor={answer['nextCursor']}"
