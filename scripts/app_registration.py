"""Registers the GitHub App of a deployment: a page on this machine posts its manifest, and takes what comes back.

GitHub makes the App, its key and its secrets, and leads the browser back here with a code that it takes once, within an
hour. The page is on the loopback interface alone, and `state` keeps out a code that somebody else brings.
"""

import hmac
import json
import secrets
import time
from collections.abc import Mapping
from html import escape
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from helpdesk.integrations import client
from helpdesk.integrations.client import ServiceRequest, Unauthorized
from helpdesk.integrations.errors import OutcomeUnknown, TryLater
from helpdesk.integrations.github.app_identity import API, HOSTS, VERSION_HEADERS, WEB
from scripts.operator_errors import OperatorError

WAIT_SECONDS = 3_600
"""As long as GitHub takes the code."""
_POLL_SECONDS = 1.0
_BACK = "/registered"
_POLICY = "default-src 'none'; form-action https://github.com; frame-ancestors 'none'; base-uri 'none'"


class Registration:
    """A page that registers an App. `url` is its address; `credentials` waits for what `set-app` stores."""

    def __init__(self, manifest: Mapping[str, Any], owner: str | None, port: int) -> None:
        """Take a manifest, the organization of GitHub that is to own the App (a person's account if None), a port."""
        self.state = secrets.token_urlsafe(32)
        self._server = HTTPServer(("127.0.0.1", port), self._handler())
        self._server.timeout = _POLL_SECONDS
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._manifest = {**manifest, "redirect_url": f"{self.url}{_BACK}"}
        account = "" if owner is None else f"/organizations/{quote(owner, safe='')}"
        self._posts_to = f"{WEB}{account}/settings/apps/new?state={self.state}"
        self._found: dict[str, str] | None = None

    def credentials(self, wait_seconds: float = WAIT_SECONDS) -> dict[str, str]:
        """Serve the page until the App is registered; return its credentials. Raises OperatorError."""
        until = time.monotonic() + wait_seconds
        try:
            while self._found is None:
                if time.monotonic() >= until:
                    raise OperatorError("Nobody registered the App in time. Run the command again.")
                self._server.handle_request()
        finally:
            self._server.server_close()
        return self._found

    def _page(self, path: str, query: Mapping[str, list[str]]) -> tuple[int, str]:
        """Return the status and the text of a page."""
        if path == "/":
            manifest = escape(json.dumps(self._manifest), quote=True)
            return 200, (
                f'<form method="post" action="{escape(self._posts_to, quote=True)}">'
                f'<input type="hidden" name="manifest" value="{manifest}">'
                "<p>GitHub shows the App's name and asks you to create it.</p><button>Go to GitHub</button></form>"
            )
        if path != _BACK:
            return 404, "<p>There is no such page.</p>"
        if not hmac.compare_digest(query.get("state", [""])[0].encode(), self.state.encode()):
            return 400, '<p>This did not begin here. <a href="/">Start again</a>.</p>'
        try:
            self._found = converted(query.get("code", [""])[0])
        except OperatorError as problem:
            return 400, f'<p>{escape(str(problem))} <a href="/">Start again</a>.</p>'
        return 200, "<p>The App is registered. You can close this page.</p>"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        registration = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                if self.headers.get("host") == registration.url.removeprefix("http://"):
                    status, text = registration._page(parts.path, parse_qs(parts.query))
                else:
                    status, text = 421, "<p>There is no such page.</p>"
                content = f"<!doctype html><meta charset=utf-8><title>Helpdesk</title>{text}".encode()
                self.send_response(status)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.send_header("content-security-policy", _POLICY)
                self.send_header("referrer-policy", "no-referrer")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Say nothing: an address here has a code."""

        return Handler


def converted(code: str) -> dict[str, str]:
    """Exchange the code of a registration for the App's credentials, as `set-app` takes them. Raises OperatorError."""
    wanted = ServiceRequest(
        method="POST",
        url=f"{API}/app-manifests/{quote(code, safe='')}/conversions",
        headers=dict(VERSION_HEADERS),
    )
    try:
        reply = client.send(HOSTS, wanted)
    except (TryLater, OutcomeUnknown, Unauthorized):
        raise OperatorError("GitHub did not answer. Delete the App there if it was created.") from None
    if not reply.ok:
        raise OperatorError("GitHub did not take the code, which works once, for an hour.")
    made = reply.json()
    if not made["webhook_secret"]:
        raise OperatorError("GitHub made the App without a webhook secret. Delete it there.")
    return {
        "app_id": str(made["id"]),
        "slug": made["slug"],
        "client_id": made["client_id"],
        "client_secret": made["client_secret"],
        "private_key": made["pem"],
        "hook_secret": made["webhook_secret"],
    }
