"""The server of a chat widget with Flask: the page, and the five routes that its script calls.

    pip install flask httpx
    HELPDESK_URL=https://support.example.com HELPDESK_KEY=svc_key_… flask --app server run

The secret key stays on this server. A visitor is a random token in a cookie that scripts cannot read. Where your
visitors sign in, keep the token with their account instead, and send their name and e-mail address from there.
"""

import os
import re
import secrets
import time
from pathlib import Path
from typing import Any

import httpx
from flask import Flask, Response, request, send_from_directory

PAGE = Path(__file__).resolve().parents[1] / "widget_page"
COOKIE = (
    "__Host-helpdesk"  # a browser takes it over https only (and from this machine), and from no other host
)
SETTINGS_FOR = 300  # seconds
YEAR = 31_536_000  # seconds

helpdesk = httpx.Client(
    base_url=os.environ["HELPDESK_URL"],
    headers={"authorization": f"Bearer {os.environ['HELPDESK_KEY']}"},
    timeout=30,  # seconds; a request for news waits for 20
)
app = Flask(__name__, static_folder=None)
app.config["MAX_CONTENT_LENGTH"] = 4_400_000  # bytes: what Helpdesk takes in one request
CACHED_LANGUAGES = 100  # a visitor chooses the header, so it must not fill the memory
cached: dict[str, tuple[float, bytes]] = {}


def call(method: str, path: str, **sent: Any) -> Response:
    """Call Helpdesk, and return its response with its status. What only concerns this server stays here."""
    try:
        answer = helpdesk.request(method, f"/v1/{path}", **sent)
    except httpx.HTTPError:
        app.logger.exception("no response from Helpdesk")
        return unavailable()
    if answer.status_code in {401, 403} or answer.status_code >= 500:
        app.logger.error("%s %s: %s %s", method, path, answer.status_code, answer.text)
        return unavailable()
    response = Response(answer.content, answer.status_code, content_type="application/json")
    if "retry-after" in answer.headers:
        response.headers["retry-after"] = answer.headers["retry-after"]
    return response


def unavailable() -> Response:
    """Return an error that says nothing about this server."""
    message = "The chat is not available at the moment. Try again later."
    return Response(
        f'{{"error": {{"code": "unavailable", "message": "{message}"}}}}', 502, mimetype="application/json"
    )


def session() -> str | None:
    """Return the visitor's token, if they have one."""
    token = request.cookies.get(COOKIE, "")
    return token if re.fullmatch(r"[\w-]{43}", token, re.ASCII) else None


def fields() -> dict[str, Any]:
    """Return the JSON object that the page sent. Other content types are refused, as forms of other sites send them."""
    sent = request.get_json()
    return sent if isinstance(sent, dict) else {}


@app.get("/widget/settings")
def get_settings() -> Response:
    """Return the widget's settings, with its texts in the language of the visitor's browser."""
    language = request.headers.get("accept-language", "")[:200]
    until, body = cached.get(language, (0.0, b""))
    if time.monotonic() > until:
        answer = call("GET", "widget/settings", params={"language": language})
        if answer.status_code != 200:
            return answer
        body = answer.get_data()
        if len(cached) >= CACHED_LANGUAGES:
            cached.clear()
        cached[language] = (time.monotonic() + SETTINGS_FOR, body)
    return Response(body, mimetype="application/json")


@app.get("/widget/thread")
def get_thread() -> Response:
    """Return the visitor's thread, or what is newer than `after`."""
    token = session()
    if token is None:
        return Response('{"conversations": []}', mimetype="application/json")
    after = {"after": request.args["after"]} if "after" in request.args else {}
    return call("GET", "messages", params={"session": token, **after})


@app.post("/widget/messages")
def send_message() -> Response:
    """Send a message. The first one creates the visitor's session."""
    sent, token = fields(), session() or secrets.token_urlsafe(32)
    message: dict[str, Any] = {
        "session": token,
        "body": sent.get("body"),
        "attachments": sent.get("attachments"),
    }
    if sent.get("email"):
        message["user"] = {"email": sent["email"]}
    if request.referrer:
        message["page"] = {"url": request.referrer}
    key = {name: request.headers[name] for name in ("idempotency-key",) if name in request.headers}
    response = call("POST", "messages", json=message, headers=key)
    if response.status_code == 200:
        response.set_cookie(
            COOKIE, token, max_age=YEAR, secure=True, httponly=True, samesite="Strict", path="/"
        )
    return response


@app.post("/widget/uploads")
def upload() -> Response:
    """Upload a file of a message that is about to be sent."""
    # JSON would announce a large file instead.
    media_type = "text/plain" if request.is_json else request.content_type or "application/octet-stream"
    name = request.args.get("name", "file")
    return call(
        "POST",
        "uploads",
        params={"name": name},
        content=request.get_data(),
        headers={"content-type": media_type},
    )


@app.post("/widget/rating")
def rate() -> Response:
    """Rate a resolved conversation of the visitor."""
    sent = fields()
    chosen = {name: sent.get(name) for name in ("conversationId", "stars", "note")}
    return call("POST", "messages/rating", json={"session": session() or "", **chosen})


@app.get("/")
@app.get("/<any('widget.js', 'widget.css', 'markdown.js'):name>")
def page(name: str = "index.html") -> Response:
    """Return the page and its files."""
    return send_from_directory(PAGE, name)


@app.after_request
def protect(response: Response) -> Response:
    """Let the page load only what is this server's own, so that no text in it can load or run anything."""
    response.headers["content-security-policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
    response.headers["x-content-type-options"] = "nosniff"
    if request.path.startswith("/widget/"):
        response.headers["cache-control"] = "no-store"
    return response
