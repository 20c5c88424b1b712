"""What a run requests, keeps and leaves, on a website in memory."""

from collections.abc import Callable

import pytest

from helpdesk.accounts.quotas.errors import KNOWLEDGE_QUOTAS, KnowledgeQuota
from helpdesk.api.admission.limits import Plan
from helpdesk.knowledge.crawls.errors import NEEDS_PAID_PLAN
from helpdesk.outbound.fetcher import Fetched
from helpdesk.outbound.outcome import Failure
from tests.support.api import Client
from tests.support.website import (
    NOT_FOUND,
    SITE,
    Broken,
    Crawling,
    Website,
    documents_of,
    html,
    outcomes_of,
    plain,
    redirect,
)

type Crawl = Callable[..., str]


def text(number: object = "") -> str:
    return f"<h1>Page {number}</h1><p>Text of page {number}.</p>"


def links(*paths: str) -> str:
    return "".join(f"<a href='{path}'>{path}</a> " for path in paths)


def crawl_of(api: Client, crawl_id: str) -> dict[str, object]:
    found: dict[str, object] = api.get(f"/v1/knowledge/crawls/{crawl_id}").body["crawl"]
    return found


def test_linked_pages_become_documents(api: Client, site: Website, crawl: Crawl) -> None:
    site.pages = {"/": html(text("start") + links("/a")), "/a": html(text("a"))}

    crawl_id = crawl()

    documents = documents_of(api)
    assert documents[f"{SITE}/a"] == ("Page a", "# Page a\n\nText of page a.", 1)
    assert list(documents) == [f"{SITE}/a", f"{SITE}/"]
    assert crawl_of(api, crawl_id)["status"] == "finished"
    assert crawl_of(api, crawl_id)["counts"] == {
        "found": 2, "pending": 0, "created": 2, "updated": 0, "unchanged": 0, "removed": 0, "skipped": 0, "failed": 0,
    }  # fmt: skip


def test_a_document_names_its_page_and_the_crawl(api: Client, site: Website, crawl: Crawl) -> None:
    site.pages = {"/": html(text())}
    crawl()

    [document] = api.get("/v1/knowledge/documents?source=crawl").body["documents"]
    assert document["source"]["kind"] == "crawl"
    assert document["source"]["url"] == f"{SITE}/"
    assert document["createdByName"] == "Crawl of fern.example.com"


def test_a_long_crawl_works_in_slices(api: Client, site: Website, world: Crawling, crawl: Crawl) -> None:
    site.pages = {"/": html(text() + links(*(f"/{number}" for number in range(70))))}
    site.pages |= {f"/{number}": html(text(number)) for number in range(70)}

    crawl_id = crawl(maxPages=71)

    assert world.outcomes.count("handed_on") >= 2
    assert world.outcomes[-1] == "finished"
    assert crawl_of(api, crawl_id)["counts"]["created"] == 71  # type: ignore[index]


def test_a_second_run_changes_only_what_changed(
    api: Client, site: Website, world: Crawling, crawl: Crawl
) -> None:
    site.pages = {"/": html(text() + links("/a", "/b")), "/a": html(text("a")), "/b": html(text("b"))}
    crawl_id = crawl()
    site.pages["/a"] = html(text("a, second edition"))

    assert api.post(f"/v1/knowledge/crawls/{crawl_id}/run").status == 200
    world.run()

    assert outcomes_of(api, crawl_id) == {"/": "unchanged", "/a": "updated", "/b": "unchanged"}
    documents = documents_of(api)
    assert documents[f"{SITE}/a"][0] == "Page a, second edition"
    assert [version for _, _, version in documents.values()] == [1, 2, 1]


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_is_gone_loses_its_document(
    status: int, api: Client, site: Website, world: Crawling, crawl: Crawl
) -> None:
    site.pages = {"/": html(text() + links("/a")), "/a": html(text("a"))}
    crawl_id = crawl()
    site.pages = {"/": html(text()), "/a": plain("", status=status)}

    api.post(f"/v1/knowledge/crawls/{crawl_id}/run")
    world.run()

    assert outcomes_of(api, crawl_id)["/a"] == "removed"
    assert list(documents_of(api)) == [f"{SITE}/"]


@pytest.mark.parametrize(
    "answer",
    [
        plain("", status=500),
        plain("", status=403),
        Fetched(None, Failure.TIMEOUT),
        redirect("/login", 302),
        redirect("https://parking.example/", 302),
        plain("{}", "application/json"),
        html(""),
    ],
    ids=["500", "403", "timeout", "login", "elsewhere", "json", "empty"],
)
def test_a_page_that_cannot_be_read_keeps_its_document(
    answer: Fetched, api: Client, site: Website, world: Crawling, crawl: Crawl
) -> None:
    site.pages = {"/": html(text() + links("/a")), "/a": html(text("a"))}
    crawl_id = crawl()
    site.pages["/a"] = answer

    api.post(f"/v1/knowledge/crawls/{crawl_id}/run")
    world.run()

    assert f"{SITE}/a" in documents_of(api)


def test_a_page_that_asks_for_it_later_is_removed(
    api: Client, site: Website, world: Crawling, crawl: Crawl
) -> None:
    site.pages = {"/": html(text() + links("/a")), "/a": html(text("a"))}
    crawl_id = crawl()
    site.pages["/a"] = html(text("a"), head="<meta name=robots content=noindex>")

    api.post(f"/v1/knowledge/crawls/{crawl_id}/run")
    world.run()

    assert outcomes_of(api, crawl_id)["/a"] == "removed"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (NOT_FOUND, "not_found"),
        (plain("", status=410), "not_found"),
        (plain("", status=500), "unreachable"),
        (plain("", status=401), "unreachable"),
        (Fetched(None, Failure.REFUSED_ADDRESS), "unreachable"),
        (Fetched(None, Failure.TIMEOUT), "unreachable"),
        (plain("%PDF", "application/pdf"), "not_a_page"),
        (plain("text"), "not_a_page"),
        (Fetched(200, None, {"content-type": "text/html"}, b"x", too_large=True), "too_large"),
        (Fetched(200, None, {"content-type": "text/html"}, encoding="br"), "unreadable"),
        (Fetched(404, None, {"content-type": "text/html"}, encoding="br"), "not_found"),
        (html(""), "empty"),
        (html(text("a"), head="<meta name='ROBOTS' content='NOINDEX, follow'>"), "noindex"),
        (
            html(text("a")).__replace__(headers={"content-type": "text/html", "x-robots-tag": "noindex"}),
            "noindex",
        ),
        (html(text("a"), head="<link rel=canonical href='/'>"), "duplicate"),
        (html(text("a"), head="<link rel=canonical href='https://other.example/a'>"), "duplicate"),
        (html(text("start")), "duplicate"),
        (redirect("/"), "redirected"),
        (redirect("https://other.example/a"), "out_of_scope"),
        (redirect("http://169.254.169.254/latest"), "out_of_scope"),
        (redirect("//["), "unreachable"),
        (redirect(""), "unreachable"),
        (html("", head="<meta http-equiv=refresh content='0; url=/'>"), "redirected"),
        (html(text("a"), head="<meta http-equiv=refresh content='600; url=/'>"), "created"),
    ],
)
def test_each_page_has_one_outcome(
    answer: Fetched, outcome: str, api: Client, site: Website, crawl: Crawl
) -> None:
    site.pages = {"/": html(text("start")), "/a": answer}
    site.pages["/sitemap.xml"] = plain(f"<urlset><url><loc>{SITE}/a</loc></url></urlset>", "application/xml")

    crawl_id = crawl()

    assert outcomes_of(api, crawl_id) == {"/": "created", "/a": outcome}


def test_a_page_that_always_breaks_the_worker_is_left_out(
    api: Client, site: Website, world: Crawling, crawl: Crawl
) -> None:
    def broken() -> Fetched:
        raise Broken

    site.pages = {"/": html(text() + links("/a", "/b")), "/a": broken, "/b": html(text("b"))}

    crawl_id = crawl()

    assert outcomes_of(api, crawl_id) == {"/": "created", "/a": "unreachable", "/b": "created"}
    assert crawl_of(api, crawl_id)["status"] == "finished"
    assert (site.paths.count("/a"), world.dead_letters) == (4, [])


def test_sources_come_in_their_order(site: Website, crawl: Crawl) -> None:
    site.pages = {
        "/robots.txt": plain(f"Sitemap: {SITE}/map.xml"),
        "/map.xml": plain(
            f"<sitemapindex><sitemap><loc>{SITE}/map-1.xml</loc></sitemap></sitemapindex>", "application/xml"
        ),
        "/map-1.xml": plain(f"<urlset><url><loc>{SITE}/mapped</loc></url></urlset>", "application/xml"),
        "/llms.txt": plain("- [Listed](/listed.md)"),
        "/": html(text() + links("/linked")),
        "/mapped": html(text("mapped")),
        "/listed.md": plain("# Listed\n\nText.", "text/markdown"),
        "/linked": html(text("linked")),
    }

    crawl()

    assert site.paths == [
        "/robots.txt", "/map.xml", "/llms.txt", "/map-1.xml", "/", "/listed.md", "/mapped", "/mapped.md", "/linked",
    ]  # fmt: skip


def test_a_page_is_kept_as_the_site_offers_it_in_markdown(api: Client, site: Website, crawl: Crawl) -> None:
    site.pages = {
        "/docs": html(text("start") + links("/docs/a", "/docs/b")),
        "/docs.md": plain("# Start\n\nAs written.", "text/markdown"),
        "/docs/a": html(text("a")),
        "/docs/a.md": plain(
            "---\ntitle: A\n---\n# Page A\n\nAs *written*.\n", "text/markdown; charset=utf-8"
        ),
        "/docs/b": html(text("b"), head="<link rel=alternate type=text/markdown href=/raw/b.txt>"),
        "/raw/b.txt": plain("# B\n\nRaw.", "text/markdown"),
    }

    crawl("/docs")

    documents = documents_of(api)
    assert documents[f"{SITE}/docs/a"][:2] == ("Page A", "# Page A\n\nAs *written*.")
    assert documents[f"{SITE}/docs/b"][:2] == ("B", "# B\n\nRaw.")


def test_a_page_is_one_page_in_every_spelling(api: Client, site: Website, crawl: Crawl) -> None:
    site.pages = {
        "/": html(
            text()
            + links(
                "/a",
                "/a/",
                "/a#part",
                "/a?utm_source=x",
                "/a/index.html",
                "/a.md",
                "http://fern.example.com/a",
            )
            + links("https://www.fern.example.com/a", "/a?gclid=1&fbclid=2")
        ),
        "/a": html(text("a")),
    }

    crawl_id = crawl()

    assert outcomes_of(api, crawl_id) == {"/": "created", "/a": "created"}


def test_scope_is_prefix_then_include_then_exclude(api: Client, site: Website, crawl: Crawl) -> None:
    paths = ("/docs/a", "/docs/api/b", "/docs/api/old/c", "/docsearch", "/blog", "/docs/api/x.pdf")
    site.pages = {"/docs": html(text() + links(*paths)), **{path: html(text(path)) for path in paths}}

    crawl_id = crawl("/docs", include=["/docs/api/*"], exclude=["*/old/*"])

    assert outcomes_of(api, crawl_id) == {"/docs": "out_of_scope", "/docs/api/b": "created"}


def test_the_limit_counts_pages_after_filtering(api: Client, site: Website, crawl: Crawl) -> None:
    pages = [f"/docs/{number}" for number in range(20)]
    site.pages = {
        "/robots.txt": plain("User-agent: *\nDisallow: /docs/private\n"),
        "/docs": html(text() + links("/blog/1", "/blog/2", "/docs/private/1", *pages)),
        **{path: html(text(path)) for path in pages},
    }

    crawl_id = crawl("/docs", maxPages=5)

    assert crawl_of(api, crawl_id)["counts"]["created"] == 5  # type: ignore[index]
    assert crawl_of(api, crawl_id)["limitReached"] is True
    assert (
        len([path for path in site.paths if path.startswith("/docs") and not path.endswith(".md")]) == 5 + 1
    )


def test_a_full_knowledge_base_ends_the_run(
    api: Client, site: Website, crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KNOWLEDGE_QUOTAS, Plan.PRO, KnowledgeQuota(documents=2, size=1_000_000))
    site.pages = {"/": html(text() + links("/a", "/b")), "/a": html(text("a")), "/b": html(text("b"))}

    crawl_id = crawl()

    assert len(documents_of(api)) == 2
    assert crawl_of(api, crawl_id)["status"] == "stopped"
    assert "knowledge base" in str(crawl_of(api, crawl_id)["problem"])
    assert outcomes_of(api, crawl_id)["/b"] == "pending"


def test_documents_of_a_deleted_folder_go_into_none(api: Client, site: Website, world: Crawling) -> None:
    folder = api.post("/v1/knowledge/folders", {"name": "Website"}).body["id"]
    site.pages = {"/": html(text() + links("/a")), "/a": html(text("a"))}
    crawl_id = api.post("/v1/knowledge/crawls", {"url": SITE, "folderId": folder}).body["id"]
    api.delete(f"/v1/knowledge/folders/{folder}")

    world.run()

    assert crawl_of(api, crawl_id)["folderId"] is None
    assert {each["folderId"] for each in api.get("/v1/knowledge/documents").body["documents"]} == {None}


def test_documents_go_into_the_folder(api: Client, site: Website, crawl: Crawl) -> None:
    folder = api.post("/v1/knowledge/folders", {"name": "Website"}).body["id"]
    site.pages = {"/": html(text())}

    crawl(folderId=folder)

    assert [each["folderId"] for each in api.get("/v1/knowledge/documents").body["documents"]] == [folder]


def test_a_lower_plan_ends_the_run(
    api: Client, site: Website, world: Crawling, organization: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages = {"/": html(text())}
    crawl_id = api.post("/v1/knowledge/crawls", {"url": SITE}).body["id"]
    monkeypatch.setattr("helpdesk.accounts.organizations.service.plan_of", lambda _: Plan.EXPLORE)

    world.run()

    assert crawl_of(api, crawl_id)["status"] == "stopped"
    assert crawl_of(api, crawl_id)["problem"] == NEEDS_PAID_PLAN
    assert site.requests == []


def test_a_document_that_someone_deleted_stays_deleted(
    api: Client, site: Website, world: Crawling, crawl: Crawl
) -> None:
    site.pages = {"/": html(text())}
    crawl_id = crawl()
    [document] = api.get("/v1/knowledge/documents").body["documents"]
    api.delete(f"/v1/knowledge/documents/{document['id']}")
    site.pages["/"] = html(text("changed"))

    for _ in range(2):
        api.post(f"/v1/knowledge/crawls/{crawl_id}/run")
        world.run()

        assert outcomes_of(api, crawl_id) == {"/": "document_deleted"}
    assert documents_of(api) == {}


def test_two_crawls_make_one_document_of_a_page(api: Client, site: Website, crawl: Crawl) -> None:
    site.pages = {
        "/docs": html(text("docs") + links("/docs/a")),
        "/docs/a": html(text("a") + links("/docs/a/b")),
    }
    site.pages["/docs/a/b"] = html(text("b"))
    crawl("/docs")

    second = crawl("/docs/a")

    assert outcomes_of(api, second) == {"/docs/a": "other_crawl", "/docs/a/b": "other_crawl"}
    assert len(documents_of(api)) == 3


def test_settings_that_leave_a_page_out_remove_its_document(api: Client, site: Website, crawl: Crawl) -> None:
    site.pages = {"/": html(text() + links("/a", "/b")), "/a": html(text("a")), "/b": html(text("b"))}
    first = crawl()

    second = crawl(exclude=["/a"])

    assert second == first
    assert outcomes_of(api, first) == {"/": "unchanged", "/a": "removed", "/b": "unchanged"}
    assert list(documents_of(api)) == [f"{SITE}/b", f"{SITE}/"]


def test_a_repeated_message_does_nothing(api: Client, site: Website, world: Crawling) -> None:
    site.pages = {"/": html(text())}
    api.post("/v1/knowledge/crawls", {"url": SITE})
    world.take_jobs()
    world._waiting *= 3

    world.run()

    assert sorted(world.outcomes) == ["finished", "not_mine", "not_mine"]
    assert site.paths.count("/") == 1
