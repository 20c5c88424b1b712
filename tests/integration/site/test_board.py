"""The feedback board of a help site: what everyone reads of it."""

from typing import Any
from urllib.parse import quote

import pytest

from helpdesk.api.admission import anonymous
from helpdesk.board import public
from tests.integration.openapi.test_hostile_text import HOSTILE
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.rules import for_each
from tests.support.site import opened
from tests.support.site_browser import SiteBrowser


@pytest.fixture
def browser(api: Client) -> SiteBrowser:
    """A browser on the site of the API's organization, which shows its board."""
    return browser_on(api)


def browser_on(api: Client, address: str = "203.0.113.7", **settings: Any) -> SiteBrowser:
    visitor = opened(api, **{"showBoard": True, **settings})
    return SiteBrowser(api.get("/v1/site").body["url"].rstrip("/"), address, visitor.headers.copy())


def post(api: Client, title: str = "Dark mode", **fields: Any) -> dict[str, Any]:
    """Add a post of the team; return it."""
    created = api.post("/v1/board/posts", {"title": title, "body": "At night, please.", **fields})
    assert created.status == 200, created.body
    return dict(api.get(f"/v1/board/posts/{created.body['id']}").body)


def test_the_list_shows_the_public_posts_with_the_most_votes_first(api: Client, browser: SiteBrowser) -> None:
    first, second = post(api, "Dark mode"), post(api, "Export to CSV")
    api.post(f"/v1/board/posts/{first['id']}/vote", {"session": "session-of-a-visitor"})
    hidden = post(api, "Waits for the team")
    api.patch(f"/v1/board/posts/{hidden['id']}", {"state": "pending"})
    spam = post(api, "Buy this")
    api.patch(f"/v1/board/posts/{spam['id']}", {"isSpam": True})

    page = browser.open("/board")

    assert page.status == 200
    assert [link.text() for link in page.html.css(".posts a")] == ["Dark mode", "Export to CSV"]
    assert [str(link.attributes["href"]).rpartition("/")[2] for link in page.html.css(".posts a")] == [
        f"{first['number']}-dark-mode",
        f"{second['number']}-export-to-csv",
    ]


def test_a_post_opens_at_its_path_in_every_script(api: Client, browser: SiteBrowser) -> None:
    path = post(api, "Тёмная тема")["path"]

    link = browser.open("/board").html.css(".posts a")[0].attributes["href"]

    assert path == "/board/1-тёмная-тема"
    assert str(link).endswith(quote(path))
    assert browser.open(quote(path)).words("h1") == "Тёмная тема"


def test_a_board_without_posts_offers_nothing_to_narrow_down(api: Client, browser: SiteBrowser) -> None:
    page = browser.open("/board")
    assert page.words("main .empty") == "Nothing here yet."
    assert page.html.css(".filters, .sorts") == []

    post(api)
    page = browser.open("/board?q=unheard-of")
    assert page.words("main .empty") == "No posts match."
    assert page.one(".filters").css("input")


def test_a_list_is_two_reads_and_kept_by_proxies(api: Client, browser: SiteBrowser) -> None:
    post(api)
    browser.open("/board")

    with recorded_calls() as calls:
        page = browser.open("/board?sort=newest")

    assert calls == ["dynamodb:BatchGetItem", "dynamodb:Query"]
    assert page.headers["cache-control"].startswith("public")
    assert "set-cookie" not in page.headers


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("?sort=newest", ["Second", "First"]),
        ("?sort=trending", ["First", "Second"]),
        ("?status=planned", ["Second"]),
        ("?status=nobody", []),
        ("?tag=tag_none", []),
        ("?board=none", []),
        ("?sort=nonsense&after=ORG%23x", ["First", "Second"]),
    ],
)
def test_the_list_is_sorted_and_filtered(
    api: Client, browser: SiteBrowser, query: str, titles: list[str]
) -> None:
    first, second = post(api, "First"), post(api, "Second")
    api.post(f"/v1/board/posts/{first['id']}/vote", {"session": "session-of-a-visitor"})
    api.patch(f"/v1/board/posts/{second['id']}", {"statusId": "planned"})

    page = browser.open(f"/board{query}")

    assert [link.text() for link in page.html.css(".posts a")] == titles
    assert bool(page.html.css(".empty")) is not bool(titles)


@for_each(
    ("query", "is_indexed"),
    [
        ("", True),
        ("?sort=newest", True),
        ("?q=&board=&status=", True),
        ("?q=dark", False),
        ("?status=planned", False),
        ("?sort=newest&after=0%23post_00000000000000000000000000", False),
    ],
)
def test_search_engines_get_the_whole_board_at_one_address(
    browser: SiteBrowser, query: str, is_indexed: bool
) -> None:
    page = browser.open(f"/board{query}")

    canonical = [link.attributes["href"] for link in page.html.css("link[rel=canonical]")]
    assert canonical == ([f"{browser.root}/board"] if is_indexed else [])
    assert page.headers.get("x-robots-tag") == (None if is_indexed else "noindex")


def test_searches_on_the_board_are_limited_by_address_and_its_lists_are_not(
    browser: SiteBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anonymous, "RATES", {limit: anonymous.HourlyRate(60, 2) for limit in anonymous.RATES})

    found = [browser.open("/board?q=dark") for _ in range(3)]

    assert [page.status for page in found] == [200, 200, 429]
    assert found[2].words("h1") == "Too many requests"
    assert browser.open("/board?sort=newest").status == 200


def test_posts_with_a_tag_are_listed_and_show_it(api: Client, browser: SiteBrowser) -> None:
    tag = api.patch("/v1/board", {"tags": [{"name": "Mobile"}]}).body["tags"][0]["id"]
    tagged = post(api, "On phones")
    post(api, "On desktops")
    api.patch(f"/v1/board/posts/{tagged['id']}", {"tagIds": [tag]})

    page = browser.open(f"/board?tag={tag}")

    assert [link.text() for link in page.html.css(".posts a")] == ["On phones"]
    assert "Mobile" in page.words(".posts")


def test_a_long_list_goes_on_behind_its_end(api: Client, browser: SiteBrowser) -> None:
    for number in range(31):
        post(api, f"Post {number}")

    page = browser.open("/board?sort=newest")
    assert len(page.html.css(".posts > li")) == 30
    more = str(page.one("a[rel=next]").attributes["href"])
    page = browser.open("/board?" + more.partition("?")[2])

    assert [link.text() for link in page.html.css(".posts a")] == ["Post 0"]
    assert page.html.css("a[rel=next]") == []


def test_the_roadmap_shows_what_has_left_the_first_status(api: Client, browser: SiteBrowser) -> None:
    planned = post(api, "Dark mode")
    post(api, "Not looked at")
    api.patch(f"/v1/board/posts/{planned['id']}", {"statusId": "planned"})
    browser.open("/board")

    with recorded_calls() as calls:
        page = browser.open("/board/roadmap")

    assert calls == ["dynamodb:BatchGetItem", "dynamodb:Query"]
    assert [each.text() for each in page.html.css(".roadmap h2")] == ["Planned", "In progress", "Done"]
    assert [link.text() for link in page.html.css(".posts a")] == ["Dark mode"]


def test_a_post_is_read_without_a_cookie_and_never_shows_an_address(
    api: Client, browser: SiteBrowser
) -> None:
    session = "session-of-a-visitor"
    api.post(
        "/v1/messages",
        {"session": session, "body": "Hi", "user": {"name": "Ada", "email": "ada@example.com"}},
    )
    created = api.post("/v1/board/posts", {"title": "Dark mode", "body": "Please", "session": session}).body
    api.post(f"/v1/board/posts/{created['id']}/comments", {"body": "We think about it."})
    browser.open("/board")

    with recorded_calls() as calls:
        page = browser.open(f"/board/{created['number']}")

    with recorded_calls() as again:
        browser.open(f"/board/{created['number']}")

    # the site with the post's number; the post with its comments; the names of those who wrote, which are remembered
    assert calls == ["dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:BatchGetItem"]
    assert again == calls[:2]
    assert page.headers["cache-control"].startswith("public")
    assert page.headers["vary"] == "accept-language, cookie, accept-encoding"
    assert "Ada" in page.words("article")
    assert page.words(".comments li").endswith("We think about it.")
    assert "example.com" not in page.text.replace("support.example.com", "")
    assert {each.attributes["value"] or "" for each in page.html.css("main [name=csrf]")} == {""}
    assert page.one("link[rel=canonical]").attributes["href"] == (
        f"{browser.root}/board/{created['number']}-dark-mode"
    )


def test_addresses_in_posts_and_comments_are_links_that_no_search_engine_follows(
    api: Client, browser: SiteBrowser
) -> None:
    of = post(api, body="*Like* https://a.example/b.\nAs I said.")
    api.post(f"/v1/board/posts/{of['id']}/comments", {"body": "See www.c.example (jane@c.example)"})

    page = browser.open(f"/board/{of['number']}")

    assert [each.text() for each in page.html.css(".plain")] == [
        "*Like* https://a.example/b.\nAs I said.",
        "See www.c.example (jane@c.example)",
    ]
    links = page.html.css(".plain a")
    assert [each.attributes["href"] for each in links] == [
        "https://a.example/b",
        "http://www.c.example",
        "mailto:jane@c.example",
    ]
    assert {each.attributes["rel"] for each in links} == {"nofollow ugc noopener"}


@for_each("name", ["0", "999", "abc", "1e3", "-1", "1_0", "１", quote("1#POST"), "9" * 400])
def test_what_is_no_public_post_is_not_found(api: Client, browser: SiteBrowser, name: str) -> None:
    assert browser.open(f"/board/{name}").status == 404


def test_a_pending_post_and_that_of_another_organization_are_not_found(
    api: Client, stranger: Client, browser: SiteBrowser
) -> None:
    pending = post(api)
    api.patch(f"/v1/board/posts/{pending['id']}", {"state": "pending"})
    other = [post(stranger, f"Other {number}") for number in range(3)][-1]

    for number in (pending["number"], other["number"]):
        assert browser.open(f"/board/{number}").status == 404
        assert browser.send(f"/board/{number}/vote", {"vote": "yes"}).status == 404
        assert browser.send(f"/board/{number}/comments", {"body": "Hello"}).status == 404


def test_a_site_that_shows_no_board_has_none_of_its_pages(api: Client) -> None:
    browser = browser_on(api, showBoard=False)
    number = post(api)["number"]

    for path in (
        "/board",
        "/board/roadmap",
        "/board/new",
        "/board/sent",
        f"/board/{number}",
    ):
        assert browser.open(path).status == 404, path
    assert browser.send("/board/new", {"title": "x"}).status == 404
    assert browser.send(f"/board/{number}/vote", {}).status == 404


def test_another_organizations_cookie_is_a_strangers(
    api: Client, stranger: Client, browser: SiteBrowser
) -> None:
    theirs = browser_on(stranger)
    other_post = post(stranger)
    browser.open("/board/new")
    name, value = next(iter(browser.cookies.items()))
    theirs.cookies[name] = value

    page = theirs.open(f"/board/{other_post['number']}")

    assert page.status == 200
    assert theirs.press("/vote").words(".vote-count") == "1 vote"


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_text_on_every_page(api: Client, browser: SiteBrowser, text: str) -> None:
    browser.open("/board/new")
    page = browser.press("/board/new", title=f"x{text[:150]}", body=text[:9_000])
    assert page.status in {200, 400}, page.text
    assert page.html.css("main script") == []
    if page.status == 200:
        page = browser.press("/comments", body=f"x{text[:3_000]}")
        assert page.status in {200, 400}
        assert page.html.css("main script") == []
    for path in ("/board?q=", "/board?sort=", "/board?status=", "/board?after=", "/board/"):
        found = browser.open(path + quote(text[:300]))
        assert found.status in {200, 404}, path
        assert [each.text() for each in found.html.css("script")] == [""]


def test_a_post_shows_the_first_two_hundred_comments_also_where_they_are_more_than_one_query_returns(
    api: Client, browser: SiteBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = post(api)
    for number in range(3):
        api.post(f"/v1/board/posts/{of['id']}/comments", {"body": f"Comment {number}"})
    api.post(f"/v1/board/posts/{of['id']}/vote", {"session": "session-of-a-visitor"})
    monkeypatch.setattr(public, "SHOWN_COMMENTS", 2)

    page = browser.open(f"/board/{of['number']}")

    assert [each.text() for each in page.html.css(".comments .plain")] == ["Comment 0", "Comment 1"]
    assert page.words(".vote-count") == "1 vote"
