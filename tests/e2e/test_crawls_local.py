"""A website becomes what the agent answers from, and follows its pages: on the deployed local stack.

The crawler makes one request a second, so the site is as small as it can be.
"""

import threading
import uuid
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.support.web import Web, eventually

PAGES = {
    "/": "<h1>Zellig telescopes</h1><p>What you should know about a Zellig.</p><a href='/returns'>Returns</a>",
    "/returns": "<h1>Returning a Zellig telescope</h1><p>A Zellig telescope can be sent back within 45 days.</p>",
}


class Site(ThreadingHTTPServer):
    """A website on loopback; a page that is taken out of `pages` is gone."""

    def __init__(self) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), Page)
        self.pages = dict(PAGES)

    @property
    def url(self) -> str:
        """The address of the start page."""
        return f"http://127.0.0.1:{self.server_port}/"


class Page(BaseHTTPRequestHandler):
    """Answers a request for a page."""

    def do_GET(self) -> None:
        """Return the page, or 404."""
        assert isinstance(self.server, Site)
        page = self.server.pages.get(self.path)
        body = f"<!doctype html><main>{page}</main>".encode() if page else b""
        self.send_response(200 if page else 404)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing: the test reports failures."""


@pytest.fixture
def site() -> Iterator[Site]:
    """A website with two pages."""
    with Site() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_crawled_site_answers_and_follows_its_pages(stack: Mapping[str, str], site: Site) -> None:
    api = Web(stack["base_url"], stack["secret_key"])
    created = api.post("/v1/knowledge/crawls", {"url": site.url})
    assert created.status == 200, created
    crawl = f"/v1/knowledge/crawls/{created.body['id']}"

    def counts_of_run() -> dict[str, int] | None:
        found = api.get(crawl).body["crawl"]
        counts = {name: number for name, number in found["counts"].items() if number}
        return counts if found["status"] == "finished" else None

    def documents(status: str = "ready") -> list[str]:
        listed = api.get(f"/v1/knowledge/documents?source=crawl&status={status}").body["documents"]
        return sorted(each["url"] for each in listed if each["url"].startswith(site.url))

    assert eventually(counts_of_run) == {"found": 2, "created": 2}
    eventually(lambda: documents() == [site.url, f"{site.url}returns"])

    question = {
        "session": f"visitor-{uuid.uuid4()}",
        "body": "How many days do I have to return a Zellig telescope?",
    }
    conversation = api.post("/v1/messages", question).body["conversationId"]

    def answer() -> dict[str, Any] | None:
        messages = api.get(f"/v1/conversations/{conversation}").body["messages"]
        return next((each for each in messages if each["sender"] == "agent"), None)

    answered = eventually(answer)
    assert "within 45 days" in answered["body"]
    assert f"{site.url}returns" in [source["url"] for source in answered["sources"]]

    del site.pages["/returns"]
    assert api.post(f"{crawl}/run").status == 200
    assert eventually(counts_of_run) == {"found": 2, "unchanged": 1, "removed": 1}
    assert documents() == [site.url]

    assert api.delete(f"{crawl}?documents=delete").status == 200
    eventually(lambda: not documents())
    assert api.get(crawl).code == "crawl_not_found"
