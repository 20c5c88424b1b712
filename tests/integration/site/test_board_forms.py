"""The forms of a feedback board: votes, comments and posts, with a cookie, with none, and from another site."""

from urllib.parse import urlencode

import pytest

from helpdesk.platform import clock
from tests.integration.site.test_board import browser_on, post
from tests.support.api import Client
from tests.support.site import FORM
from tests.support.site_browser import SiteBrowser


@pytest.fixture
def browser(api: Client) -> SiteBrowser:
    """A browser on the site of the API's organization, which shows its board."""
    return browser_on(api)


def test_a_visitor_votes_once_and_takes_the_vote_back(api: Client, browser: SiteBrowser) -> None:
    of = post(api)
    browser.open(f"/board/{of['number']}")

    page = browser.press("/vote")
    assert page.words(".vote-count") == "1 vote"
    assert page.headers["cache-control"] == "no-store"
    browser.send(f"/board/{of['number']}/vote", {**browser.form("/vote")[1], "vote": "yes"})
    assert api.get(f"/v1/board/posts/{of['id']}").body["votes"] == 1
    browser.open(f"/board/{of['number']}")
    assert browser.form("/vote")[1]["vote"] == "no"
    assert browser.press("/vote").words(".vote-count") == "0 votes"


def test_the_first_form_of_a_browser_brings_its_cookie_and_is_sent_once(
    api: Client, browser: SiteBrowser
) -> None:
    of = post(api)
    page = browser.open(f"/board/{of['number']}")
    where, fields = browser.form("/vote")
    assert page.headers["cache-control"].startswith("public")
    assert "set-cookie" not in page.headers
    own = {"content-type": FORM, "sec-fetch-site": "same-origin"}

    first = browser.ask("POST", where, urlencode(fields), own)
    assert (first.status, first.headers["location"]) == (307, f"{browser.root}{of['path']}/vote?again=1")
    assert api.get(f"/v1/board/posts/{of['id']}").body["votes"] == 0
    # A second click is another form of the same browser.
    for _ in range(2):
        assert browser.ask("POST", first.headers["location"], urlencode(fields), own).status == 303
    assert api.get(f"/v1/board/posts/{of['id']}").body["votes"] == 1


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "cross-site", "origin": "http://127.0.0.1"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
        {"origin": "null"},
        {"origin": "https://evil.example"},
    ],
)
def test_a_form_without_a_token_counts_only_where_the_browser_says_that_it_is_the_sites(
    api: Client, browser: SiteBrowser, headers: dict[str, str]
) -> None:
    of = post(api)
    for _ in range(2):  # without the cookie, then with that of the refusal
        answer = browser.ask(
            "POST", f"/board/{of['number']}/vote", "vote=yes", {"content-type": FORM, **headers}
        )
        assert answer.status == 403
        browser.open("/board/new")
    assert api.get(f"/v1/board/posts/{of['id']}").body["votes"] == 0


def test_a_browser_that_takes_no_cookie_reads_that_it_blocks_them(api: Client, browser: SiteBrowser) -> None:
    of = post(api)
    own = {"content-type": FORM, "sec-fetch-site": "same-origin"}

    first = browser.ask("POST", f"/board/{of['number']}/comments", "body=Hello", own)
    page = browser.ask("POST", first.headers["location"], "body=Hello", own, cookies=False)

    assert (first.status, page.status) == (307, 403)
    assert "blocks cookies" in page.words(".problem")
    assert page.one("textarea").text().strip() == "Hello"
    assert api.get(f"/v1/board/posts/{of['id']}").body["comments"] == []


def test_two_browsers_have_two_votes(api: Client, browser: SiteBrowser) -> None:
    of = post(api)
    for each in (browser, SiteBrowser(browser.root)):
        each.open(f"/board/{of['number']}")
        each.press("/vote")

    assert api.get(f"/v1/board/posts/{of['id']}").body["votes"] == 2


def test_where_votes_need_a_sign_in_an_anonymous_visitor_is_led_there_and_keeps_the_way_back(
    api: Client, browser: SiteBrowser
) -> None:
    of = post(api)
    browser.open(f"/board/{of['number']}")
    browser.press("/vote")
    other = SiteBrowser(browser.root)
    assert api.patch("/v1/site", {"votesNeedSignIn": True}).body["votesNeedSignIn"] is True

    other.open(f"/board/{of['number']}")
    where, fields = other.form("/vote")
    led = other.send(where, fields)

    way_back = urlencode({"to": of["path"].removeprefix("/")})
    assert (led.status, led.headers["location"]) == (303, f"{browser.root}/sign-in?{way_back}")
    assert api.get(f"/v1/board/posts/{of['id']}").body["votes"] == 1
    # A vote from before can be taken back.
    browser.open(f"/board/{of['number']}")
    assert browser.press("/vote").words(".vote-count") == "0 votes"


def test_a_comment_that_is_sent_twice_appears_once(api: Client, browser: SiteBrowser) -> None:
    of = post(api)
    browser.open(f"/board/{of['number']}")
    where, fields = browser.form("/comments")
    typed = {**fields, "body": "Me too\nplease"}

    first, second = browser.send(where, typed), browser.send(where, typed)

    assert first.status == second.status == 303
    assert first.headers["location"] == second.headers["location"] == browser.root + of["path"]
    [comment] = api.get(f"/v1/board/posts/{of['id']}").body["comments"]
    assert comment["body"] == "Me too\nplease"
    # After going back, another text is another comment.
    assert browser.send(where, {**typed, "body": "And one more thing"}).status == 303
    assert len(api.get(f"/v1/board/posts/{of['id']}").body["comments"]) == 2


def test_a_post_that_is_sent_twice_appears_once(api: Client, browser: SiteBrowser) -> None:
    browser.open("/board/new")
    where, fields = browser.form("/board/new")
    typed = {**fields, "title": "Dark mode", "body": "At night"}

    first, second = browser.send(where, typed), browser.send(where, typed)

    [listed] = api.get("/v1/board/posts").body["posts"]
    assert (
        first.headers["location"] == second.headers["location"] == f"{browser.root}/board/{listed['number']}"
    )
    assert browser.open(first.headers["location"]).words("h1") == "Dark mode"
    assert "Max-Age=15552000" in first.headers["set-cookie"]


def test_a_post_on_a_moderated_board_waits_for_the_team(api: Client, browser: SiteBrowser) -> None:
    api.patch("/v1/board", {"boards": [{"name": "Ideas", "moderated": True}], "version": 0})
    browser.open("/board/new")

    page = browser.press("/board/new", title="Dark mode")

    assert page.words("h1") == "Thank you"
    assert api.get("/v1/board/posts?state=pending").body["posts"][0]["title"] == "Dark mode"
    assert browser.open("/board").html.css(".posts") == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"title": " \u200b"}, "Write a title"),
        ({"title": "x" * 201}, "Write a title"),
        ({"title": "Good", "body": "x" * 10_001}, "too long"),
    ],
)
def test_a_post_that_is_refused_says_why_beside_the_field_and_keeps_what_was_typed(
    api: Client, browser: SiteBrowser, fields: dict[str, str], said: str
) -> None:
    browser.open("/board/new")
    where, own = browser.form("/board/new")

    page = browser.send(where, {**own, "body": "My reasons", **fields})

    assert page.status == 400
    assert said in page.words(".problem")
    assert page.one("[aria-invalid=true][autofocus]").attributes["aria-describedby"] == "problem"
    assert page.one("textarea").text().strip() == fields.get("body", "My reasons")
    assert api.get("/v1/board/posts").body["posts"] == []
    assert browser.press("/board/new", title="Right", body="My reasons").words("h1") == "Right"


@pytest.mark.parametrize("body", ["", "  ", "x" * 4_001])
def test_a_comment_that_is_refused_says_why(api: Client, browser: SiteBrowser, body: str) -> None:
    of = post(api)
    browser.open(f"/board/{of['number']}")

    page = browser.send(*_typed(browser, "/comments", body=body))

    assert page.status == 400
    assert "1 to 4000 characters" in page.words(".problem")
    assert page.one("textarea").text().strip() == body.strip()


def _typed(browser: SiteBrowser, action: str, **typed: str) -> tuple[str, dict[str, str]]:
    where, fields = browser.form(action)
    return where, {**fields, **typed}


def test_a_form_without_the_browsers_token_does_nothing_and_can_be_sent_again(
    api: Client, browser: SiteBrowser
) -> None:
    of = post(api)
    browser.open(f"/board/{of['number']}")
    where, fields = browser.form("/comments")
    other = SiteBrowser(browser.root)

    page = other.send(where, {**fields, "csrf": "of another browser", "body": "Planted"})

    assert page.status == 403
    assert page.one("textarea").text().strip() == "Planted"
    assert api.get(f"/v1/board/posts/{of['id']}").body["comments"] == []
    assert other.press("/comments", body="Mine").status == 200
    assert browser.send("/board/new", {"title": "x", "once": "a" * 43, "csrf": "wrong"}).status == 403
    assert browser.send(f"/board/{of['number']}/vote", {"csrf": "wrong"}).status == 403
    assert api.get(f"/v1/board/posts/{of['id']}").body["votes"] == 0


def test_a_form_of_another_site_is_refused(api: Client, browser: SiteBrowser) -> None:
    of = post(api)
    browser.open(f"/board/{of['number']}")
    where, fields = browser.form("/vote")

    assert browser.send(where, fields, **{"sec-fetch-site": "cross-site"}).status == 403
    assert api.get(f"/v1/board/posts/{of['id']}").body["votes"] == 0


def test_a_network_that_sends_too_many_forms_waits_and_keeps_what_was_typed(
    api: Client, browser: SiteBrowser
) -> None:
    of = post(api)
    browser.open(f"/board/{of['number']}")
    where, fields = _typed(browser, "/comments", body="Patience")
    refused = {**fields, "csrf": "wrong"}  # the cheapest form that counts
    at = clock.now_us()
    with clock.frozen(lambda: at):
        answers = [browser.send(where, refused).status for _ in range(60)]
        page = browser.send(where, fields)

    assert answers == [403] * 60
    assert (page.status, page.one("textarea").text().strip()) == (429, "Patience")
    assert int(page.headers["retry-after"]) >= 1
