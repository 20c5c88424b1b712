"""The headers of security and caching of every page: each route that is declared is asked for here."""

from typing import Any
from urllib.parse import urlencode

import pytest

from tests.support.api import Client, Context, function, gateway_event
from tests.support.site import FORM, opened

FUNCTIONS = ("site", "site_search", "site_sign_in")
GONE = "/articles/removed"
MOVED = "/articles/former"
SHOP = "https://shop.example.com"


@pytest.fixture
def paths(api: Client) -> dict[str, str]:
    """An address of each route, by the route's path."""
    opened(api, showBoard=True, widgetOrigins=[SHOP])
    folder = api.post("/v1/knowledge/folders", {"name": "Billing", "published": True}).body["id"]
    for title in ("Refunds", "Removed", "Former"):
        document = {"title": title, "body": "Five days.", "folderId": folder}
        made = api.post("/v1/knowledge/documents", document).body["id"]
        if title == "Removed":
            assert api.delete(f"/v1/knowledge/documents/{made}").status == 200
        if title == "Former":
            assert api.patch(f"/v1/knowledge/documents/{made}", {"slug": "present"}).status == 200
    post = api.post("/v1/board/posts", {"title": "Dark mode", "body": "Please"}).body["number"]
    return {
        "/": "/",
        "/folders/<name>": "/folders/billing",
        "/articles/<name>": "/articles/refunds",
        "/articles/<name>/images/<image>": "/articles/refunds/images/0",
        "/articles/<name>/rating": "/articles/refunds/rating",
        "/search": "/search?q=refunds",
        "/search/titles": "/search/titles?q=refunds",
        "/board": "/board",
        "/board/roadmap": "/board/roadmap",
        "/board/sent": "/board/sent",
        "/board/new": "/board/new",
        "/board/<post>": f"/board/{post}",
        "/board/<post>/vote": f"/board/{post}/vote",
        "/board/<post>/comments": f"/board/{post}/comments",
        "/contact": "/contact",
        "/contact/<conversation_id>": "/contact/cnv_0",
        "/contact/<conversation_id>/state": "/contact/cnv_0/state",
        "/contact/<conversation_id>/live": "/contact/cnv_0/live",
        "/contact/<conversation_id>/rating": "/contact/cnv_0/rating",
        "/widget.js": "/widget.js",
        "/widget": "/widget",
        "/widget/unread": "/widget/unread",
        "/widget/files": "/widget/files",
        "/widget/<conversation_id>": "/widget/cnv_0",
        "/widget/<conversation_id>/state": "/widget/cnv_0/state",
        "/widget/<conversation_id>/live": "/widget/cnv_0/live",
        "/widget/<conversation_id>/rating": "/widget/cnv_0/rating",
        "/rate/<token>": "/rate/none",
        "/unsubscribe/<token>": "/unsubscribe/none",
        "/unsubscribe/<token>/undo": "/unsubscribe/none/undo",
        "/robots.txt": "/robots.txt",
        "/sitemap.xml": "/sitemap.xml",
        "/llms.txt": "/llms.txt",
        "/assets/<name>": "/assets/paper.000000000000.css",
        "/css/<name>": "/css/000000000000000000000000.css",
        "/sign-in": "/sign-in",
        "/sign-in/code": "/sign-in/code",
        "/sign-in/go": "/sign-in/go",
        "/sign-in/return": "/sign-in/return",
        "/sign-in/finish": "/sign-in/finish",
        "/sign-in/callback": "/sign-in/callback?code=x&state=y",
        "/sign-in/widget": "/sign-in/widget",
        "/sign-in/out": "/sign-in/out",
    }


def test_every_page_forbids_what_it_does_not_need_and_no_page_that_is_kept_sets_a_cookie(
    api: Client, paths: dict[str, str]
) -> None:
    slug = str(api.get("/v1/site").body["url"]).split("/")[-2]
    asked = [
        (name, route.method, paths[route.path], route.of_widget)
        for name in FUNCTIONS
        for route in function(name).pages.routes
    ]
    asked += [("site", "GET", path, False) for path in ("/nowhere", GONE, MOVED, "/articles/refunds.md")]

    seen: dict[int, int] = {}
    for name, method, path, of_widget in asked:
        status, headers = _answer(name, method, f"/site/{slug}{path}")
        seen[status] = seen.get(status, 0) + 1
        wrong = ["cross-origin-resource-policy"] if path == "/widget.js" else []
        assert _wrong(headers, SHOP if of_widget else "'none'") == wrong, f"{method} {path}: {headers}"
        assert method == "GET" or headers["cache-control"] == "no-store", path
    # Pages, redirects, a moved and a removed article, forms that are refused.
    assert {200, 301, 303, 307, 404, 410} <= set(seen)


def test_a_site_that_does_not_exist_has_the_same_headers(api: Client) -> None:
    status, headers = _answer("site", "GET", "/site/nobody-here/")

    assert status == 404
    assert _wrong(headers) == []


def _answer(name: str, method: str, path: str) -> tuple[int, dict[str, str]]:
    sent = {"content-type": FORM, "sec-fetch-site": "same-origin", "origin": "https://api.example.test"}
    body = urlencode({"body": "x"}) if method == "POST" else None
    event = gateway_event(method, path, body=body, headers=sent if body else {})
    event["requestContext"]["identity"] = {"sourceIp": "203.0.113.7"}
    raw: dict[str, Any] = function(name).handler(event, Context())
    return raw["statusCode"], {name.lower(): values[-1] for name, values in raw["multiValueHeaders"].items()}


def _wrong(headers: dict[str, str], ancestors: str = "'none'") -> list[str]:
    """Return what an answer allows that it should not; `ancestors` are who may show it in a frame."""
    policy = {each.split()[0]: each.split()[1:] for each in headers["content-security-policy"].split("; ")}
    fixed = {
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY" if ancestors == "'none'" else None,
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "strict-transport-security": "max-age=31536000",
    }
    found = [name for name, value in fixed.items() if headers.get(name) != value]
    directives = {
        "default-src": "'none'",
        "base-uri": "'none'",
        "frame-ancestors": ancestors,
        "form-action": "'self'",
        "style-src": "'self'",
    }
    found += [name for name, value in directives.items() if policy.get(name) != [value]]
    if policy.get("script-src", ["'self'"]) != ["'self'"]:
        found.append("script-src")
    if len(policy) != len(headers["content-security-policy"].split("; ")):
        found.append("a directive twice")
    if headers["referrer-policy"] not in {"strict-origin-when-cross-origin", "no-referrer"}:
        found.append("referrer-policy")
    if "set-cookie" in headers and headers["cache-control"] != "no-store":
        found.append("a cookie that is kept")
    if "cache-control" not in headers:
        found.append("cache-control")
    return found
