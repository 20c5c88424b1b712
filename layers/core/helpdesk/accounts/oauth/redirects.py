"""Redirect addresses: which can be registered, and which of them a request names.

A code is sent to a redirect address, so only a short list of explicit forms can be registered (RFC 8252, section 7; RFC
9700, section 4.1). Their syntax is fixed here, because a URL library and a browser may parse an address differently.
"""

import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode, urlsplit

from helpdesk.accounts.oauth.errors import InvalidRedirectUri

MAX_REDIRECT_URIS = 10
MAX_URI_CHARACTERS = 2_000

# No space, quote, bracket, backslash, caret, backtick, brace, bar, fragment or wildcard; ASCII alone.
_REST = r"(?P<rest>[/?][A-Za-z0-9\-._~:/?@!$&'()+,;=%]*)?"
_NAME = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_PORT = r"(?::[1-9][0-9]{0,4})?"
_HTTPS = re.compile(rf"https://(?:{_NAME}(?:\.{_NAME})*|\[[0-9A-Fa-f:.]{{2,45}}\]){_PORT}{_REST}")
_LOOPBACK = re.compile(rf"http://(?P<host>127\.0\.0\.1|\[::1\]|localhost){_PORT}{_REST}")
_PRIVATE = re.compile(r"[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:/{1,3}[A-Za-z0-9\-._~:/?!$&'()+,;=%]*")
_DOTS = re.compile(r"(?:^|/)(?:\.|%2[eE]){1,2}(?:/|$)")
_MAX_PORT = 65_535
# The parameters of the response: an address with one of its own would be ambiguous.
_OURS = {"code", "state", "iss", "error", "error_description", "error_uri"}


def require_registrable(uris: Sequence[str]) -> None:
    """Raise InvalidRedirectUri, with the reason, unless every address can be registered."""
    if len(uris) > MAX_REDIRECT_URIS:
        raise InvalidRedirectUri(f"`redirect_uris` must have at most {MAX_REDIRECT_URIS} addresses.")
    for number, uri in enumerate(uris):
        problem = _problem(uri)
        if problem is not None:
            raise InvalidRedirectUri(f"`redirect_uris[{number}]` {problem}.")


def _problem(uri: str) -> str | None:
    if len(uri) > MAX_URI_CHARACTERS:
        return f"is longer than {MAX_URI_CHARACTERS} characters"
    if not any(form.fullmatch(uri) for form in (_HTTPS, _LOOPBACK, _PRIVATE)):
        return (
            "must be https://…, http://127.0.0.1, http://[::1] or http://localhost, or a scheme of your own with a "
            "dot, such as com.example.app:/callback; in ASCII, without fragment, user name or wildcard"
        )
    parts = urlsplit(uri)
    try:
        port = parts.port
    except ValueError:
        port = _MAX_PORT + 1
    if port is not None and port > _MAX_PORT:
        return f"has a port above {_MAX_PORT}"
    if _DOTS.search(parts.path):
        return "has a segment of dots in its path"
    if {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)} & _OURS:
        return "has a parameter that the response uses, such as code or state"
    return None


def is_registered(uri: str, registered: Sequence[str]) -> bool:
    """Return whether a request's redirect address is exactly one that was registered.

    Only on loopback may the port differ: a program there uses any free port (RFC 8252, section 7.3).
    """
    if uri in registered:
        return True
    match = _LOOPBACK.fullmatch(uri)
    return (
        match is not None
        and _problem(uri) is None
        and any(
            known is not None and known.group("host", "rest") == match.group("host", "rest")
            for known in map(_LOOPBACK.fullmatch, registered)
        )
    )


def with_answer(uri: str, **answer: str | None) -> str:
    """Return a redirect address with the response's parameters added to its query; None is omitted."""
    added = urlencode({name: value for name, value in answer.items() if value is not None})
    return f"{uri}{'&' if '?' in uri else '?'}{added}"


def destination(uri: str) -> str:
    """Return what the consent page shows of a redirect address: the site, or the program."""
    parts = urlsplit(uri)
    if _LOOPBACK.fullmatch(uri):
        return "a program on this computer"
    return (parts.hostname or uri) if parts.scheme == "https" else f"the app {parts.scheme}"


def form_targets(uri: str) -> str:
    """Return the form-action sources that let a form lead to a redirect address.

    Chrome applies the policy to every redirect after a form, including the client's own. Where a client redirects after
    its callback is not known here, but it is usually https. A scheme source also covers [::1]: no host source can.
    """
    parts = urlsplit(uri)
    if parts.scheme == "https":
        return "https:"
    if parts.scheme == "http":
        origin = "http:" if parts.hostname == "::1" else f"http://{parts.netloc}"
        return f"https: {origin}"
    return f"{parts.scheme}:"
