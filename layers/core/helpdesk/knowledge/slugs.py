"""The slugs of documents: the words of a title as a part of an address."""

import re
import unicodedata
from collections.abc import Iterator

from helpdesk.knowledge.errors import MAX_SLUG_CHARACTERS, DocumentSlugInvalid
from helpdesk.platform import ids

_WORDS = re.compile(r"[^\W_]+")
_FALLBACK = "article"
_LETTERS = 5


def slug_of(title: str, max_characters: int = MAX_SLUG_CHARACTERS) -> str:
    """Return a title in the form of a slug: its letters and digits in lower case, with dashes; empty if it has none.

    Latin letters lose their accents. Letters of other scripts stay.
    """
    plain: list[str] = []
    for char in unicodedata.normalize("NFKD", title.casefold()):
        if unicodedata.combining(char) and plain and plain[-1].isascii():
            continue
        plain.append(char)
    words = _WORDS.findall(unicodedata.normalize("NFC", "".join(plain)).replace("'", "").replace("’", ""))
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word
        if len(longer) > max_characters:
            break
        slug = longer
    return slug or "".join(words[:1])[:max_characters]


def candidates(title: str) -> Iterator[str]:
    """Yield slugs for a title, the next one for when those before are taken; the last ones are random."""
    base = slug_of(title, MAX_SLUG_CHARACTERS - _LETTERS - 1)
    if base:
        yield base
        yield f"{base}-2"
    while True:
        yield f"{base or _FALLBACK}-{ids.ulid()[-_LETTERS:].lower()}"


def require_slug(slug: str) -> str:
    """Return a slug that someone chose. Raises DocumentSlugInvalid unless it is in the form of one."""
    if not 0 < len(slug) <= MAX_SLUG_CHARACTERS or slug_of(slug) != slug:
        raise DocumentSlugInvalid
    return slug
