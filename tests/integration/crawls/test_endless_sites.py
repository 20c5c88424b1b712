"""Sites that would keep a run for ever: calendars, circles and redirects."""

import gzip

import pytest

from helpdesk.knowledge.crawls.robots import Robots
from helpdesk.outbound.fetcher import Fetched
from tests.integration.crawls.test_running import Crawl, crawl_of, links, text
from tests.support.api import Client
from tests.support.website import (
    SITE,
    Crawling,
    Website,
    documents_of,
    html,
    outcomes_of,
    plain,
    redirect,
)


def test_an_endless_calendar_ends(api: Client, site: Website, crawl: Crawl) -> None:
    class Calendar(dict[str, Fetched]):
        def get(self, path: str, default: Fetched | None = None) -> Fetched | None:  # type: ignore[override]
            month = int(path.rpartition("=")[2]) if "month=" in path else 0
            calendar = html(
                f"<p>Events of month {month}</p>" + links(f"/?month={month + 1}", f"/?month={month}&d=1")
            )
            return calendar if path == "/" or "month=" in path else default

    site.pages = Calendar()  # type: ignore[assignment]

    crawl_id = crawl(maxPages=20)

    assert crawl_of(api, crawl_id)["counts"]["found"] == 20  # type: ignore[index]
    assert len(site.requests) < 40


def test_relative_links_that_lead_ever_deeper_end(api: Client, site: Website, crawl: Crawl) -> None:
    class Deeper(dict[str, Fetched]):
        def get(self, path: str, default: Fetched | None = None) -> Fetched | None:  # type: ignore[override]
            return html(text(path) + links("deep/", "er/")) if path.endswith("/") else default

    site.pages = Deeper()  # type: ignore[assignment]

    crawl_id = crawl(maxPages=20)

    assert max(path.count("deep") for path in outcomes_of(api, crawl_id)) <= 3


def test_sitemaps_that_name_each_other_end(site: Website, crawl: Crawl) -> None:
    class Maps(dict[str, Fetched]):
        def get(self, path: str, default: Fetched | None = None) -> Fetched | None:  # type: ignore[override]
            if not path.endswith(".xml"):
                return default
            found = [f"<sitemap><loc>{SITE}{path[:-4]}{number}.xml</loc></sitemap>" for number in range(30)]
            return plain(f"<sitemapindex>{''.join(found)}</sitemapindex>", "application/xml")

    site.pages = Maps()  # type: ignore[assignment]

    crawl()

    assert len([path for path in site.paths if path.endswith(".xml")]) <= 20


def test_sitemaps_in_a_circle_are_read_once(api: Client, site: Website, crawl: Crawl) -> None:
    def index(*paths: str) -> Fetched:
        named = "".join(f"<sitemap><loc>{SITE}{path}</loc></sitemap>" for path in paths)
        return plain(f"<sitemapindex>{named}</sitemapindex>", "application/xml")

    compressed = gzip.compress(f"<urlset><url><loc>{SITE}/a</loc></url></urlset>".encode())
    site.pages = {
        "/sitemap.xml": index("/sitemap.xml", "/b.xml", "/sitemap.xml#again"),
        "/b.xml": index("/b.xml", "/sitemap.xml", "/pages.xml.gz"),
        "/pages.xml.gz": Fetched(200, None, {"content-type": "application/gzip"}, compressed),
        "/": html(text()),
        "/a": html(text("a")),
    }

    crawl()

    maps = [path for path in site.paths if ".xml" in path]
    assert maps == ["/sitemap.xml", "/b.xml", "/pages.xml.gz"]
    assert f"{SITE}/a" in documents_of(api)


def test_rules_that_take_long_to_compare_do_not_hold_up_the_run(
    api: Client, site: Website, world: Crawling, crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(_: Robots, __: str) -> bool:
        world.now += 1_000
        return True

    monkeypatch.setattr(Robots, "allows", slowly)
    site.pages = {"/": html(text() + links(*(f"/{number}" for number in range(30))))}

    crawl_id = crawl(maxPages=500)

    found = crawl_of(api, crawl_id)
    assert (found["status"], found["limitReached"]) == ("finished", True)
    assert len(outcomes_of(api, crawl_id)) == 1 + 10


def test_sitemaps_and_frames_of_other_hosts_are_left_out(site: Website, crawl: Crawl) -> None:
    other = "https://internal.example.net"
    site.pages = {
        "/robots.txt": plain(f"Sitemap: {other}/sitemap.xml\nSitemap: {SITE}/map.xml"),
        "/map.xml": plain(
            f"<urlset><loc>{other}/a</loc><loc>http://10.0.0.1/</loc></urlset>", "application/xml"
        ),
        "/": html(f"{text()}<iframe src='{other}/frame'></iframe><iframe src='/frame'></iframe>"),
    }

    crawl()

    assert all(url.startswith(SITE) for _, url in site.requests)
    assert "/frame" in site.paths


def test_redirects_between_spellings_are_followed_a_few_times(
    api: Client, site: Website, crawl: Crawl
) -> None:
    site.pages = {
        "/": html(text() + links("/a", "/loop")),
        "/a": redirect("/a/"),
        "/a/": html(text("a")),
        "/loop": redirect("/loop/"),
        "/loop/": redirect("/loop"),
    }

    crawl_id = crawl()

    assert outcomes_of(api, crawl_id) == {"/": "created", "/a": "created", "/loop": "unreachable"}
    assert len([path for path in site.paths if path.startswith("/loop")]) <= 20


def test_redirects_for_a_cookie_end(api: Client, site: Website, crawl: Crawl) -> None:
    site.pages = {
        "/": html(text() + links("/a")),
        "/a": redirect("/a?cookie=1", 302),
        "/a?cookie=1": redirect("/a", 302),
    }

    crawl_id = crawl()

    assert outcomes_of(api, crawl_id) == {"/": "created", "/a": "redirected", "/a?cookie=1": "redirected"}
