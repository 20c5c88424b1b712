"""The example widgets in a browser: a visitor asks, gets answers of the agent and a teammate, and rates.

The servers run as a customer would start them. What they call are the real handlers, behind a server on loopback.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.clients.example_server import EXAMPLES, Server, express_folder
from tests.support.api import Client
from tests.support.chromium import chromium as chromium  # noqa: PLC0414 - a fixture
from tests.support.chromium import installed, served
from tests.support.node import node
from tests.support.workers import Workers

pytestmark = installed

DOCUMENT = """## How do I get a refund?

Write to **us** within 14 days:

1. Open `Orders`.
2. Follow [the form](https://shop.example/refunds).

[Run me](javascript:window.hacked=1) `<img src=x onerror="window.hacked=1">`
"""
ATTACK = '<img src=x onerror="window.hacked=1"> **refund**'


def flask_command() -> list[str]:
    return [
        sys.executable,
        "-m",
        "flask",
        "--app",
        str(EXAMPLES / "widget_flask" / "server"),
        "run",
        "--port",
        "0",
    ]


def express_command() -> list[str]:
    return [node(), str(express_folder("widget_express") / "server.mjs")]


@pytest.fixture
def one_at_a_time() -> threading.RLock:
    """A lock that handlers and workers hold, because moto has none."""
    return threading.RLock()


@pytest.fixture
def helpdesk_url(one_at_a_time: threading.RLock) -> Iterator[str]:
    """The address of the real handlers."""
    with served(one_at_a_time) as address:
        yield address


@contextmanager
def running(command: list[str], helpdesk_url: str, secret_key: str) -> Iterator[Server]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
        "HELPDESK_URL": helpdesk_url,
        "HELPDESK_KEY": secret_key,
        "PORT": "0",
        "PYTHONUNBUFFERED": "1",
    }
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    ) as process:
        server = Server(process)
        try:
            yield server
        finally:
            server.crash()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    page = context.new_page()
    page.set_default_timeout(20_000)
    expect.set_options(timeout=20_000)
    yield page
    context.close()


each_server = pytest.mark.parametrize("command", [flask_command, express_command], ids=["flask", "express"])


@each_server
def test_a_visitor_asks_gets_answers_and_rates(
    command: Callable[[], list[str]],
    page: Page,
    api: Client,
    organization: NewOrganization,
    helpdesk_url: str,
    one_at_a_time: threading.RLock,
    tmp_path: Path,
) -> None:
    words = command()
    photo = tmp_path / "photo.png"
    photo.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    received: list[str] = []
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("requestfinished", lambda request: received.append(request.url))
    with one_at_a_time:
        api.patch("/v1/agent", {"name": "Robin", "requireEmail": True})
        api.post("/v1/knowledge/documents", {"title": "Refunds", "body": DOCUMENT})
        workers = Workers("delivery", "retry", "mail", "outreach", "search")
        workers.run()

    with running(words, helpdesk_url, organization.secret_key) as server:
        page.goto(f"http://127.0.0.1:{server.port}/")
        expect(page.get_by_text("Robin")).to_be_visible()

        # The visitor writes, with a file. What they write is shown as they wrote it.
        page.get_by_label("E-mail address").fill("vera@example.com")
        page.get_by_label("Message", exact=True).fill(f"How do I get a refund? {ATTACK}")
        page.get_by_label("Files").set_input_files(photo)
        page.get_by_role("button", name="Send").click()
        thread = page.get_by_role("log")
        expect(thread.get_by_text(f"How do I get a refund? {ATTACK}")).to_be_visible()
        expect(thread.get_by_role("link", name="photo.png")).to_be_visible()
        expect(page.get_by_label("E-mail address")).to_be_hidden()
        [conversation] = api_now(one_at_a_time, api, "/v1/conversations")["conversations"]
        assert conversation["customer"]["email"] == "vera@example.com"
        assert conversation["page"]["url"] == f"http://127.0.0.1:{server.port}/"

        # The agent's Markdown becomes markup, and nothing in it runs.
        with one_at_a_time:
            workers.run()
        answer = thread.locator(".markdown")
        expect(answer.locator("strong")).to_contain_text(["us"])
        expect(answer.locator("ol > li > code")).to_have_text("Orders")
        expect(answer.get_by_role("link")).to_have_text("the form")
        expect(answer).to_contain_text('<img src=x onerror="window.hacked=1">')
        expect(thread.locator("img")).to_have_count(0)

        # A teammate's text is shown as written.
        path = f"/v1/conversations/{conversation['id']}"
        with one_at_a_time:
            api.post(f"{path}/reply", {"body": f"Hello from a person. {ATTACK}", "takeOver": True})
        expect(thread.get_by_text(f"Hello from a person. {ATTACK}")).to_be_visible()
        expect(thread.get_by_role("listitem").locator("strong")).to_have_count(
            answer.locator("strong").count()
        )

        # When it is resolved, the visitor rates it.
        with one_at_a_time:
            api.post(f"{path}/resolve")
        page.get_by_label("4", exact=True).check()
        page.get_by_label("Comment").fill("Quick!")
        page.get_by_role("button", name="Rate").click()
        expect(page.get_by_role("button", name="Rate")).to_be_hidden()
        assert api_now(one_at_a_time, api, path)["conversation"]["rating"] == 4

        # The thread is there again after a reload: the cookie has the session, and scripts cannot read it.
        page.reload()
        expect(thread.get_by_text("Hello from a person.")).to_be_visible()
        assert page.evaluate("document.cookie") == ""
        [cookie] = page.context.cookies()
        assert (cookie["httpOnly"], cookie["secure"], cookie["sameSite"]) == (True, True, "Strict")
        assert page.evaluate("window.hacked") is None
        assert [text for text in said if "favicon" not in text] == []
        assert organization.secret_key not in page.content()
        assert all(url.startswith(f"http://127.0.0.1:{server.port}/") for url in received)


@each_server
def test_a_visitor_reads_the_widget_in_the_language_of_their_browser(
    command: Callable[[], list[str]],
    chromium: Browser,
    api: Client,
    organization: NewOrganization,
    helpdesk_url: str,
    one_at_a_time: threading.RLock,
) -> None:
    own = {"widgetSend": {"de": "Abschicken"}, "refusalEmpty": {"de": "<b>Bitte</b> etwas schreiben."}}
    with one_at_a_time:
        api.patch("/v1/agent", {"texts": own})
    context = chromium.new_context(locale="de-AT")
    with running(command(), helpdesk_url, organization.secret_key) as server:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.port}/")
        page.get_by_role("button", name="Abschicken").click()

        expect(page.get_by_role("alert")).to_have_text("<b>Bitte</b> etwas schreiben.")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        expect(page.get_by_role("log")).to_have_attribute("aria-label", "Nachrichten")
        page.get_by_label("Nachricht", exact=True).fill("Wo ist meine Bestellung?")
        page.get_by_role("button", name="Abschicken").click()
        expect(page.get_by_role("log").get_by_text("Sie", exact=True)).to_be_visible()
        expect(page.locator("legend")).to_have_text("Wie zufrieden waren Sie mit uns?")
        # Each browser gets its own language of the server's stored settings.
        with httpx.Client(base_url=f"http://127.0.0.1:{server.port}") as visitor:
            for language, sent in [("de", "Abschicken"), ("fr-CA", "Envoyer"), ("xx", "Send")]:
                answer = visitor.get("/widget/settings", headers={"accept-language": language})
                assert answer.json()["texts"]["widgetSend"] == sent
    context.close()


HOSTILE = [
    "<script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "[a](javascript:window.hacked=1)",
    "[a](JaVaScRiPt:window.hacked=1)",
    "[a](java\tscript:window.hacked=1)",
    "[a](data:text/html,<script>window.hacked=1</script>)",
    "[a](//evil.example/)",
    '[a](https://ok.example/"onmouseover="window.hacked=1)',
    "![a](https://evil.example/pixel.png)",
    "`<b>`\n```\n<b>\n",
    "| <b> |\n- <b>\n1. <b>\n# <b>",
    "**" * 2000,
    "[" * 4000,
    "*a" * 2000,
    "`" * 4000,
]
SHOWN = [
    ("a **b** *c* `d*e*` \\*f\\*", "<p>a <strong>b</strong> <em>c</em> <code>d*e*</code> *f*</p>"),
    ("2 * 3 * 4\nsnake_case_name", "<p>2 * 3 * 4\nsnake_case_name</p>"),
    ("# T\n\n- a\n- **b**", "<p><strong>T</strong></p><ul><li>a</li><li><strong>b</strong></li></ul>"),
    ("```sh\n**x** <y>\n\n```\nend", "<pre><code>**x** &lt;y&gt;\n</code></pre><p>end</p>"),
    (
        "[the form](https://shop.example/a?b=c)",
        '<p><a href="https://shop.example/a?b=c" target="_blank" rel="noopener noreferrer">the form</a></p>',
    ),
]
RENDER = """async (source) => {
  const { rendered } = await import("/markdown.js");
  const node = document.createElement("div");
  node.append(rendered(source));
  document.body.append(node);
  return [node.innerHTML, [...node.querySelectorAll("*")].map((one) => [one.localName, one.getAttributeNames()])];
}"""


def test_markdown_of_the_agent_is_markup_and_nothing_else(
    page: Page, organization: NewOrganization, helpdesk_url: str
) -> None:
    safe = {"p", "pre", "code", "strong", "em", "ul", "ol", "li"}
    with running(flask_command(), helpdesk_url, organization.secret_key) as server:
        page.goto(f"http://127.0.0.1:{server.port}/")
        for source, markup in SHOWN:
            assert page.evaluate(RENDER, source)[0] == markup
        for source in HOSTILE:
            began = time.monotonic()
            for name, attributes in page.evaluate(RENDER, source)[1]:
                assert (name in safe and attributes == []) or (
                    name == "a" and set(attributes) == {"href", "target", "rel"}
                ), source
            assert time.monotonic() - began < 10, source[:10]  # what is not linear takes minutes
        for href in page.eval_on_selector_all("a", "(all) => all.map((one) => one.href)"):
            assert re.match(r"https://(shop|ok|evil)\.example/", href)
        assert page.evaluate("window.hacked") is None


@each_server
def test_the_server_passes_on_only_the_visitors_known_fields(
    command: Callable[[], list[str]], api: Client, organization: NewOrganization, helpdesk_url: str
) -> None:
    with (
        running(command(), helpdesk_url, organization.secret_key) as server,
        httpx.Client(base_url=f"http://127.0.0.1:{server.port}") as visitor,
    ):
        # Without a session there is no thread, and reading makes no session.
        assert visitor.get("/widget/thread").json() == {"conversations": []}
        assert visitor.cookies == {}
        # A form of another site can send no message.
        form = visitor.post("/widget/messages", data={"body": "Hello"})
        assert form.status_code in {400, 415}
        # The session is this server's to choose, and only known fields are passed on.
        sent = {
            "body": "Hello",
            "session": "session-of-another",
            "user": {"name": "Admin"},
            "attachments": [],
        }
        key = {"idempotency-key": "0b9c2f9e-5a58-4a5e-8f6e-000000000001"}
        first = visitor.post("/widget/messages", json=sent, headers=key)
        assert (first.status_code, "Secure" in first.headers["set-cookie"]) == (200, True)
        cookie = first.headers["set-cookie"].partition(";")[0]
        again = visitor.post("/widget/messages", json=sent, headers={**key, "cookie": cookie})
        assert again.json() == first.json()
        thread = visitor.get("/widget/thread", headers={"cookie": cookie})
        assert [len(one["messages"]) for one in thread.json()["conversations"]] == [1]
        assert thread.headers["cache-control"] == "no-store"
        assert api.get("/v1/messages?session=session-of-another").body == {"conversations": []}
        assert api.get("/v1/conversations").body["conversations"][-1]["customer"]["name"] is None
        # Helpdesk's refusals reach the visitor with their codes.
        empty = visitor.post("/widget/messages", json={"body": " "}, headers={"cookie": cookie})
        assert (empty.status_code, empty.json()["error"]["code"]) == (400, "empty_message")
        other = {"conversationId": first.json()["conversationId"], "stars": 5}
        assert visitor.post("/widget/rating", json=other).status_code == 400
        for path in ("/", "/widget.js", "/widget/settings"):
            answer = visitor.get(path)
            assert answer.status_code == 200
            assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert visitor.get("/server.py").status_code == visitor.get("/..%2fserver.mjs").status_code == 404


@each_server
def test_the_visitor_never_sees_details_of_a_wrong_key(
    command: Callable[[], list[str]], organization: NewOrganization, helpdesk_url: str
) -> None:
    wrong = organization.secret_key[:-1] + ("a" if organization.secret_key[-1] != "a" else "b")
    with running(command(), helpdesk_url, wrong) as server:
        answer = httpx.get(f"http://127.0.0.1:{server.port}/widget/settings")
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "unavailable")
        server.line("invalid_api_key")
        assert organization.secret_key[:-1] not in server.output() + answer.text


def api_now(lock: threading.RLock, api: Client, path: str) -> Any:
    with lock:
        answer = api.get(path)
    assert answer.status == 200, answer
    return answer.body
