"""The pages in a browser: nothing for a checker of accessibility to find, no wider than a phone, and by keyboard alone.

The browser's requests are answered by the real handler, without a server.
"""

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, sync_playwright

from helpdesk.site import router
from tests.support.api import Client, Context, function, gateway_event
from tests.support.site import Visitor, opened

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
HOST = "https://help.example.test"
APPEARANCE = "/v1/site/appearance"

pytestmark = pytest.mark.skipif(
    not Path(CHROMIUM).exists(), reason="no chromium is installed here (Debian: apt-get install chromium)"
)

# What breaks layouts: long words, wide tables, long lines of code, deep lists, another direction of writing.
HOSTILE = "\n\n".join(
    [
        "## " + "A" * 100,
        "x" * 300 + " and `" + "y" * 200 + "`, <https://example.com/" + "z" * 200 + ">",
        "```python\n" + 'print("' + "long_code_" * 40 + '")  # a comment\n```',
        "\n".join("  " * depth + f"- level {depth} with words that wrap on a phone" for depth in range(12)),
        "> " * 8 + "deep",
        "### مرحبا\n\nهذا نص عربي",
        ":::warning\nMind the gap.\n:::",
        "<details><summary>More</summary>\n\ntext\n\n</details>",
    ]
)
TABLE = "\n| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n" + ("| " + "value" * 6) * 6 + " |\n"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def site(api: Client) -> Visitor:
    """A site with a folder of two articles, one of which is hostile to layouts."""
    router.forget()
    visitor = opened(api, title="Fern Shop Help", intro="Guides and answers.", showBoard=True, language="en")
    folder = api.post("/v1/knowledge/folders", {"name": "Billing " + "B" * 40, "published": True}).body["id"]
    for title, body in (
        ("Refunds", "## How long\n\nFive days.\n\n## How much\n\nAll."),
        ("W" * 100, HOSTILE + TABLE),
    ):
        sent = {"title": title, "body": body, "folderId": folder}
        assert api.post("/v1/knowledge/documents", sent).status == 200
    return visitor


def answer(route: Route) -> None:
    """Answer a request of the browser as the gateway does."""
    parts = urlsplit(route.request.url)
    assert f"{parts.scheme}://{parts.netloc}" == HOST, route.request.url
    event = gateway_event(
        route.request.method,
        parts.path + (f"?{parts.query}" if parts.query else ""),
        headers={name.lower(): value for name, value in route.request.headers.items()},
    )
    event["requestContext"]["identity"] = {"sourceIp": "203.0.113.7"}
    raw = function("site").handler(event, Context())
    body = base64.b64decode(raw["body"]) if raw.get("isBase64Encoded") else raw["body"]
    headers = {name: ", ".join(values) for name, values in raw["multiValueHeaders"].items()}
    route.fulfill(status=raw["statusCode"], headers=headers, body=body)


def open_page(chromium: Browser, *, width: int, scheme: str = "light", scripts: bool = True) -> Page:
    """Return a page of a browser of its own; its policy is lifted for the checker, which is a script."""
    context = chromium.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=scripts,
        java_script_enabled=scripts,
    )
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.route("**/*", answer)
    return page


def every_path(site: Visitor) -> list[str]:
    """Return the paths of every kind of page."""
    folder = next(iter(site.get("/").links(".cards").values()))
    articles = list(site.get("/" + folder.partition(f"/{site.slug}/")[2]).links(".articles").values())
    assert len(articles) == 2
    root = folder.partition("/folders/")[0]
    return [f"{root}/", folder, *articles, f"{root}/nowhere"]


@pytest.mark.parametrize(
    ("navigation", "scheme", "width"),
    [("sidebar", "light", 360), ("sidebar", "dark", 1280), ("top", "light", 768), ("topics", "dark", 360)],
)
def test_a_checker_of_accessibility_finds_nothing_and_no_page_is_wider_than_its_screen(
    chromium: Browser, api: Client, site: Visitor, navigation: str, scheme: str, width: int
) -> None:
    api.patch(APPEARANCE, {"navigation": navigation, "accent": "#ffd400"})
    page = open_page(chromium, width=width, scheme=scheme)
    for path in every_path(site):
        page.goto(HOST + path)
        found = Axe().run(page, options={"resultTypes": ["violations"]})
        assert found.violations_count == 0, f"{path}: {found.generate_report()}"
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, f"{path}: {wider} px too wide"
    page.context.close()


# Links within a sentence may be as high as its line (WCAG 2.2, 2.5.8).
LOW_TARGETS = """[...document.querySelectorAll("a, button, summary, input, select, textarea")].filter(each => {
  const box = each.matches(".cards a") ? each.closest("li") : each;
  const high = box.getBoundingClientRect().height;
  const within = each.closest("p, .prose li");
  return high && high < 43.5 && !each.matches(".skip") && (!within || within.innerText === each.innerText);
}).map(each => each.outerHTML)"""


def test_a_finger_hits_each_target_on_a_narrow_phone_and_many_topics_are_one_line(
    chromium: Browser, api: Client, site: Visitor
) -> None:
    for number in range(8):
        folder = api.post("/v1/knowledge/folders", {"name": f"Topic {number}", "published": True}).body["id"]
        api.post("/v1/knowledge/documents", {"title": f"Answer {number}", "body": "Yes.", "folderId": folder})
    paths = every_path(site)
    page = open_page(chromium, width=320)
    for navigation in ("top", "sidebar"):
        api.patch(APPEARANCE, {"navigation": navigation})
        for path in [*paths, paths[0] + "search?q=nothing", paths[0] + "contact", paths[0] + "board"]:
            page.goto(HOST + path)
            page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
            assert page.evaluate(LOW_TARGETS) == [], path
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
        if navigation == "top":
            page.goto(HOST + paths[0])
            assert page.evaluate("document.querySelector('.bar').offsetHeight") < 60
    page.context.close()


# How many characters the first line of the first paragraph has.
FIRST_LINE = """(() => {
  const text = document.querySelector(".prose p").firstChild, range = document.createRange();
  const top = at => (range.setStart(text, at), range.setEnd(text, at + 1), range.getBoundingClientRect().top);
  let length = 1;
  while (top(length) - top(0) < 10) length++;
  return length;
})()"""


@pytest.mark.parametrize("width", [768, 1280, 1600])
def test_a_line_of_an_article_has_60_to_75_characters(
    chromium: Browser, api: Client, site: Visitor, width: int
) -> None:
    words = "Money goes back to the card or the account that paid, and most of it is there in five days. "
    sent = {"title": "Payouts", "body": words * 4, "slug": "payouts", "published": True}
    assert api.post("/v1/knowledge/documents", sent).status == 200
    page = open_page(chromium, width=width)
    page.goto(HOST + every_path(site)[0] + "articles/payouts")
    assert 60 <= page.evaluate(FIRST_LINE) <= 75
    page.context.close()


def test_a_page_is_used_by_keyboard_alone(chromium: Browser, site: Visitor) -> None:
    page = open_page(chromium, width=1280)
    page.goto(HOST + every_path(site)[2])

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    box = page.locator(".skip").bounding_box()
    assert box is not None
    assert box["width"] > 100
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.context.close()


def test_topics_fold_on_a_phone_and_are_open_on_a_desk_without_a_script(
    chromium: Browser, site: Visitor
) -> None:
    path = every_path(site)[2]
    phone = open_page(chromium, width=360, scripts=False)
    phone.goto(HOST + path)
    assert not phone.locator(".folders a").first.is_visible()
    phone.locator(".folders > details > summary").click()
    assert phone.locator(".folders a").first.is_visible()

    desk = open_page(chromium, width=1280, scripts=False)
    desk.goto(HOST + path)
    assert desk.locator(".folders a[aria-current=page]").is_visible()
    assert desk.locator(".toc a").first.is_visible()
    phone.context.close()
    desk.context.close()


def test_the_organizations_stylesheet_wins_and_its_embedded_image_loads(
    chromium: Browser, api: Client, site: Visitor
) -> None:
    pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="
    css = f"h1 {{ color: rgb(1, 2, 3) }} .site-footer {{ background-image: url({pixel}) }}"
    assert api.patch(APPEARANCE, {"css": css, "scheme": "dark"}).status == 200
    refused: list[str] = []
    page = open_page(chromium, width=1280, scripts=True)
    page.on("console", lambda message: refused.append(message.text))
    page.goto(HOST + every_path(site)[0])

    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(1, 2, 3)"
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert refused == []
    page.context.close()
