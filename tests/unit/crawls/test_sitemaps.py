"""Lists of a site's pages, also damaged and hostile ones."""

import gzip

import pytest

from helpdesk.knowledge.crawls.robots import packed, unpacked
from helpdesk.knowledge.crawls.sitemaps import MAX_LISTED, parse_llms, parse_sitemap
from helpdesk.outbound.fetcher import MAX_PAGE_BYTES

LISTED = b"<urlset><url><loc>https://a.example/1</loc></url>"


def test_a_compressed_list_is_read() -> None:
    assert parse_sitemap(gzip.compress(LISTED)).locations == ("https://a.example/1",)


def test_a_compressed_list_is_read_up_to_the_size_of_a_page() -> None:
    bomb = gzip.compress(LISTED + b" " * MAX_PAGE_BYTES + LISTED.replace(b"/1", b"/2"), 1)
    assert len(bomb) < 50_000
    assert parse_sitemap(bomb).locations == ("https://a.example/1",)


def test_a_list_that_is_compressed_twice_is_empty() -> None:
    assert parse_sitemap(gzip.compress(gzip.compress(LISTED))).locations == ()


@pytest.mark.parametrize(
    "body", [b"\x1f\x8bnonsense", gzip.compress(LISTED, mtime=0)[:20], b"", b"<sitemapindex", b"\xff" * 99]
)
def test_a_damaged_list_is_empty(body: bytes) -> None:
    assert parse_sitemap(body).locations == ()


def test_no_more_than_5000_addresses_of_a_list_are_read() -> None:
    assert MAX_LISTED == 5_000
    assert len(parse_sitemap(LISTED * 5_001).locations) == 5_000
    assert len(parse_llms(b"[a](/b) " * 5_001)) == 5_000


@pytest.mark.parametrize(
    ("declaration", "codec", "content_type"),
    [
        ('<?xml version="1.0" encoding="windows-1251"?>', "cp1251", "application/xml"),
        ("", "cp1251", "text/xml; charset=windows-1251"),
        ('<?xml version="1.0" encoding="UTF-16"?>', "utf-16", "application/xml"),
        ("", "utf-8-sig", "text/plain"),
    ],
)
def test_a_list_is_read_in_the_charset_that_it_declares(
    declaration: str, codec: str, content_type: str
) -> None:
    body = f"{declaration}<urlset><url><loc>https://a.example/помощь</loc></url></urlset>".encode(codec)

    assert parse_sitemap(body, content_type).locations == ("https://a.example/помощь",)


def test_a_byte_order_mark_hides_no_rule_and_no_address() -> None:
    robots = unpacked(packed("\ufeffUser-agent: *\nDisallow: /private\n".encode()))

    assert not robots.allows("https://a.example/private")
    assert parse_sitemap("\ufeffhttps://a.example/1\n".encode()).locations == ("https://a.example/1",)
    assert parse_llms("[Hilfe für alle](/für)".encode("cp1252"), "text/plain; charset=latin1") == ("/für",)
