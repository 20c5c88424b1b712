"""Lists of a site's pages, also damaged and hostile ones."""

import gzip

import pytest

from helpdesk.crawls.sitemaps import MAX_LISTED, parse_llms, parse_sitemap
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
