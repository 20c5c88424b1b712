"""Pages as responses: the headers of security, compression, and the tag by which a browser or a proxy keeps a page."""

import base64
import gzip
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from helpdesk.api.http.content import Content
from helpdesk.api.http.documents import accepts_gzip, is_known
from helpdesk.api.http.gateway import Request, answer
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.settings import settings

# connect-src is for the site's own scripts: they ask for titles while someone types a search, and for news of a
# conversation. On pages without a script it serves auditors: they read robots.txt as the page would.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' https: data:; font-src data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
WITH_SCRIPTS = f"{CONTENT_SECURITY_POLICY}; script-src 'self'"
"""The policy of pages with scripts of the site's own: all but those on which someone signs in."""
SECURITY_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
PUBLIC = {"cache-control": "public, max-age=60, stale-while-revalidate=300"}
"""A page that is the same for everyone: kept for a minute, and shown for five more while it is asked for again.

Not for longer: what is withdrawn or erased may be shown by nobody after that.
"""
SHORT = {"cache-control": "public, max-age=60"}
"""What is the same for everyone, and asked for again too soon to be worth showing when it is old."""
FOREVER = {"cache-control": "public, max-age=31536000, immutable"}
"""A file whose name has a digest of its content."""
OWN = {"cache-control": "private, no-cache"}
"""A page that everyone gets, as a visitor who is signed in gets it: their browser keeps it, and asks each time."""
PRIVATE = {"cache-control": "no-store"}
"""A page for one visitor, or the answer to a form."""

HTTPS_ALONE = {"strict-transport-security": "max-age=31536000"}
"""For a host with https: browsers ask it by https alone for a year (RFC 6797). Its subdomains are not ours to bind."""

_LEAST_COMPRESSED = 1_000
_COMPRESSION = 4  # of a page in half a millisecond; 9 takes three times as long, for 4 % less


def send(request: Request, content: Content, framed_by: Sequence[str] = ()) -> dict[str, Any]:
    """Return a page in the gateway's format: compressed for a client that accepts it, 304 if the client has it.

    Pages of the origins `framed_by` can show it in a frame. No other page can.
    """
    status = content.status or HTTPStatus.OK
    is_secure = (settings().base_url or request.address).startswith("https:")
    fixed = SECURITY_HEADERS | HTTPS_ALONE if is_secure else SECURITY_HEADERS
    headers = {"x-request-id": request.id, **fixed, **PRIVATE, **content.headers}
    if framed_by:
        headers["content-security-policy"] = headers["content-security-policy"].replace(
            "frame-ancestors 'none'", f"frame-ancestors {' '.join(framed_by)}"
        )
        del headers["x-frame-options"]  # it can't name several origins
    text, media_type, is_base64 = content.text, content.media_type, content.is_base64
    if request.method == "GET" and headers["cache-control"] != PRIVATE["cache-control"]:
        # A page with the token of forms is not compressed: its length would say what is like the token (BREACH).
        compresses = (
            headers["cache-control"] != OWN["cache-control"]
            and len(text) >= _LEAST_COMPRESSED
            and accepts_gzip(request.headers.get("accept-encoding", ""))
        )
        digest = sha256_hex(text)[:32]
        tag = f'"{digest}-gzip"' if compresses else f'"{digest}"'
        vary = ", ".join(filter(None, [headers.get("vary"), "accept-encoding"]))
        headers |= {"etag": tag, "vary": vary}
        if status == HTTPStatus.OK and is_known(request.headers.get("if-none-match", ""), tag):
            return answer(HTTPStatus.NOT_MODIFIED, media_type, "", headers)
        if compresses and not is_base64:
            packed = gzip.compress(text.encode(), _COMPRESSION, mtime=0)
            headers["content-encoding"] = "gzip"
            return answer(status, media_type, base64.b64encode(packed).decode(), headers, is_base64=True)
    return answer(status, media_type, text, headers, is_base64=is_base64)
