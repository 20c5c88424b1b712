"""The page of a conversation in a browser: news arrive by themselves, and looking for them is polite."""

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from helpdesk.platform.settings import settings
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

# What the page's own elements are, or were, found by.
ANSWER = """## Standing

## Thread

## Write

## Note

## Body {#body}

## Conversation

<h2 id="standing">By hand</h2>

It arrives **tomorrow**.
"""
T = texts_in("en")

# Counts the looks for news, and knows when what follows one is done. The body is here before
# the page asks for it, because reading a stream takes as many tasks as the machine is busy.
WATCH = """(() => {
  const real = window.fetch;
  const hop = () => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  });
  let flying = 0;
  window.looks = 0;
  window.landed = async () => { do await hop(); while (flying); };
  window.fetch = async (address, options) => {
    flying += 1;
    if (address.endsWith("/state")) window.looks += 1;
    try {
      const answer = await real(address, options);
      const text = await answer.text();
      return Object.assign(answer, { text: async () => text, json: async () => JSON.parse(text) });
    } finally {
      hop().then(() => { flying -= 1; });
    }
  };
})();"""
LIVE = "wss://live.example.com/prod"
SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000


@dataclass
class Thread:
    """A visitor's open page with one message, which the agent has not read yet."""

    page: Page
    api: Client
    lock: threading.RLock
    sockets: list[WebSocketRoute]

    @property
    def path(self) -> str:
        """The path of the conversation in the API."""
        return "/v1/conversations/" + self.page.url.rpartition("/")[2].partition("?")[0]

    def do(self, verb: str, **body: object) -> None:
        """Let the team do something with the conversation."""
        with self.lock:
            assert self.api.post(f"{self.path}/{verb}", body).status == 200

    def pass_time(self, milliseconds: int) -> int:
        """Let time pass on the page; return how often it looks for news then."""
        before: int = self.page.evaluate("window.looks")
        self.page.clock.fast_forward(milliseconds)
        self.page.evaluate("window.landed()")
        after: int = self.page.evaluate("window.looks")
        return after - before

    def hide(self, *, hidden: bool = True) -> None:
        """Bring another tab to the front, or this one again."""
        self.page.evaluate(
            """(hidden) => {
              Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
              document.dispatchEvent(new Event("visibilitychange"));
            }""",
            hidden,
        )


@pytest.fixture
def thread(
    chromium: Browser,
    host: str,
    api: Client,
    working: threading.RLock,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Thread]:
    """A page of a conversation whose clock the test moves; nothing may go wrong on it unseen.

    A test's parameter is where live connections are opened, which the test then answers.
    """
    with_a_model(monkeypatch)
    monkeypatch.setenv("LIVE_URL", getattr(request, "param", ""))
    settings.cache_clear()
    root = f"{host}/site/{opened(api, language='en').slug}"
    with chromium.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(20_000)
        said: list[str] = []
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda each: said.append(each.text) if each.type == "error" else None)
        page.clock.install(time=0)
        page.clock.pause_at(HOUR)
        page.add_init_script(WATCH)
        sockets: list[WebSocketRoute] = []
        page.route_web_socket(re.compile(f"^{re.escape(LIVE)}"), lambda each: sockets.append(each))  # noqa: PLW0108 - Playwright sets attributes of it
        page.goto(f"{root}/contact")
        page.get_by_label(T["contact.message"]).fill("Where is my parcel?")
        page.get_by_role("button", name=T["contact.send"]).click()
        expect(page.locator(".thread li")).to_have_count(1)
        page.wait_for_load_state()  # until then its script may not have run
        yield Thread(page, api, working, sockets)
        assert [each for each in said if "status of" not in each] == []


def test_an_answer_arrives_by_itself_whatever_its_headings_are(thread: Thread) -> None:
    page = thread.page
    page.evaluate("window.before = 1")
    standing = page.locator("#standing")
    expect(page.get_by_label(T["contact.reply"])).to_be_visible()
    expect(standing).to_have_text(T["contact.awaits_answer"])
    page.get_by_label(T["contact.reply"]).fill("One more thing")

    with thread.lock, scripted(says(ANSWER)):
        Workers("search", "suggestion").run()
    assert thread.pass_time(MINUTE) == 1
    expect(page.locator(".thread .prose strong")).to_have_text("tomorrow")
    expect(page.locator(".thread .prose h2")).to_have_count(7)
    expect(standing).to_have_text("")
    expect(page.get_by_label(T["contact.reply"])).to_have_value("One more thing")

    thread.do("reply", body="Tina here.")
    thread.do("resolve")
    assert thread.pass_time(MINUTE) == 1
    expect(page.locator(".thread li")).to_have_count(3)
    expect(standing).to_have_text(T["contact.is_resolved"])
    page.get_by_label(T.count("contact.stars", 4)).check()
    assert page.evaluate("window.before") == 1
    page.get_by_role("button", name=T["contact.rate.send"]).click()
    expect(standing).to_contain_text(T("contact.rated", stars=4))


@pytest.mark.parametrize("thread", [LIVE], indirect=True)
def test_a_live_connection_brings_an_answer_at_once_and_nobody_looks_meanwhile(thread: Thread) -> None:
    page = thread.page
    page.wait_for_function("window.looks === 1")  # once after it is open
    [socket] = thread.sockets
    assert thread.pass_time(MINUTE) == 0

    thread.do("reply", body="Tina here.")
    socket.send('{"type": "typing", "conversationId": "conv_0"}')
    expect(page.locator("#typing")).to_be_visible()
    socket.send('{"type": "message", "conversationId": "conv_0", "messageId": "msg_0"}')
    expect(page.get_by_text("Tina here.")).to_be_visible()
    expect(page.locator("#typing")).to_be_hidden()

    socket.close()
    page.wait_for_function("document.querySelectorAll('.thread > li').length === 2")
    assert thread.pass_time(MINUTE) > 0


def test_what_someone_types_stays_while_messages_arrive(thread: Thread) -> None:
    page = thread.page
    thread.do("resolve")
    assert thread.pass_time(MINUTE) == 1
    page.get_by_label(T.count("contact.stars", 2)).check()
    page.get_by_label(T["contact.note"]).fill("It took")

    thread.do("reply", body="One thing more")
    assert thread.pass_time(MINUTE) == 1

    expect(page.locator(".thread li")).to_have_count(2)
    expect(page.get_by_label(T["contact.note"])).to_have_value("It took")


def test_a_hidden_page_does_not_look_and_one_that_comes_back_does_not_look_at_each_change(
    thread: Thread,
) -> None:
    assert thread.pass_time(3 * SECOND) == 1
    thread.hide()
    assert thread.pass_time(10 * MINUTE) == 0
    thread.do("reply", body="Tina here.")

    for hidden in (False, True, False):
        thread.hide(hidden=hidden)

    assert thread.pass_time(0) == 1
    expect(thread.page.get_by_text("Tina here.")).to_be_visible()
    for _ in range(3):
        thread.hide()
        thread.hide(hidden=False)
        assert thread.pass_time(SECOND - 1) == 0
    assert thread.pass_time(3) == 1


def test_the_pauses_grow_and_after_an_hour_without_news_it_stops(thread: Thread) -> None:
    assert sum(thread.pass_time(5 * SECOND) for _ in range(12)) == 5
    assert [thread.pass_time(MINUTE) for _ in range(4)] == [1] * 4
    assert [thread.pass_time(59 * SECOND), thread.pass_time(SECOND)] == [0, 1]
    assert [thread.pass_time(53 * MINUTE), thread.pass_time(2 * MINUTE)] == [1, 1]
    assert thread.pass_time(HOUR) == 0


def test_a_busy_server_is_asked_again_when_it_says(thread: Thread) -> None:
    def refuse(route: Route) -> None:
        route.fulfill(status=429, headers={"retry-after": "600"})

    thread.page.route("**/state", refuse)
    assert thread.pass_time(3 * SECOND) == 1
    thread.page.unroute("**/state")
    thread.hide()
    thread.hide(hidden=False)
    assert thread.pass_time(590 * SECOND) == 0
    assert thread.pass_time(10 * SECOND) == 1


def test_a_conversation_that_is_not_the_visitors_any_more_is_not_asked_for_again(thread: Thread) -> None:
    thread.page.context.clear_cookies()
    assert thread.pass_time(3 * SECOND) == 1
    thread.hide()
    thread.hide(hidden=False)
    assert thread.pass_time(HOUR) == 0
