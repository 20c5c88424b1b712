"""Titles of signals: the form in which they are stored, and the form in which two are the same."""

import unicodedata
from collections.abc import Iterable

from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import InvalidRequest, at_most
from helpdesk.platform.text import as_name, is_blank, trimmed, without_hidden
from helpdesk.signals.errors import MAX_ALIASES, MAX_TITLE_CHARACTERS


def stored(title: str | None) -> str:
    """Return a title on one line, without hidden characters; empty if nothing in it is visible.

    Raises InvalidRequest if it is too long.
    """
    line = " ".join(as_name(title or "").split())
    if len(line) > MAX_TITLE_CHARACTERS:
        raise InvalidRequest(at_most("title", MAX_TITLE_CHARACTERS))
    return line


def folded(title: str) -> str:
    """Return a title without case, width (Unicode's NFKC), spaces and hidden characters.

    Titles that are equal in this form are the same.
    """
    plain = unicodedata.normalize("NFKC", without_hidden(title)).casefold()
    # Case folding can bring back what NFKC had composed, so a second pass makes the form final.
    return "".join(unicodedata.normalize("NFKC", plain).split())


def key_of(title: str) -> str:
    """Return the SHA-256 of a title's folded form, which is its key; `repository.claim_title` makes it unique."""
    return sha256_hex(folded(title))


def joined(title: str, aliases: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """Return the aliases of a signal that takes over the titles of another: each once, without its own title.

    At most 100; the earlier ones stay.
    """
    known = {folded(title)}
    kept: list[str] = []
    for each in (*aliases, *others):
        form = folded(each)
        if form not in known and len(kept) < MAX_ALIASES:
            known.add(form)
            kept.append(each)
    return tuple(kept)


def text(name: str, value: str | None, most: int) -> str:
    """Return a text trimmed; empty if nothing in it is visible. Raises InvalidRequest if it is too long."""
    found = trimmed(value or "")
    if len(found) > most:
        raise InvalidRequest(at_most(name, most))
    return "" if is_blank(found) else found
