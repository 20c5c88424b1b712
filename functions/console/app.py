"""/console/: the files of the console, which signs in and reads everything else by the API, from the browser.

The files are in web/ beside this file. They are served under a digest of all of them, so that no page meets a module
of another release. Every other path gets index.html, because the console has addresses of its own for what it shows.
"""

import html
import re
from functools import cache, lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from helpdesk.api.http.content import ClientInfo, Content
from helpdesk.api.http.documents import Document, respond
from helpdesk.api.http.error_response import base_url, error_answer
from helpdesk.api.http.gateway import Request, answer
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import RouteNotFound
from helpdesk.platform.settings import declare, settings
from helpdesk.site.sending import FOREVER, HTTPS_ALONE, SECURITY_HEADERS

NEEDS = declare("BASE_URL", "LIVE_URL")

WEB = Path(__file__).with_name("web")
CLIENT = "console"
"""The OAuth client that the console is."""

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_FILE = re.compile(r"/console/(?P<digest>[0-9a-f]{16})/(?P<name>.+)")
_METHODS = ("GET", "HEAD")

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self' {live}; "
    "font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Handle an API Gateway REST event (payload version 1)."""
    request = Request.from_event(event)
    if request.method not in _METHODS:
        error = RouteNotFound(f"This path has no {request.method}. Its methods: {', '.join(_METHODS)}.")
        return error_answer(error, {"x-request-id": request.id}, request)
    response = _response(request)
    return response | {"body": "", "isBase64Encoded": False} if request.method == "HEAD" else response


def _response(request: Request) -> dict[str, Any]:
    asked = _FILE.fullmatch(request.path)
    if asked is None:
        return _sent(request, "index.html", _index(base_url(request)), {"cache-control": "no-cache"})
    name = asked["name"]
    if asked["digest"] != _digest() or name not in _contents():
        # Not the present file: modules of two releases don't fit together. The console loads itself again.
        headers = _headers(request) | {"cache-control": "no-store"}
        return answer(HTTPStatus.NOT_FOUND, _TYPES[".txt"], "The console has no such file.\n", headers)
    return _sent(request, name, _file(name), FOREVER)


def _sent(request: Request, name: str, file: Document, kept: dict[str, str]) -> dict[str, Any]:
    client_info = ClientInfo(request.source_ip, request.headers)
    content = respond(Content, file, client_info, _headers(request) | kept)
    status, media_type = content.status or HTTPStatus.OK, _TYPES[Path(name).suffix]
    return answer(status, media_type, content.text, content.headers, is_base64=content.is_base64)


def _headers(request: Request) -> dict[str, str]:
    own = {
        "x-request-id": request.id,
        "content-security-policy": _POLICY.format(live=settings().live_origin),
        "referrer-policy": "no-referrer",
    }
    return SECURITY_HEADERS | (HTTPS_ALONE if base_url(request).startswith("https:") else {}) | own


@cache
def _contents() -> dict[str, str]:
    """Return the text of each file by its path in web/, read once per execution environment."""
    paths = sorted(path for path in WEB.rglob("*") if path.is_file() and path.suffix in _TYPES)
    return {path.relative_to(WEB).as_posix(): path.read_bytes().decode() for path in paths}


@cache
def _file(name: str) -> Document:
    return Document.of(_contents()[name])


@cache
def _digest() -> str:
    """Return what changes with each file: 16 hexadecimal digits."""
    named = (f"{name} {sha256_hex(text)}" for name, text in _contents().items())
    return sha256_hex("\n".join(named))[:16]


@lru_cache(8)
def _index(base: str) -> Document:
    """Return index.html for the address that the API has."""
    page = _contents()["index.html"]
    path = re.sub(r"^https?://[^/]+", "", base)
    values = {"base": base, "client": CLIENT, "files": f"{path}/console/{_digest()}"}
    for name, value in values.items():
        page = page.replace(f"{{{name}}}", html.escape(value))
    return Document.of(page)
