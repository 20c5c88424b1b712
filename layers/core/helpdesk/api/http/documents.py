"""Documents that are the same for every caller: sent compressed to those that accept it, and kept by their tag.

A client or a proxy asks again with If-None-Match and gets 304 without a body while the document is the same (RFC 9110,
sections 8.8.3 and 13.1.2). The document is compressed once per execution environment. Its compressed form goes through
the gateway in Base64, which the gateway decodes (BinaryMediaTypes in template.yaml).
"""

import base64
import gzip
import re

from helpdesk.api.http.content import ClientInfo, Content
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record

# An hour: the documents change only with a deployment. A proxy may send an old one for a day while it asks again.
_CACHED = {
    "cache-control": "public, max-age=3600, stale-while-revalidate=86400",
    "vary": "accept-encoding",
    "x-content-type-options": "nosniff",
}
_NOT_MODIFIED = 304
_COMPRESSION = 6  # 9 takes three times as long, for 2 % less


class Document(Record):
    """A text with its compressed form in Base64, and the tag of each."""

    text: str
    compressed: str
    tag: str
    compressed_tag: str

    @classmethod
    def of(cls, text: str) -> "Document":
        """Return the document of a text."""
        digest = sha256_hex(text)[:32]
        # Without the time, so that every environment sends the same bytes.
        compressed = gzip.compress(text.encode(), _COMPRESSION, mtime=0)
        return cls(text, base64.b64encode(compressed).decode(), f'"{digest}"', f'"{digest}-gzip"')


def respond[C: Content](
    kind: type[C], document: Document, client_info: ClientInfo, headers: dict[str, str]
) -> C:
    """Return a document in the form that the client accepts, or 304 if it has that form.

    It's kept for an hour, unless the headers say otherwise.
    """
    compressed = accepts_gzip(client_info.headers.get("accept-encoding", ""))
    tag = document.compressed_tag if compressed else document.tag
    every = {**_CACHED, **headers, "etag": tag}
    if is_known(client_info.headers.get("if-none-match", ""), tag):
        return kind("", every, _NOT_MODIFIED)
    if compressed:
        return kind(document.compressed, {**every, "content-encoding": "gzip"}, is_base64=True)
    return kind(document.text, every)


def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether an Accept-Encoding header accepts gzip (RFC 9110, section 12.5.3)."""
    weights: dict[str, float] = {}
    for part in accept_encoding.lower().split(","):
        coding, _, parameters = part.partition(";")
        weight = re.fullmatch(r"\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*", parameters)
        weights[coding.strip()] = float(weight[1]) if weight else 1.0
    return weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0))) > 0


def is_known(if_none_match: str, tag: str) -> bool:
    """Return whether an If-None-Match header names a tag (RFC 9110, section 13.1.2)."""
    if if_none_match.strip() == "*":
        return True
    return tag in (each.strip().removeprefix("W/") for each in if_none_match.split(","))
