"""The fetcher and the reading of pages, against hostile servers on loopback and hostile pages."""

import asyncio
import gzip
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from helpdesk.knowledge.crawls.reading import reader
from helpdesk.outbound.fetcher import MAX_PAGE_BYTES, Fetched, Fetcher
from helpdesk.outbound.outcome import Failure
from helpdesk.platform.isolation import Unreadable
from tests.integration.outbound.receivers import Behaviour, answers, answers_and_waits, receiver, repeats

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n"
BROTLI = b"\x8b\x05\x80<p>Hello</p>\x03"  # <p>Hello</p>


def fetched(behaviour: Behaviour, *, seconds: float = 5.0) -> Fetched:
    async def fetch() -> Fetched:
        async with receiver(behaviour) as server, Fetcher("Test/1.0", allow_loopback=True) as fetcher:
            return await fetcher.get(server.url(), "text/html", deadline_seconds=seconds)

    return asyncio.run(fetch())


def body(raw: bytes, encoding: str) -> bytes:
    head = b"content-encoding: %b\r\ncontent-length: %d\r\n\r\n" % (encoding.encode(), len(raw))
    return HEAD + head + raw


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (b"<p>Hello</p>", "identity"),
        (gzip.compress(b"<p>Hello</p>"), "gzip"),
        (zlib.compress(b"<p>Hello</p>"), "deflate"),
    ],
    ids=["identity", "gzip", "deflate"],  # compressed bytes contain the time, and a name must not
)
def test_a_page_is_returned_without_its_compression(raw: bytes, encoding: str) -> None:
    answer = fetched(answers(body(raw, encoding)))

    assert (answer.status, answer.body, answer.too_large) == (200, b"<p>Hello</p>", False)
    assert answer.headers["content-type"] == "text/html"


@pytest.mark.parametrize(
    "behaviour",
    [
        lambda: repeats(HEAD + b"\r\n", b"a" * 65_536),
        lambda: repeats(HEAD + b"content-length: 100000000\r\n\r\n", b"a" * 65_536),
        lambda: answers(body(gzip.compress(bytes(2 * MAX_PAGE_BYTES)), "gzip")),
        lambda: answers(body(zlib.compress(bytes(2 * MAX_PAGE_BYTES)), "deflate")),
    ],
    ids=["endless", "100 MB", "gzip bomb", "deflate bomb"],
)
def test_a_large_body_is_cut_at_its_limit(behaviour: Callable[[], Behaviour]) -> None:
    answer = fetched(behaviour())

    assert (answer.status, answer.too_large, len(answer.body)) == (200, True, MAX_PAGE_BYTES)


@pytest.mark.parametrize(
    ("behaviour", "failure"),
    [
        (answers_and_waits(b""), Failure.TIMEOUT),
        (answers_and_waits(HEAD + b"content-length: 9\r\n\r\nok"), Failure.TIMEOUT),
        (repeats(HEAD + b"\r\n", b"a", pause_seconds=0.05), Failure.TIMEOUT),
        (answers(b"no HTTP\r\n\r\n"), Failure.PROTOCOL_ERROR),
        (answers(body(b"\x1f\x8bnonsense", "gzip")), Failure.PROTOCOL_ERROR),
        (answers(body(gzip.compress(b"x" * 9_999)[:30], "gzip")), Failure.PROTOCOL_ERROR),
        (answers(b""), Failure.INCOMPLETE),
    ],
    ids=[
        "hangs",
        "hangs in its body",
        "drips",
        "no HTTP",
        "no gzip",
        "half a gzip",
        "closes",
    ],
)
def test_a_server_that_does_not_answer_properly_is_a_failure(behaviour: Behaviour, failure: Failure) -> None:
    started = time.monotonic()

    answer = fetched(behaviour, seconds=1.0)

    assert (answer.status, answer.failure) == (None, failure)
    assert time.monotonic() - started < 4


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip"])
def test_a_body_in_a_compression_that_was_not_asked_for_is_left_out(encoding: str) -> None:
    answer = fetched(answers(body(BROTLI, encoding)))

    assert (answer.status, answer.encoding, answer.body) == (200, encoding, b"")


def test_bytes_in_a_header_that_are_no_text_are_replaced() -> None:
    answer = fetched(answers(b"HTTP/1.1 200 OK\r\ncontent-type: text/\xff\r\ncontent-length: 0\r\n\r\n"))

    assert answer.headers["content-type"] == "text/?"


def test_a_redirect_is_returned_and_not_followed() -> None:
    answer = fetched(
        answers(b"HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n")
    )

    assert (answer.status, answer.headers["location"]) == (302, "http://169.254.169.254/")


@pytest.mark.parametrize(
    "url",
    [
        "https://169.254.169.254/",
        "http://example.com/",
        "https://10.0.0.1/",
        "https://[fd00::1]/",
        "ftp://example.com/",
    ],
)
def test_an_address_that_is_not_public_is_not_requested(url: str) -> None:
    async def fetch() -> Fetched:
        async with Fetcher("Test/1.0", allow_loopback=True) as fetcher:
            return await fetcher.get(url, "text/html")

    assert asyncio.run(fetch()).failure in {Failure.REFUSED_ADDRESS, Failure.INVALID_URL}


def test_a_name_that_leads_to_a_private_address_is_not_requested() -> None:
    async def fetch() -> Fetched:
        async with Fetcher("Test/1.0", resolver=lambda _: ["93.184.215.14", "10.0.0.1"]) as fetcher:
            return await fetcher.get("https://rebound.example.com/", "text/html")

    assert asyncio.run(fetch()).failure is Failure.REFUSED_ADDRESS


def test_a_request_says_who_asks_and_sends_no_cookie() -> None:
    async def fetch() -> bytes:
        cookie = b"HTTP/1.1 200 OK\r\nset-cookie: a=b\r\ncontent-length: 0\r\n\r\n"
        async with receiver(answers(cookie)) as server, Fetcher("Test/1.0", allow_loopback=True) as fetcher:
            for _ in range(2):
                await fetcher.get(server.url(), "text/html")
            return server.requests[-1].lower()

    request = asyncio.run(fetch())
    assert b"user-agent: test/1.0" in request
    assert b"cookie" not in request


def test_a_page_that_keeps_the_parser_busy_is_given_up_and_the_next_one_is_read() -> None:
    with reader(max_seconds=2.0) as pages:
        pages.call("read_html", b"<p>warm</p>", "text/html", "https://a.example/")
        with pytest.raises(Unreadable):
            pages.call("read_html", b"<div>" * 300_000, "text/html", "https://a.example/")
        found = pages.call(
            "read_html", b"<main><h1>Next</h1><p>Text.</p></main>", "text/html", "https://a.example/"
        )

    assert (found["title"], found["text"]) == ("Next", "# Next\n\nText.")


def test_the_process_that_reads_pages_has_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with reader() as pages:
        pages.call("read_html", b"<p>warm</p>", "text/html", "https://a.example/")
        assert pages._process is not None
        assert b"AWS_" not in Path(f"/proc/{pages._process.pid}/environ").read_bytes()
