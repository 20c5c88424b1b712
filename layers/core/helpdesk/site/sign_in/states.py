"""What binds a sign-in elsewhere to the browser in which it began: `state`, and PKCE and the nonce for a provider.

Nothing is stored when a sign-in begins. All three are authenticated with the browser's cookie, which nobody else has: a
state that another browser began is refused, and so is one of another organization. The state that comes back from a
provider is noted before the provider is asked (`repository.use_state`), so it makes the provider answer once.
"""

import base64
import hashlib
import hmac
import json
import re
import unicodedata
from urllib.parse import quote, unquote

from helpdesk.platform import clock, ids
from helpdesk.platform.units import MINUTE_MS
from helpdesk.site.visitors.browsers import Browser
from helpdesk.site.visitors.record import SitePlace

STATE_MINUTES = 15
MAX_STATE_CHARACTERS = 1_024
MAX_PATH_BYTES = 600
"""Of a path as UTF-8, without its percent signs: an article's has at most 331. A state has room for this many."""

_STATE = re.compile(r"([0-9A-Za-z_-]{1,980})\.([0-9A-Za-z_-]{43})")
# Segments without a dot at their beginning, so that none leads up; no second slash, so that none is another host.
# `x` stands for letters, digits and marks of every script.
_PATH = re.compile(r"(?:[\w~+-][\w.~+-]*(?:/[\w~+-][\w.~+-]*)*/?)?", re.ASCII)
_QUERY = re.compile(r"[\w.~%+&=-]*", re.ASCII)


def make(browser: Browser, site: SitePlace, to: str) -> str:
    """Return a state for a sign-in that begins in a browser and goes to a path below the site afterwards."""
    # Unquoted, as a path in Thai or Chinese is three times as long with its percent signs.
    path = _decoded(to) or ""
    text = json.dumps([path, clock.now_ms(), ids.secret(16)], ensure_ascii=False, separators=(",", ":"))
    payload = _encoded(text.encode())
    return f"{payload}.{_keyed(browser, site, 'state', payload)}"


def path_of(browser: Browser, site: SitePlace, state: str) -> str | None:
    """Return the path to go to; None unless the state began in this browser, on this site, lately."""
    found = _STATE.fullmatch(state)
    if found is None or not hmac.compare_digest(_keyed(browser, site, "state", found[1]), found[2]):
        return None
    to, began_at, _ = json.loads(base64.urlsafe_b64decode(found[1] + "=" * (-len(found[1]) % 4)))
    if not 0 <= clock.now_ms() - began_at < STATE_MINUTES * MINUTE_MS:
        return None
    return _quoted(to)


def verifier(browser: Browser, site: SitePlace, state: str) -> str:
    """Return the code verifier of a sign-in (RFC 7636, section 4.1)."""
    return _keyed(browser, site, "verifier", state)


def challenge(code_verifier: str) -> str:
    """Return the S256 code challenge of a verifier (RFC 7636, section 4.2)."""
    return _encoded(hashlib.sha256(code_verifier.encode()).digest())


def nonce(browser: Browser, site: SitePlace, state: str) -> str:
    """Return the nonce that the ID token must name."""
    return _keyed(browser, site, "nonce", state)


def safe_path(to: str) -> str:
    """Return a path below the site as it stands in an address, empty for the home page.

    It is empty also for what is no such path, as a sign-in leads nowhere else.
    """
    return _quoted(_decoded(to) or "")


def _decoded(to: str) -> str | None:
    """Return a path without percent signs, with its query as it is; None for what leads anywhere else."""
    sent, mark, query = to.removeprefix("/").partition("?")
    try:
        path = unquote(sent, errors="strict")
    except UnicodeDecodeError:
        return None
    if len((path + mark + query).encode("utf-8", "replace")) > MAX_PATH_BYTES:
        return None
    in_letters = "".join("x" if _is_of_a_script(each) else each for each in path)
    return path + mark + query if _PATH.fullmatch(in_letters) and _QUERY.fullmatch(query) else None


def _is_of_a_script(character: str) -> bool:
    return not character.isascii() and unicodedata.category(character)[0] in "LMN"


def _quoted(decoded: str) -> str:
    path, mark, query = decoded.partition("?")
    return quote(path, safe="/~+") + mark + query


def _keyed(browser: Browser, site: SitePlace, purpose: str, text: str) -> str:
    message = f"{purpose} {site.organization} {text}"
    return _encoded(hmac.digest(browser.value.encode(), message.encode(), hashlib.sha256))


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
