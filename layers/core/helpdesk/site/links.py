"""Addresses: of other hosts that a page may link to, and the paths of a site's pages."""

import re
from urllib.parse import urlsplit

from helpdesk.knowledge.folders import Folder
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.knowledge.slugs import slug_of

# A name, an IPv4 or an IPv6 address, and a port. Nothing here ends a source in a content security policy.
_HOST = re.compile(r"(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")

_LOOPBACK = frozenset({"localhost", "127.0.0.1"})
_DEFAULT_PORTS = {"https": ":443", "http": ":80"}
_ID_CHARACTERS = 6


def is_page_address(url: str, *, schemes: tuple[str, ...]) -> bool:
    """Return whether a URL is an absolute address of one of the schemes, written without credentials.

    Browsers drop white space and control characters and read a backslash as a slash, so an address with any of them
    is none.
    """
    if not url.isascii() or any(char <= " " or char in '\\\x7f"<>`' for char in url):
        return False
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    if parts.scheme not in schemes:
        return False
    if parts.scheme == "mailto":
        return "@" in parts.path and not parts.netloc
    return _HOST.fullmatch(parts.netloc) is not None


def origin_of(address: str, *, allow_loopback: bool) -> str | None:
    """Return the origin that an address without a path names, as browsers write it; None for any other address.

    It is https. With `allow_loopback` it may be http on this machine, for the local stage.
    """
    if not is_page_address(address, schemes=("https", "http")):
        return None
    parts = urlsplit(address)
    host = parts.netloc.lower()
    name = parts.hostname or ""
    # A policy for frames has no form for an IPv6 address.
    if parts.path not in {"", "/"} or parts.query or parts.fragment or name.endswith(".") or ":" in name:
        return None
    if parts.scheme == "http" and not (allow_loopback and name in _LOOPBACK):
        return None
    return f"{parts.scheme}://{host.removesuffix(_DEFAULT_PORTS[parts.scheme])}"


def policy_source(url: str | None) -> str | None:
    """Return the source by which a content security policy allows an https address; None for any other text."""
    if url is None or not is_page_address(url, schemes=("https",)):
        return None
    return f"https://{urlsplit(url).netloc}"


def article_path(page: DocumentPage) -> str:
    """Return the path of a document's page."""
    return f"/articles/{page.slug}"


def folder_path(folder: Folder) -> str:
    """Return the path of a folder's page: its name as people read it, and the end of its id, which names it."""
    name = slug_of(folder.name)
    return f"/folders/{name}-{_mark_of(folder)}" if name else f"/folders/{_mark_of(folder)}"


def is_of(name: str, folder: Folder) -> bool:
    """Return whether the last part of a folder's path names a folder, whatever the folder was called then."""
    return name.rpartition("-")[2] == _mark_of(folder)


def _mark_of(folder: Folder) -> str:
    return folder.id[-_ID_CHARACTERS:].lower()
