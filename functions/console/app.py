"""/console/: the files of the console, which signs in and reads everything else by the API, from the browser.

The files are in web/ beside this file. They are served under a digest of all of them, so that no page meets a module
of another release. Every other path gets index.html, because the console has addresses of its own for what it shows.
"""

import base64
import gzip
import hashlib
import html
import re
from functools import cache, lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from helpdesk.api.http.documents import accepts_gzip, is_known
from helpdesk.api.http.error_response import base_url, error_answer
from helpdesk.api.http.gateway import Request, answer
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import RouteNotFound
from helpdesk.platform.record import Record
from helpdesk.platform.settings import declare, settings
from helpdesk.site.sending import FOREVER, HTTPS_ALONE

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
    ".png": "image/png",
    ".woff2": "font/woff2",
}
_COMPRESSED_ALREADY = {".png", ".woff2"}
_FILE = re.compile(r"/console/(?P<digest>[0-9a-f]{16})/(?P<name>.+)")
_METHODS = ("GET", "HEAD")

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self' {live}; "
    "font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_SECURITY = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class File(Record):
    """A file as it is sent: its bytes in Base64, and compressed where that makes them fewer."""

    media_type: str
    content: str
    compressed: str | None
    tag: str

    @classmethod
    def of(cls, content: bytes, suffix: str) -> "File":
        """Return the file with these bytes."""
        compressed = None
        if suffix not in _COMPRESSED_ALREADY:
            compressed = base64.b64encode(gzip.compress(content, mtime=0)).decode()
        tag = hashlib.sha256(content).hexdigest()[:32]
        return cls(_TYPES[suffix], base64.b64encode(content).decode(), compressed, tag)


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Handle an API Gateway REST event (payload version 1)."""
    request = Request.from_event(event)
    if request.method not in _METHODS:
        error = RouteNotFound(f"This path has no {request.method}. Its methods: {', '.join(_METHODS)}.")
        return error_answer(error, {"x-request-id": request.id}, request)
    response = _response(request)
    return response | {"body": "", "isBase64Encoded": False} if request.method == "HEAD" else response


def _response(request: Request) -> dict[str, Any]:
    base = base_url(request)
    asked = _FILE.fullmatch(request.path)
    if asked is None:
        return _sent(request, _index(base), {"cache-control": "no-cache"})
    file = _files().get(asked["name"])
    if file is None or asked["digest"] != _digest():
        # Not the present file: modules of two releases don't fit together. The console loads itself again.
        headers = _headers(request) | {"cache-control": "no-store"}
        return answer(HTTPStatus.NOT_FOUND, _TYPES[".txt"], "The console has no such file.\n", headers)
    return _sent(request, file, FOREVER)


def _sent(request: Request, file: File, kept: dict[str, str]) -> dict[str, Any]:
    compressed = file.compressed if accepts_gzip(request.headers.get("accept-encoding", "")) else None
    tag = f'"{file.tag}"' if compressed is None else f'"{file.tag}-gzip"'
    headers = _headers(request) | kept | {"etag": tag, "vary": "accept-encoding"}
    if is_known(request.headers.get("if-none-match", ""), tag):
        return answer(HTTPStatus.NOT_MODIFIED, file.media_type, "", headers)
    if compressed is None:
        return answer(HTTPStatus.OK, file.media_type, file.content, headers, is_base64=True)
    headers["content-encoding"] = "gzip"
    return answer(HTTPStatus.OK, file.media_type, compressed, headers, is_base64=True)


def _headers(request: Request) -> dict[str, str]:
    secure = HTTPS_ALONE if base_url(request).startswith("https:") else {}
    live = re.match(r"wss?://[^/]+", settings().live_url)  # without its path
    policy = _POLICY.format(live=live[0] if live else "")
    return {"x-request-id": request.id, "content-security-policy": policy, **_SECURITY, **secure}


@cache
def _contents() -> dict[str, bytes]:
    """Return the bytes of each file by its path in web/, read once per execution environment."""
    paths = sorted(path for path in WEB.rglob("*") if path.is_file() and path.suffix in _TYPES)
    return {path.relative_to(WEB).as_posix(): path.read_bytes() for path in paths}


@cache
def _files() -> dict[str, File]:
    return {name: File.of(content, Path(name).suffix) for name, content in _contents().items()}


@cache
def _digest() -> str:
    """Return what changes with each file: 16 hexadecimal digits."""
    named = (f"{name} {hashlib.sha256(content).hexdigest()}" for name, content in _contents().items())
    return sha256_hex("\n".join(named))[:16]


@lru_cache(8)
def _index(base: str) -> File:
    """Return index.html for the address that the API has."""
    page = _contents()["index.html"].decode()
    path = re.sub(r"^https?://[^/]+", "", base)
    values = {"base": base, "client": CLIENT, "files": f"{path}/console/{_digest()}"}
    for name, value in values.items():
        page = page.replace(f"{{{name}}}", html.escape(value))
    return File.of(page.encode(), ".html")
