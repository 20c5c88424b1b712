"""A visitor of the help site votes, comments, writes to the team and is answered: on the deployed local stack."""

import uuid
from collections.abc import Iterator, Mapping
from html import unescape
from urllib.parse import urlsplit

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.support.web import Web, eventually


class Browser:
    """A browser that keeps cookies and goes where it is led."""

    def __init__(self, root: str, client: httpx.Client) -> None:
        self.root = root.rstrip("/")
        self._client = client
        self.html = LexborHTMLParser("")

    def open(self, path: str) -> int:
        """Open a path within the site; return the status."""
        return self._shown(self._client.get(f"{self.root}{path}"))

    def press(self, action: str, **typed: str) -> int:
        """Send the form whose action ends so, with what is typed; return the status of the page it leads to."""
        [form] = [
            each for each in self.html.css("main form") if str(each.attributes["action"]).endswith(action)
        ]
        fields = {
            str(each.attributes["name"]): str(each.attributes.get("value") or "")
            for each in form.css("input[type=hidden]")
        }
        parts = urlsplit(self.root)
        address = f"{parts.scheme}://{parts.netloc}{unescape(str(form.attributes['action']))}"
        return self._shown(self._client.post(address, data={**fields, **typed}))

    def words(self, selector: str) -> str:
        """Return the text of the first element that a selector finds."""
        found = self.html.css_first(selector)
        return " ".join(found.text().split()) if found else ""

    def _shown(self, answer: httpx.Response) -> int:
        self.html = LexborHTMLParser(answer.text)
        self.address = str(answer.url)
        return answer.status_code


@pytest.fixture
def api(stack: Mapping[str, str]) -> Iterator[Web]:
    """The API as the demo organization's key sees it; the site's settings are as before after it."""
    web = Web(stack["base_url"], stack["secret_key"])
    before = web.get("/v1/site").body
    changed = web.patch("/v1/site", {"enabled": True, "showBoard": True, "showContact": True})
    assert changed.status == 200, changed
    yield web
    web.patch("/v1/site", {name: before[name] for name in ("enabled", "showBoard", "showContact")})


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    """A client that keeps cookies."""
    with httpx.Client(follow_redirects=True, timeout=60, trust_env=False) as opened:
        yield opened


def test_a_visitor_finds_an_article_and_says_that_it_helped(api: Web, client: httpx.Client) -> None:
    browser = Browser(api.get("/v1/site").body["url"], client)
    title = f"Water a fern {uuid.uuid4().hex[:8]}"
    body = "import Box from '@theme/Box'\n\n## How often {#often}\n\nTwice a week, with rain water."
    document = api.post("/v1/knowledge/documents", {"title": title, "body": body, "published": True}).body
    try:
        word = title.rpartition(" ")[2]
        eventually(lambda: browser.open(f"/search?q={word}") == 200 and browser.words(".results a") == title)
        link = browser.html.css_first(".results a")
        assert link is not None
        assert browser.open(_within(browser, str(link.attributes["href"]))) == 200
        assert browser.words("h1") == title
        assert browser.words(".prose") == "How often Twice a week, with rain water."
        assert browser.words(".prose #often") == "How often"
        assert browser.press("/rating", helpful="yes") == 200
        assert browser.words(".notice") == "Thank you for your answer."
    finally:
        assert api.delete(f"/v1/knowledge/documents/{document['id']}").status == 200


def test_a_visitor_votes_comments_and_is_answered(api: Web, client: httpx.Client) -> None:
    browser = Browser(api.get("/v1/site").body["url"], client)
    title = f"Dark mode {uuid.uuid4().hex[:8]}"
    assert browser.open("/board/new") == 200
    assert browser.press("/board/new", title=title, body="At night") == 200
    assert browser.words("h1") == title
    path = browser.address.removeprefix(browser.root)
    assert browser.press("/vote") == 200
    assert browser.words(".vote-count") == "1 vote"
    assert browser.press("/comments", body="Please") == 200
    assert browser.words(".comments li .plain") == "Please"
    assert browser.press("/vote") == 200
    assert browser.words(".vote-count") == "0 votes"
    for page in ("/board", "/board?sort=newest", "/board?sort=trending", "/board/roadmap", path):
        assert browser.open(page) == 200, page
    word = title.rpartition(" ")[2]
    eventually(lambda: browser.open(f"/board?q={word}") == 200 and browser.words(".posts a") == title)

    assert browser.open("/contact") == 200
    assert browser.press("/contact", body="How do I reset my password?", name="Ada") == 200
    thread = urlsplit(browser.address).path
    eventually(lambda: browser.open(_within(browser, thread)) == 200 and browser.words(".thread .prose"))
    conversation = thread.rpartition("/")[2]
    assert api.post(f"/v1/conversations/{conversation}/reply", {"body": "Tina here."}).status == 200
    assert browser.open(_within(browser, thread)) == 200
    assert "Tina here." in browser.words(".thread")
    assert api.post(f"/v1/conversations/{conversation}/resolve", {}).status == 200
    browser.open(_within(browser, thread))
    assert browser.press("/rating", stars="5") == 200
    assert "5 of 5" in browser.words("#standing")
    client.cookies.clear()
    assert browser.open(_within(browser, thread)) == 404


def test_what_a_visitor_wrote_is_theirs_after_signing_in(
    stack: Mapping[str, str], api: Web, client: httpx.Client
) -> None:
    browser = Browser(api.get("/v1/site").body["url"], client)
    mark = uuid.uuid4().hex[:8]
    assert browser.open("/board/new") == 200
    assert browser.press("/board/new", title=f"Wish {mark}", body="Please") == 200
    post = browser.address.removeprefix(browser.root)
    assert browser.press("/vote") == 200
    assert browser.open("/contact") == 200
    assert browser.press("/contact", body=f"Parcel {mark} is lost") == 200
    former = dict(client.cookies)

    assert browser.open(f"/sign-in?to={post.lstrip('/')}") == 200
    assert browser.press("/sign-in", email=f"{mark}@example.com") == 200
    assert browser.press("/code", code=code_mailed_to(stack, f"{mark}@example.com")) == 200

    assert browser.words("form.account .who") == f"{mark}@example.com"
    eventually(lambda: browser.open(post) == 200 and "Take back my vote" in browser.words("main"))
    eventually(lambda: browser.open("/contact") == 200 and f"Parcel {mark}" in browser.words("main"))
    assert browser.words("form.account .who") == f"{mark}@example.com"
    client.cookies.clear()
    client.cookies.update(former)
    assert browser.open("/contact") == 200
    assert f"Parcel {mark}" not in browser.words("main")


def code_mailed_to(stack: Mapping[str, str], email: str) -> str:
    """Return the one-time code that was mailed to an address."""
    by_account = httpx.get(stack["mail_json_url"], trust_env=False).json()["messages"]
    [text] = [mail["BodyText"] for mails in by_account.values() for mail in mails if mail["To"] == [email]]
    return str(next(line for line in text.splitlines() if line.isdigit()))


def test_head_has_the_headers_of_the_page_alone(api: Web, client: httpx.Client) -> None:
    root = api.get("/v1/site").body["url"]
    got, head = client.get(root), client.head(root)

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["etag"] == got.headers["etag"]
    assert head.headers["cache-control"] == got.headers["cache-control"]


def _within(browser: Browser, path: str) -> str:
    return path.removeprefix(urlsplit(browser.root).path)
