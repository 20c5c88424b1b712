"""The pages in a browser: nothing for a checker of accessibility to find, and no wider than a phone."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from helpdesk.mail import service as mail
from helpdesk.site.texts import texts_in
from tests.support.api import Client
from tests.support.chromium import chromium as chromium  # noqa: PLC0414 - a fixture
from tests.support.chromium import host as host  # noqa: PLC0414 - a fixture
from tests.support.chromium import installed
from tests.support.chromium import working as working  # noqa: PLC0414 - a fixture
from tests.support.site import opened

APPEARANCE = "/v1/site/appearance"
T = texts_in("en")

pytestmark = installed

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
TABLE = "\n\n| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n" + ("| " + "value" * 6) * 6 + " |\n"


@pytest.fixture
def root(host: str, api: Client, monkeypatch: pytest.MonkeyPatch) -> str:
    """A site with two articles, one of which is hostile to layouts, and a board; mail is sent from it."""
    monkeypatch.setenv("MAIL_FROM", "help@example.com")
    folder = api.post("/v1/knowledge/folders", {"name": "Billing " + "B" * 40, "published": True}).body["id"]
    made = {}
    for title, body in (
        ("Refunds", "## How long\n\nFive days.\n\n## How much\n\nAll."),
        ("W" * 100, HOSTILE + TABLE),
        ("Gone", "Soon."),
    ):
        sent = {"title": title, "body": body, "folderId": folder, "slug": title.lower()[:10]}
        made[title] = api.post("/v1/knowledge/documents", sent).body["id"]
    assert api.delete(f"/v1/knowledge/documents/{made['Gone']}").status == 200
    for title in ("Dark mode", "W" * 100):
        post = api.post("/v1/board/posts", {"title": title, "body": "At night. " * 20}).body["id"]
        api.post(f"/v1/board/posts/{post}/comments", {"body": "We look at it. " + "w" * 300})
    links = [{"label": "Terms", "url": "https://shop.example/"}]
    settings = {"title": "Fern Shop Help", "intro": "Guides and answers.", "footerLinks": links}
    return f"{host}/site/{opened(api, **settings, showBoard=True, language='en').slug}"


def open_page(chromium: Browser, *, width: int, scripts: bool = True) -> Page:
    """Return a page of a browser of its own; its policy is lifted for the checker, which is a script."""
    context = chromium.new_context(
        viewport={"width": width, "height": 800}, bypass_csp=scripts, java_script_enabled=scripts
    )
    page = context.new_page()
    page.set_default_timeout(20_000)
    return page


# Every kind of page: an address of the site, or what leads there from the page before; and what is on that page alone.
type Step = str | Callable[[Page], object]
type Kinds = list[tuple[Step, str]]


def sends(button: str, **typed: str) -> Callable[[Page], object]:
    """Return what fills fields of the page, by their names, and presses a button. The browser lets all of it pass."""

    def send(page: Page) -> None:
        page.eval_on_selector_all("form", "(all) => all.forEach((each) => { each.noValidate = true; })")
        for name, text in typed.items():
            page.locator(f"main [name={name}]").fill(text)
        page.get_by_role("main").get_by_role("button", name=T[button], exact=True).click()

    return send


def read_kinds() -> Kinds:
    """Return what visitors read, and what says that it is not there."""
    return [
        ("/", ".hero"),
        (lambda page: page.locator(".cards a").click(), "main > .articles"),
        ("/articles/" + "w" * 10, ".prose table"),
        ("/articles/refunds", ".around"),
        (sends("helpful.yes"), ".notice"),
        ("/articles/gone", f"text={T['problem.gone.title']}"),
        ("/nowhere", f"text={T['problem.not_found.title']}"),
        ("/search", "main .search"),
        ("/search?q=refunds", ".results"),
        ("/search?q=unicorns", ".empty bdi"),
    ]


def board_kinds() -> Kinds:
    """Return the pages of the feedback board."""
    return [
        ("/board", ".posts"),
        ("/board?q=unicorns", ".empty"),
        ("/board?sort=newest", ".posts"),
        (lambda page: page.get_by_role("link", name="www").click(), ".comments .team"),
        (sends("board.comment.send"), "#problem"),
        ("/board/roadmap", ".roadmap"),
        ("/board/new", "#title"),
        (sends("board.submit"), "#problem"),
        ("/board/sent", ".notice"),
    ]


def contact_kinds(api: Client) -> Kinds:
    """Return the pages of writing to the team."""

    def resolve(page: Page) -> None:
        [conversation] = api.get("/v1/conversations").body["conversations"]
        path = f"/v1/conversations/{conversation['id']}"
        assert api.post(f"{path}/reply", {"body": "Tomorrow. " + "w" * 300}).status == 200
        assert api.post(f"{path}/resolve", {}).status == 200
        page.reload()

    return [
        ("/contact", "#body"),
        (sends("contact.send"), "#problem"),
        (sends("contact.send", body="Where is my parcel?"), ".thread .own"),
        (resolve, "[name=stars]"),
        (sends("contact.rate.send"), "#problem"),
        ("/contact", "#conversations"),
    ]


def sign_in_kinds(codes: list[str]) -> Kinds:
    """Return the pages of signing in."""
    return [
        ("/sign-in", "#email"),
        (sends("sign_in.send", email="ada@"), "#problem"),
        (sends("sign_in.send", email="ada@example.com"), "#code"),
        (sends("sign_in.go", code="1"), "#problem"),
        (lambda page: sends("sign_in.go", code=codes.pop())(page), ".account"),  # noqa: PLW0108 - mailed later
        ("/sign-in", "main form[action$=out]"),
        ("/sign-in/return", "#missing"),
    ]


def look(number: int) -> tuple[str, str, int]:
    """Return one of the 18 looks: where the topics are, the scheme, and the width of the screen."""
    navigation = ("sidebar", "top", "topics")[number % 3]
    return navigation, ("light", "dark")[number % 2], (360, 768, 1280)[(number + number // 6) % 3]


@pytest.mark.parametrize("part", ["read", "board", "contact", "sign_in"])
def test_a_checker_of_accessibility_finds_nothing_and_no_page_is_wider_than_its_screen(
    chromium: Browser, api: Client, root: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[str] = []
    monkeypatch.setattr(mail, "send_site_code", lambda _email, code, **_: codes.append(code))
    parts: dict[str, Callable[[], Kinds]] = {
        "read": read_kinds,
        "board": board_kinds,
        "contact": lambda: contact_kinds(api),
        "sign_in": lambda: sign_in_kinds(codes),
    }
    page = open_page(chromium, width=360)
    for number, (step, sign) in enumerate(parts[part](), start=len(part)):
        navigation, scheme, width = look(number)
        api.patch(APPEARANCE, {"navigation": navigation, "accent": "#ffd400" if number % 4 else None})
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        if isinstance(step, str):
            page.goto(root + step)
        else:
            step(page)
        page.locator(sign).first.wait_for(state="attached")
        place = f"{page.url} ({sign}), {navigation}, {scheme}, {width} px"
        found = Axe().run(page, options={"resultTypes": ["violations"]})
        assert found.violations_count == 0, f"{place}: {found.generate_report()}"
        for each in {width, 360}:
            page.set_viewport_size({"width": each, "height": 800})
            wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wider <= 0, f"{place}: {wider} px too wide at {each}"
    page.context.close()


# Links within a sentence may be as high as its line (WCAG 2.2, 2.5.8).
LOW_TARGETS = """[...document.querySelectorAll("a, button, summary, input, select, textarea")].filter(each => {
  const box = each.matches(".cards a") ? each.closest("li") : each;
  const high = box.getBoundingClientRect().height;
  const within = each.closest("p, .prose li");
  return high && high < 43.5 && !each.matches(".skip") && (!within || within.innerText === each.innerText);
}).map(each => each.outerHTML)"""


def test_a_finger_hits_each_target_on_a_narrow_phone_and_many_topics_are_one_line(
    chromium: Browser, api: Client, root: str
) -> None:
    for number in range(8):
        folder = api.post("/v1/knowledge/folders", {"name": f"Topic {number}", "published": True}).body["id"]
        api.post("/v1/knowledge/documents", {"title": f"Answer {number}", "body": "Yes.", "folderId": folder})
    page = open_page(chromium, width=320)
    page.goto(f"{root}/")
    folder = page.locator(".cards a").first.get_attribute("href") or ""
    paths = [
        "/",
        folder[folder.index("/folders/") :],
        "/articles/refunds",
        "/articles/" + "w" * 10,
        "/nowhere",
    ]
    for navigation in ("top", "sidebar"):
        api.patch(APPEARANCE, {"navigation": navigation})
        for path in [*paths, "/search?q=nothing", "/contact", "/board"]:
            page.goto(root + path)
            page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
            assert page.evaluate(LOW_TARGETS) == [], path
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
        if navigation == "top":
            page.goto(f"{root}/")
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
    chromium: Browser, api: Client, root: str, width: int
) -> None:
    words = "Money goes back to the card or the account that paid, and most of it is there in five days. "
    sent = {"title": "Payouts", "body": words * 4, "slug": "payouts", "published": True}
    assert api.post("/v1/knowledge/documents", sent).status == 200
    page = open_page(chromium, width=width)
    page.goto(f"{root}/articles/payouts")
    assert 60 <= page.evaluate(FIRST_LINE) <= 75
    page.context.close()


def test_the_first_link_skips_to_the_content(chromium: Browser, root: str) -> None:
    page = open_page(chromium, width=1280)
    page.goto(f"{root}/articles/refunds")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    box = page.locator(".skip").bounding_box()
    assert box is not None
    assert box["width"] > 100
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
    page.context.close()


def test_topics_fold_on_a_phone_and_are_open_on_a_desk_without_a_script(chromium: Browser, root: str) -> None:
    phone = open_page(chromium, width=360, scripts=False)
    phone.goto(f"{root}/articles/refunds")
    assert not phone.locator(".folders a").first.is_visible()
    phone.locator(".folders > details > summary").click()
    assert phone.locator(".folders a").first.is_visible()

    desk = open_page(chromium, width=1280, scripts=False)
    desk.goto(f"{root}/articles/refunds")
    assert desk.locator(".folders a[aria-current=page]").is_visible()
    assert desk.locator(".toc a").first.is_visible()
    phone.context.close()
    desk.context.close()


def test_the_organizations_stylesheet_wins_and_its_embedded_image_loads(
    chromium: Browser, api: Client, root: str
) -> None:
    pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="
    css = f"h1 {{ color: rgb(1, 2, 3) }} .site-footer {{ background-image: url({pixel}) }}"
    assert api.patch(APPEARANCE, {"css": css, "scheme": "dark"}).status == 200
    refused: list[str] = []
    page = open_page(chromium, width=1280, scripts=True)
    page.on("console", lambda message: refused.append(message.text))
    page.goto(f"{root}/")

    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(1, 2, 3)"
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert refused == []
    page.context.close()
