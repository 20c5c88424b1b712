"""How a run treats a site: its pace, its robots.txt, and a site that stops to answer."""

from itertools import pairwise

import pytest

from helpdesk.outbound.fetcher import Fetched
from helpdesk.outbound.outcome import Failure
from tests.integration.crawls.test_running import Crawl, crawl_of, links, text
from tests.support.api import Client
from tests.support.website import (
    NOT_FOUND,
    SITE,
    Crawling,
    Website,
    documents_of,
    html,
    outcomes_of,
    plain,
)


def test_a_site_is_requested_once_a_second(site: Website, crawl: Crawl) -> None:
    site.pages = {"/": html(text() + links("/a", "/b", "/c"))}

    crawl()

    times = [at for at, _ in site.requests]
    assert len(times) > 6
    assert min(later - earlier for earlier, later in pairwise(times)) >= 1_000


def test_two_crawls_of_a_site_share_its_pace(
    api: Client, stranger: Client, site: Website, world: Crawling
) -> None:
    site.pages = {"/": html(text() + links("/a", "/b"))}
    for client in (api, stranger):
        client.post("/v1/knowledge/crawls", {"url": f"{SITE}/"})

    world.run()

    times = [at for at, _ in site.requests]
    assert min(later - earlier for earlier, later in pairwise(times)) >= 1_000


def test_robots_txt_is_obeyed(api: Client, site: Website, crawl: Crawl) -> None:
    site.pages = {
        "/robots.txt": plain("User-agent: *\nDisallow: /private\nAllow: /private/open\n"),
        "/": html(text() + links("/private/a", "/private/open", "/b")),
        "/private/open": html(text("open")),
    }

    crawl_id = crawl()

    assert "/private/a" not in site.paths
    assert outcomes_of(api, crawl_id) == {
        "/": "created", "/private/a": "disallowed", "/private/open": "created", "/b": "not_found",
    }  # fmt: skip


def test_a_longer_delay_of_robots_txt_is_kept(site: Website, crawl: Crawl) -> None:
    site.pages = {"/robots.txt": plain("User-agent: *\nCrawl-delay: 7\n"), "/": html(text() + links("/a"))}

    crawl()

    times = [at for at, _ in site.requests]
    assert min(later - earlier for earlier, later in pairwise(times[1:])) >= 7_000


@pytest.mark.parametrize(
    "answer",
    [plain("", status=503), Fetched(None, Failure.TIMEOUT), Fetched(200, None, encoding="br")],
    ids=["503", "hangs", "brotli"],
)
def test_a_site_whose_robots_txt_cannot_be_read_is_left_alone(
    answer: Fetched, api: Client, site: Website, crawl: Crawl
) -> None:
    site.pages = {"/robots.txt": answer, "/": html(text())}

    crawl_id = crawl()

    assert set(site.paths) == {"/robots.txt"}
    assert crawl_of(api, crawl_id)["status"] == "failed"
    assert "robots.txt could not be read" in str(crawl_of(api, crawl_id)["problem"])
    [entry] = api.get("/v1/logs?kind=crawl_ended_early").body["logs"]
    assert entry["detail"] == {"crawlId": crawl_id}


def test_a_site_that_stops_to_answer_ends_the_run(api: Client, site: Website, crawl: Crawl) -> None:
    site.pages = {"/": html(text() + links(*(f"/{number}" for number in range(40))))}
    site.pages |= {f"/{number}": Fetched(None, Failure.TIMEOUT) for number in range(40)}

    crawl_id = crawl()

    assert crawl_of(api, crawl_id)["status"] == "failed"
    assert len(site.requests) < 20
    assert len(documents_of(api)) == 1


def test_retry_after_is_kept(site: Website, crawl: Crawl) -> None:
    busy = iter([Fetched(429, None, {"retry-after": "120"})])
    site.pages = {"/": lambda: next(busy, html(text())), "/robots.txt": NOT_FOUND}

    crawl()

    [first, second, *_] = [at for at, url in site.requests if url == f"{SITE}/"]
    assert second - first >= 120_000
    assert not [at for at, _ in site.requests if first < at < first + 120_000]
