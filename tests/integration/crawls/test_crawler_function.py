"""The function itself, with the network, its process for reading pages and real waiting, on a site on loopback."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from helpdesk.platform.settings import settings
from tests.support.api import Client, function
from tests.support.queues import sqs_event
from tests.support.website import documents_of
from tests.support.workers import LongContext, Workers

PAGES = {
    b"/docs": b"<main><h1>Start</h1><p>Read on.</p><a href='/docs/next'>next</a></main>",
    b"/docs/next": b"<main><h1>Next</h1><p>The end.</p></main>",
}


@pytest.fixture
def site() -> Iterator[str]:
    """A site on loopback; its address."""
    loop = asyncio.new_event_loop()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1]
        body = PAGES.get(path, b"")
        status = b"200 OK" if path in PAGES else b"404 Not Found"
        head = b"HTTP/1.1 %b\r\ncontent-type: text/html\r\ncontent-length: %d\r\n\r\n" % (status, len(body))
        writer.write(head + body)
        await writer.drain()
        writer.close()

    server = loop.run_until_complete(asyncio.start_server(answer, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    loop.call_soon_threadsafe(server.close)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_the_function_crawls_a_site(api: Client, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAGE", "local")
    monkeypatch.setenv("ALLOW_LOOPBACK_URLS", "true")
    settings.cache_clear()
    crawl_id = api.post("/v1/knowledge/crawls", {"url": f"{site}/docs"}).body["id"]

    Workers().run()

    crawl = api.get(f"/v1/knowledge/crawls/{crawl_id}").body["crawl"]
    assert (crawl["status"], crawl["problem"], crawl["counts"]["created"]) == ("finished", None, 2)
    assert documents_of(api)[f"{site}/docs/next"][:2] == ("Next", "# Next\n\nThe end.")
    assert {each["status"] for each in api.get("/v1/knowledge/documents").body["documents"]} == {"ready"}


def test_a_message_that_cannot_be_read_fails_alone() -> None:
    answer = function("crawler").handler(sqs_event({}, queue="crawl", group="org_1"), LongContext())

    assert answer == {"batchItemFailures": [{"itemIdentifier": "message-0"}]}


def test_the_schedule_begins_what_is_due() -> None:
    assert function("crawler").handler({}, LongContext()) is None
