"""Addresses that a page may link to."""

import re
from urllib.parse import urlsplit

# A name, an IPv4 or an IPv6 address, and a port. Nothing here ends a source in a content security policy.
_HOST = re.compile(r"(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")


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


def policy_source(url: str | None) -> str | None:
    """Return the source by which a content security policy allows an https address; None for any other text."""
    if url is None or not is_page_address(url, schemes=("https",)):
        return None
    return f"https://{urlsplit(url).netloc}"
