"""A visitor in a browser, from a search to signing out: without scripts, and with scripts by keyboard alone."""

import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from helpdesk.mail import service as mail
from helpdesk.site import contact
from helpdesk.site.texts import texts_in
from tests.support.agent_runs import with_a_model
from tests.support.api import Client
from tests.support.chromium import chromium as chromium  # noqa: PLC0414 - a fixture
from tests.support.chromium import host as host  # noqa: PLC0414 - a fixture
from tests.support.chromium import installed
from tests.support.chromium import working as working  # noqa: PLC0414 - a fixture
from tests.support.converse import says, scripted
from tests.support.site import opened
from tests.support.workers import Workers

pytestmark = installed

T = texts_in("en")
MOST_STEPS = 60
FOCUSED = """() => {
  const style = getComputedStyle(document.activeElement);
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
}"""


class Pointer:
    """Somebody who sees the page and points at it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, place: Locator) -> None:
        """Follow a link or press a button."""
        place.click()

    def choose(self, places: Locator, number: int) -> None:
        """Choose one of several."""
        places.nth(number).check()

    def write(self, place: Locator, text: str) -> None:
        """Fill a field."""
        place.fill(text)


class Keys:
    """Somebody who has a keyboard, and sees where they are on the page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def _reach(self, place: Locator) -> None:
        expect(place).to_have_count(1)
        target = place.element_handle()
        for _ in range(MOST_STEPS):
            if self.page.evaluate("(each) => each === document.activeElement", target):
                assert self.page.evaluate(FOCUSED), f"the focus on {place} cannot be seen"
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{place} is not reached by {MOST_STEPS} times Tab")

    def press(self, place: Locator) -> None:
        """Follow a link or press a button."""
        self._reach(place)
        self.page.keyboard.press("Enter")

    def choose(self, places: Locator, number: int) -> None:
        """Choose one of several."""
        self._reach(places.first)
        for _ in range(number):
            self.page.keyboard.press("ArrowDown")
        expect(places.nth(number)).to_be_checked()

    def write(self, place: Locator, text: str) -> None:
        """Fill a field."""
        self._reach(place)
        self.page.keyboard.insert_text(text)


@pytest.fixture
def page(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of a new browser, on which nothing may go wrong unseen."""
    with chromium.new_context(java_script_enabled=request.param, locale="en-GB") as context:
        opened = context.new_page()
        opened.set_default_timeout(20_000)
        said: list[str] = []
        opened.on("console", lambda each: said.append(each.text) if each.type == "error" else None)
        opened.on("pageerror", lambda error: said.append(str(error)))
        yield opened
        assert [text for text in said if "status of 40" not in text] == []


@pytest.fixture
def codes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The codes that were mailed."""
    sent: list[str] = []
    monkeypatch.setattr(mail, "send_site_code", lambda _email, code, **_: sent.append(code))
    return sent


@pytest.fixture
def root(host: str, api: Client, monkeypatch: pytest.MonkeyPatch) -> str:
    """A help site with an article and a post, from which mail is sent."""
    monkeypatch.setenv("MAIL_FROM", "help@example.com")
    with_a_model(monkeypatch)
    for name, body in (("Refunds", "## How long\n\nFive days.\n\n## How much\n\nAll."), ("Parcels", "Soon.")):
        sent = {"title": name, "body": body, "published": True}
        assert api.post("/v1/knowledge/documents", sent).status == 200
    assert api.post("/v1/board/posts", {"title": "Dark mode", "body": "At night."}).status == 200
    return f"{host}/site/{opened(api, language='en', title='Fern Help', showBoard=True).slug}"


@pytest.mark.parametrize(
    ("page", "person"),
    [(False, Pointer), (True, Keys)],
    indirect=["page"],
    ids=["without scripts", "by keyboard"],
)
def test_a_visitor_reads_votes_writes_is_answered_and_signs_in_and_out(
    page: Page,
    person: Callable[[Page], Pointer | Keys],
    root: str,
    api: Client,
    working: threading.RLock,
    codes: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(contact, "PAUSES_SECONDS", (1,) * 30)
    visitor = person(page)
    main, header = page.get_by_role("main"), page.get_by_role("banner")
    page.goto(f"{root}/")

    visitor.write(main.locator("[name=q]"), "refunds")
    visitor.press(main.get_by_role("button", name=T["search"]))
    visitor.press(main.get_by_role("link", name="Refunds"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Refunds")
    visitor.press(main.get_by_role("button", name=T["helpful.yes"]))
    expect(page.get_by_role("status")).to_have_text(T["helpful.thanks"])

    visitor.press(header.get_by_role("link", name=T["board"]))
    visitor.press(main.get_by_role("link", name="Dark mode"))
    visitor.press(main.get_by_role("button", name=T["board.vote"]))
    expect(main.get_by_text(T.count("board.votes", 1), exact=True)).to_be_visible()
    visitor.write(main.get_by_label(T["board.comment"]), "Yes, please")
    visitor.press(main.get_by_role("button", name=T["board.comment.send"], exact=True))
    expect(main.get_by_role("listitem").get_by_text("Yes, please")).to_be_visible()

    visitor.press(header.get_by_role("link", name=T["contact"]))
    visitor.write(main.get_by_label(T["contact.message"]), "Where is my parcel?")
    visitor.press(main.get_by_role("button", name=T["contact.send"]))
    expect(main.get_by_role("status")).to_have_text(T["contact.awaits_answer"])
    with working, scripted(says("It arrives **tomorrow**.")):
        Workers("search", "suggestion").run()
    # With scripts the page looks by itself, without them it loads itself again.
    expect(main.locator("strong")).to_have_text("tomorrow", timeout=20_000)
    [conversation] = api.get("/v1/conversations").body["conversations"]
    assert api.post(f"/v1/conversations/{conversation['id']}/resolve", {}).status == 200
    page.goto(f"{root}/contact/{conversation['id']}")
    visitor.choose(main.get_by_role("radio"), 3)
    visitor.press(main.get_by_role("button", name=T["contact.rate.send"]))
    expect(main.get_by_role("status")).to_contain_text(T("contact.rated", stars=4))

    visitor.press(header.get_by_role("link", name=T["contact"]))
    visitor.press(header.get_by_role("link", name=T["sign_in.title"]))
    visitor.write(main.get_by_label(T["sign_in.email"]), "ada@example.com")
    visitor.press(main.get_by_role("button", name=T["sign_in.send"]))
    expect(main.get_by_label(T["sign_in_code.code"])).to_be_visible()
    visitor.write(main.get_by_label(T["sign_in_code.code"]), f"{(int(codes[0]) + 1) % 1_000_000:06}")
    visitor.press(main.get_by_role("button", name=T["sign_in.go"]))
    expect(main.get_by_role("alert")).to_have_text(T("sign_in_code.wrong", count=4))
    expect(main.get_by_label(T["sign_in_code.code"])).to_be_focused()
    visitor.write(main.get_by_label(T["sign_in_code.code"]), codes[0])
    visitor.press(main.get_by_role("button", name=T["sign_in.go"]))
    expect(page).to_have_url(f"{root}/contact")
    with working:
        Workers("search", "suggestion").run()
    # What they wrote before is theirs.
    visitor.press(header.get_by_role("link", name=T["contact"]))
    visitor.press(main.get_by_role("link", name="Where is my parcel?"))
    expect(main.locator("strong")).to_have_text("tomorrow")
    visitor.press(header.get_by_role("link", name=T["contact"]))
    expect(header.get_by_text("ada@example.com")).to_be_visible()
    visitor.press(header.get_by_role("button", name=T["signed_in.out"]))
    expect(header.get_by_role("link", name=T["sign_in.title"])).to_be_visible()
    expect(main.get_by_role("link", name="Where is my parcel?")).to_have_count(0)

    [post] = api.get("/v1/board/posts").body["posts"]
    assert (post["votes"], post["commentCount"]) == (1, 1)
    helpful = {each["title"]: each["helpful"] for each in api.get("/v1/site/articles").body["articles"]}
    assert helpful == {"Refunds": 1, "Parcels": 0}
    found = api.get(f"/v1/conversations/{conversation['id']}").body["conversation"]
    assert (found["customer"]["email"], found["rating"]) == ("ada@example.com", 4)
