"""The chat widget: its script, who may show its frame, its cookie, and what is unread."""

import gzip
import json
import re
from typing import Any

import pytest

from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from tests.support.api import Client
from tests.support.rules import for_each
from tests.support.site import Page
from tests.support.site_browser import SiteBrowser

SHOP = "https://shop.example.com"


@pytest.fixture
def frame(api: Client) -> SiteBrowser:
    """A frame on a page of the shop, whose organization shows no help site."""
    return frame_on(api)


def frame_on(api: Client, **changed: Any) -> SiteBrowser:
    answer = api.patch("/v1/site", {"widgetOrigins": [SHOP], **changed})
    assert answer.status == 200, answer.body
    return SiteBrowser(answer.body["url"].rstrip("/"))


def written(frame: SiteBrowser, body: str = "My parcel is lost", **typed: str) -> str:
    """Write to the team; return the path of the conversation."""
    frame.open("/widget?all=1")
    page = press(frame, body=body, **typed)
    assert page.status == 303, page.text
    return page.headers["location"].removeprefix(frame.root).partition("?")[0]


def press(frame: SiteBrowser, **typed: str) -> Page:
    """Send the form for a message; the response as it comes."""
    form = frame.page.one("#write form")
    fields = {
        str(each.attributes["name"]): str(each.attributes.get("value") or "")
        for each in form.css("input[name]")
    }
    return frame.send(str(form.attributes["action"]), {**fields, **typed})


def unread(frame: SiteBrowser, state: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(frame.open(f"/widget/unread?state={state}").text)
    return found


def config_of(script: Page) -> dict[str, Any]:
    """Return the values in the script."""
    found = re.search(r"(?m)^const \{ root.*? = (\{.*\});$", script.text)
    assert found is not None, script.text[:300]
    values: dict[str, Any] = json.loads(found[1])
    return values


def test_an_origin_is_kept_as_browsers_write_it_and_once(api: Client) -> None:
    sent = [
        "https://Shop.Example.com/",
        SHOP,
        "https://shop.example.com:443",
        "https://shop.example.com:8443",
    ]

    answer = api.patch("/v1/site", {"widgetOrigins": sent})

    assert answer.body["widgetOrigins"] == [SHOP, "https://shop.example.com:8443"]
    assert api.patch("/v1/site", {"widgetOrigins": None}).body["widgetOrigins"] == []


@for_each(
    "origin",
    [
        *(
            "shop.example.com",
            "//shop.example.com",
            "ftp://shop.example.com",
            "javascript:alert(1)",
            "null",
            "*",
            "",
        ),
        *("http://shop.example.com", "https://*.example.com", "https://a.example, https://b.example"),
        *("https://shop.example.com/path", "https://shop.example.com?a=1", "https://shop.example.com/#x"),
        *("https://user@shop.example.com", "https://a.example;script-src", "https://shop.example.com."),
        *("https://läden.example", "https://[::1]", "https://" + "a" * 260 + ".example"),
        *("http://localhost:3000", "http://127.0.0.1"),
    ],
)
def test_what_is_no_origin_is_refused_by_its_name(api: Client, origin: str) -> None:
    answer = api.patch("/v1/site", {"widgetOrigins": [origin]})

    assert (answer.status, answer.code) == (400, "invalid_request"), origin
    assert "`widgetOrigins[0]`" in answer.message


def test_pages_of_this_machine_may_show_it_on_the_local_stage(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAGE", "local")
    monkeypatch.setenv("ALLOW_LOOPBACK_URLS", "true")
    settings.cache_clear()

    answer = api.patch("/v1/site", {"widgetOrigins": ["http://localhost:3000", "http://127.0.0.1:80"]})

    assert answer.body["widgetOrigins"] == ["http://localhost:3000", "http://127.0.0.1"]
    assert api.patch("/v1/site", {"widgetOrigins": ["http://10.0.0.1"]}).status == 400


def test_there_are_at_most_20_origins(api: Client) -> None:
    origins = [f"https://shop-{number}.example.com" for number in range(21)]

    assert "at most 20" in api.patch("/v1/site", {"widgetOrigins": origins}).message
    assert api.patch("/v1/site", {"widgetOrigins": origins[:20]}).status == 200


def test_without_an_origin_there_is_no_frame_and_the_script_says_so(api: Client) -> None:
    frame = frame_on(api, enabled=True, widgetOrigins=[])

    assert frame.open("/widget").status == 404
    assert frame.page.headers["x-frame-options"] == "DENY"
    assert config_of(frame.open("/widget.js"))["origins"] == []


def test_only_the_listed_origins_may_frame_the_widget_and_none_the_site(api: Client) -> None:
    other = "https://app.example.com"
    frame = frame_on(api, enabled=True, widgetOrigins=[SHOP, other])
    for path in ("/widget", "/widget?closed=1", written(frame), "/widget/conv_0"):
        headers = frame.open(path).headers
        assert f"frame-ancestors {SHOP} {other}" in headers["content-security-policy"].split("; ")
        assert "x-frame-options" not in headers

    for path in ("/contact", "/", "/sign-in"):
        assert "frame-ancestors 'none'" in frame.open(path).headers["content-security-policy"]


def test_the_script_has_at_most_4_kb_whatever_the_title_is(api: Client) -> None:
    title = "</script>\"`${x}'\\ __STYLE__" + "Ж" * 40
    frame = frame_on(api, title=title, language="de")
    assert api.patch("/v1/site/appearance", {"accent": "#b5179e", "scheme": "dark"}).status == 200

    script = frame.open("/widget.js")

    assert len(gzip.compress(script.text.encode(), 4)) <= 4_096
    assert config_of(script)["name"] == title
    assert config_of(script)["texts"]["open"] == "Mit uns chatten"
    assert "color-scheme: dark !important" in script.text
    assert "--accent: #b5179e; --on: #ffffff" in script.text


def test_the_script_can_be_loaded_by_any_page_and_is_kept_for_minutes(frame: SiteBrowser) -> None:
    headers = frame.open("/widget.js").headers

    assert headers["cross-origin-resource-policy"] == "cross-origin"
    assert headers["cache-control"] == "public, max-age=300, stale-while-revalidate=86400"
    assert headers["vary"] == "accept-language, accept-encoding"
    assert "set-cookie" not in headers
    assert config_of(frame.open("/widget.js", accept_language="fr"))["texts"]["open"] == "Discuter avec nous"


def test_the_frame_has_a_cookie_of_its_own_for_each_site_around_it(api: Client) -> None:
    frame = frame_on(api, enabled=True)
    name, _, rules = frame.open("/widget").headers["set-cookie"].partition("=")

    assert name == "__Secure-helpdesk-widget"
    assert rules.split("; ")[1:] == [
        f"Path=/local/site/{frame.root.rpartition('/')[2]}",
        "Max-Age=43200",
        "HttpOnly",
        "SameSite=None",
        "Secure",
        "Partitioned",
    ]
    path = written(frame)
    assert "Partitioned" in frame.page.headers["set-cookie"]
    assert frame.open("/contact" + path.removeprefix("/widget")).status == 404


def test_a_form_counts_only_with_the_token_of_its_browser_and_from_the_site(frame: SiteBrowser) -> None:
    frame.open("/widget")
    form = {
        each.attributes["name"]: each.attributes["value"]
        for each in frame.page.html.css("#write input[name]")
    }
    fields = {str(name): str(value) for name, value in form.items()} | {"body": "Hello"}

    assert frame.send("/widget", {**fields, "csrf": "0" * 64}).status == 403
    assert frame.send("/widget", fields, **{"sec-fetch-site": "cross-site"}).status == 403
    assert frame.send("/widget", fields, **{"sec-fetch-site": "same-site"}).status == 403
    assert frame.send("/widget", fields).status == 303


def test_a_message_says_which_page_it_was_written_on(api: Client, frame: SiteBrowser) -> None:
    page = {"url": f"{SHOP}/ferns?session=secret", "title": "Boston fern"}
    path = written(frame, page=json.dumps(page))

    shown = api.get(f"/v1/conversations/{path.rpartition('/')[2]}").body["conversation"]

    assert (shown["page"]["url"], shown["page"]["title"]) == (f"{SHOP}/ferns", "Boston fern")
    assert shown["channel"] == "site"


@pytest.mark.parametrize("page", ["", "{", "[]", '{"url": "javascript:alert(1)"}', '{"url": 7}'])
def test_a_page_that_is_none_is_not_in_the_way_of_a_message(
    api: Client, frame: SiteBrowser, page: str
) -> None:
    path = written(frame, page=page)

    shown = api.get(f"/v1/conversations/{path.rpartition('/')[2]}").body["conversation"]

    assert shown["page"]["url"] == f"{frame.root}/contact"


def test_the_panel_shows_the_open_conversation_and_lists_all(api: Client, frame: SiteBrowser) -> None:
    first = written(frame, "My parcel is lost")
    api.post(f"/v1/conversations/{first.rpartition('/')[2]}/resolve", {})
    assert frame.open("/widget").words("legend") == "How was it?"
    second = written(frame, "Where is it?")

    assert frame.open("/widget").one("#conversation").attributes["data-address"] == (
        f"/local/site/{frame.root.rpartition('/')[2]}{second}"
    )
    assert frame.open("/widget?all=1").words(".listed li:first-child").startswith("Where is it? Open")
    assert len(frame.page.html.css(".listed li")) == 2


def test_a_resolved_conversation_makes_room_for_a_new_one_a_day_later(
    api: Client, frame: SiteBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(frame)
    api.post(f"/v1/conversations/{path.rpartition('/')[2]}/resolve", {})

    later = clock.now_ms() + 24 * 3_600_000
    monkeypatch.setattr(clock, "now_ms", lambda: later)

    assert frame.open("/widget").words("main h2") == "How can we help?"


def test_what_is_unread_is_counted_without_counting_as_read(api: Client, frame: SiteBrowser) -> None:
    path = written(frame)
    conversation = f"/v1/conversations/{path.rpartition('/')[2]}"
    assert unread(frame)["count"] == 0
    for body in ("Tina here.", "It **arrives** [tomorrow](https://example.com/). " + "x" * 300):
        api.post(f"{conversation}/reply", {"body": body})

    found = unread(frame)

    assert (found["count"], len(found["latest"]["text"])) == (2, 200)
    assert found["latest"]["text"].startswith("It arrives tomorrow. xxx")
    assert unread(frame)["count"] == 2
    assert unread(frame, found["state"]) == {"state": found["state"]}
    frame.open(path)
    assert unread(frame, found["state"])["count"] == 0


def test_a_note_is_not_unread_and_a_preview_can_be_off(api: Client, frame: SiteBrowser) -> None:
    conversation = f"/v1/conversations/{written(frame).rpartition('/')[2]}"
    api.post(f"{conversation}/note", {"body": "For the team"})
    assert unread(frame)["count"] == 0
    api.post(f"{conversation}/reply", {"body": "Tina here."})
    assert api.patch("/v1/agent", {"messagePreview": False}).status == 200

    found = unread(frame)

    assert (found["count"], found["latest"]) == (1, None)


def test_who_never_wrote_has_nothing_unread(frame: SiteBrowser) -> None:
    assert unread(frame) == {"state": "none", "count": 0, "latest": None}
    frame.open("/widget")
    assert unread(frame)["count"] == 0


def test_the_first_message_needs_an_address_if_the_organization_wants_one(
    api: Client, frame: SiteBrowser
) -> None:
    assert frame.open("/widget").html.css("#email") == []
    assert api.patch("/v1/agent", {"requireEmail": True}).status == 200
    assert "required" in frame.open("/widget").one("#email").attributes

    path = written(frame, email="ada@example.com")

    assert frame.open("/widget?all=1").html.css("#email") == []
    shown = api.get(f"/v1/conversations/{path.rpartition('/')[2]}").body["conversation"]
    assert shown["customer"]["email"] == "ada@example.com"


def test_a_conversation_in_the_widget_is_its_visitors_alone(api: Client, frame: SiteBrowser) -> None:
    path = written(frame)
    other = SiteBrowser(frame.root)
    other.open("/widget")

    for each in (path, f"{path}/state"):
        assert other.open(each).status == 404
    assert other.send(path, {"body": "Hello"}).status == 404
    assert other.send(f"{path}/rating", {"stars": "5"}).status == 404


def test_a_visitor_rates_in_the_widget(api: Client, frame: SiteBrowser) -> None:
    path = written(frame)
    api.post(f"/v1/conversations/{path.rpartition('/')[2]}/resolve", {})
    form = frame.open(path).one("form.rating")
    token = str(form.css("input[name=csrf]")[0].attributes["value"])

    page = frame.send(f"{path}/rating", {"csrf": token, "stars": "4"})

    assert page.headers["location"] == frame.root + path
    assert "4 of 5" in frame.open(path).words("#standing")


def test_a_rating_that_is_refused_says_why(api: Client, frame: SiteBrowser) -> None:
    path = written(frame)
    token = str(frame.open(path).one("#write input[name=csrf]").attributes["value"])

    def said(**rating: str) -> tuple[int, str]:
        page = frame.send(f"{path}/rating", {"csrf": token, **rating})
        return page.status, page.words("#problem")

    assert said(stars="4") == (400, "This conversation cannot be rated now.")
    api.post(f"/v1/conversations/{path.rpartition('/')[2]}/resolve", {})
    assert said(stars="9") == (400, "Choose 1 to 5 stars.")
    assert said(stars="4", note="x" * 2_001) == (400, "This is too long. It can have 2000 characters.")


def test_a_conversations_page_gets_a_token_for_live_updates(
    api: Client, frame: SiteBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIVE_URL", "wss://live.example.com/prod")
    settings.cache_clear()
    path = written(frame)
    page = frame.open(path)
    csrf = str(page.one("html").attributes["data-csrf"])
    [policy] = [each for each in page.headers["content-security-policy"].split("; ") if "connect" in each]
    assert policy == "connect-src 'self' wss://live.example.com"

    answers = [frame.send(f"{path}/live", {"csrf": csrf}) for _ in range(2)]

    assert [each.status for each in answers] == [200, 200]
    found = json.loads(answers[0].text)
    assert (found["url"], found["token"].startswith("svc_live_")) == ("wss://live.example.com/prod", True)
    assert frame.send(f"{path}/live", {"csrf": "0" * 64}).status == 403
    other = SiteBrowser(frame.root)
    csrf = str(other.open("/widget").one("html").attributes["data-csrf"])
    assert other.send(f"{path}/live", {"csrf": csrf}).status == 404


def uploaded(frame: SiteBrowser, content: str, **headers: str) -> Page:
    """Upload a file, as the frame's script does; the response as it comes."""
    csrf = str(frame.open("/widget").one("html").attributes["data-csrf"])
    own = {"content-type": "text/plain", "x-csrf": csrf, "sec-fetch-site": "same-origin", **headers}
    return frame.ask("POST", "/widget/files?name=order.txt", content, own)


def test_a_visitor_attaches_a_file(api: Client, frame: SiteBrowser) -> None:
    file = json.loads(uploaded(frame, "Two ferns").text)

    path = written(frame, "", files=json.dumps([file]))

    [message] = api.get(f"/v1/conversations/{path.rpartition('/')[2]}").body["messages"]
    assert [each["name"] for each in message["attachments"]] == ["order.txt"]
    assert frame.open(path).words(".own .file") == "order.txt"


def test_a_file_that_is_refused_is_so_in_the_visitors_words(frame: SiteBrowser) -> None:
    frame.open("/widget", accept_language="de")
    assert uploaded(frame, "Two ferns", **{"x-csrf": "0" * 64}).status == 403
    assert uploaded(frame, "Two ferns", **{"sec-fetch-site": "cross-site"}).status == 403
    empty = uploaded(frame, "", **{"accept-language": "de"})
    assert (empty.status, json.loads(empty.text)) == (400, {"problem": "Diese Datei ist leer oder zu groß."})
    page = {"content-type": "image/svg+xml"}
    svg = json.loads(uploaded(frame, "<svg xmlns='http://www.w3.org/2000/svg'/>", **page).text)

    for files, said in (
        ([svg], "Files of this type cannot be sent."),
        ([{**svg, "id": "file_" + "7" * 26}], "An attached file is no longer available."),
        ([svg] * 7, "You have attached too many files."),
    ):
        frame.open("/widget?all=1")
        refused = press(frame, body="Look", files=json.dumps(files))
        assert refused.status == 400
        assert said in refused.words("#problem")
        assert refused.words("textarea") == "Look"
