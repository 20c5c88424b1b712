"""What the pages of a help site ask of DynamoDB, in calls and in capacity units."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

from benchmarks.capacity import metered
from benchmarks.recording import emulated_aws, new_organization
from benchmarks.report import ROOT, Section
from benchmarks.route_costs import row
from helpdesk.site import article_cache, articles, authors, contents, router
from tests.support.api import Client
from tests.support.knowledge import add, jobs, work
from tests.support.site import Page
from tests.support.site_browser import SiteBrowser

TITLE = "DynamoDB calls and capacity of a help site's pages"
TEXT = """One request each, as in the table of routes. "First" is the first one that an execution environment answers;
the others find what it remembers for some seconds: which organization has the address, and what is published.
The site has the project's guides, twenty posts on its board and one conversation. One view of many is counted, and
none of these."""

_POSTS = 20


class _Never:
    """Counts no view."""

    def randrange(self, _: int) -> int:
        """Return what counts none."""
        return 1


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    section = Section(TITLE, TEXT, ("Page", "Calls", "Read units", "Write units", "Operations"))
    with emulated_aws(), _fresh():
        browser = _site(guides=3 if tiny else None)
        for shown, forget, visit in _pages(browser):
            if forget:
                _forget()
            with metered() as used:
                page = visit()
            if page.status >= 400:
                raise RuntimeError(f"{shown}: {page.status}: {page.text[:200]}")
            section.rows.append(row(shown, used))
    return section


def _site(*, guides: int | None) -> SiteBrowser:
    """Publish the guides, index them, fill the board, and return a browser on the site."""
    api = Client(new_organization().secret_key)
    for path in sorted((ROOT / "docs" / "guides").glob("*.md"))[:guides]:
        title, _, body = path.read_text("utf-8").partition("\n")
        add(api, title.lstrip("# "), body.strip(), published=True, path=f"guides/{path.name}")
    work(*jobs())
    for number in range(_POSTS):
        api.post("/v1/board/posts", {"title": f"Idea {number}", "body": "It would help us."})
    wanted = {"enabled": True, "showBoard": True, "widgetOrigins": ["https://shop.example.com"]}
    return SiteBrowser(str(api.patch("/v1/site", wanted).body["url"]).rstrip("/"))


def _pages(browser: SiteBrowser) -> Iterator[tuple[str, bool, Callable[[], Page]]]:
    """Yield what is shown, whether the environment is a new one, and the visit, in an order that works."""

    def to(path: str, **headers: str) -> Callable[[], Page]:
        return lambda: browser.open(path, **headers)

    yield "home, first", True, to("/")
    yield "home", False, to("/")
    article = next(address for address in browser.page.links("main").values() if "/articles/" in address)
    yield "article, first", True, to(article)
    yield "article", False, to(article)
    tag = browser.page.headers["etag"]
    yield "article, not changed (304)", False, to(article, if_none_match=tag)
    yield "search", False, to("/search?q=verify+the+signature+of+a+webhook")
    yield "board", False, to("/board")
    post = next(address for words, address in browser.page.links("main").items() if words.startswith("Idea"))
    yield "post, first", True, to(post)
    yield "post", False, to(post)
    yield "roadmap", False, to("/board/roadmap")
    yield "sitemap.xml", False, to("/sitemap.xml")
    yield "llms.txt", False, to("/llms.txt")
    yield "sign-in", False, to("/sign-in")
    yield "contact", False, to("/contact")
    yield "contact, sent", False, lambda: browser.press(body="Where is my order?", email="ada@example.com")
    thread = next(address for address in browser.page.links("body").values() if "/contact/" in address)
    yield "conversation", False, to(thread)
    yield "conversation, look for news", False, to(f"{thread}/state")
    yield "widget.js", False, to("/widget.js")
    yield "widget, closed", False, to("/widget?closed=1")
    yield "widget, a new visitor", False, to("/widget")
    yield "widget, sent", False, lambda: browser.press("/widget", body="Where is my order?")
    yield "widget, a conversation", False, to("/widget")
    state = json.loads(browser.open("/widget/unread").text)["state"]
    yield "widget, look for what is unread", False, to(f"/widget/unread?state={state}")


def _forget() -> None:
    for module in (router, contents, article_cache, authors):
        module.forget()


@contextmanager
def _fresh() -> Iterator[None]:
    _forget()
    with mock.patch.object(articles, "_dice", _Never()):
        yield
    _forget()
