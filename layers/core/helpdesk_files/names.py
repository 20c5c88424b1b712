"""Names as they are stored: on one line, trimmed, without hidden characters, and with something to see in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

MAX_TITLE_CHARACTERS = 120
MAX_ALIASES = 50
MAX_ALIAS_CHARACTERS = 120
"""The most characters of a document's title."""
UNTITLED = "Untitled"
"""The name of what has none that can be seen."""

# The white space of Python's str.strip(), and the byte order mark, which a browser's trim() removes, too. A single
# strip() handles both: alternating two would take quadratic time on text that mixes them.
WHITE_SPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def trimmed(text: str) -> str:
    """Return text without surrounding white space. As in a browser, a byte order mark counts as white space."""
    return text.strip(WHITE_SPACE)


# What has no place in a name: control characters, format characters that hide or reverse the text after them, and
# surrogates (the general categories Cc, Cf and Cs). Two kinds of format characters stay: the joiners, which are part of
# letters and emoji, and the signs that are drawn around the digits after them (Prepended_Concatenation_Mark). The
# ranges are written out because a pattern is a hundred times as fast as a look-up per character; a test compares them
# with the Unicode database.
_DRAWN_FORMATS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]+"
)
LINE_BREAKS = re.compile(r"[\t-\r\x1c-\x1f\x85\u2028\u2029]+")


def without_hidden(text: str) -> str:
    """Return text without control, format and surrogate characters. Line breaks go, too; joiners stay."""
    return text if text.isprintable() else HIDDEN.sub("", text)


def as_name(text: str, max_characters: int | None = None) -> str:
    """Return text in the form in which a name is stored: trimmed, on one line, without hidden characters.

    A line break becomes a space. With `max_characters` it is cut to that number of code points. The result is empty
    if nothing in it is visible.
    """
    line = trimmed(without_hidden(LINE_BREAKS.sub(" ", text)))
    if max_characters is not None:
        line = trimmed(line[:max_characters])
    return "" if is_blank(line) else line


def distinct(names: Iterable[str]) -> list[str]:
    """Return names without repeats. Names that only differ in case are repeats."""
    kept: dict[str, str] = {}
    for name in names:
        kept.setdefault(name.casefold(), name)
    return list(kept.values())


# Letters, symbols and unassigned code points that Unicode displays as nothing (Default_Ignorable_Code_Point), or whose
# glyph is empty (the fillers of Hangul, the blank of Braille, of musical notation and of hieroglyphs); and the first
# noncharacters.
_EMPTY = re.compile(
    "[\u115f\u1160\u2065\u2800\u3164\uffa0\ufdd0-\ufdef\ufff0-\ufff8\U00013441\U00013442\U0001d159\U000e0000-\U000e0fff]"
)
_NONCHARACTERS = (0xFFFE, 0xFFFF)  # the last two of each of the 17 planes
# Letters, numbers, punctuation and symbols; and what a font or a later version of Unicode draws (private use,
# unassigned). A mark alone has no character to stand on.
_DRAWN_CATEGORIES = frozenset({"Co", "Cn"})
_DRAWN_MAJOR_CATEGORIES = frozenset("LNPS")


def is_blank(text: str) -> bool:
    """Return whether text holds no visible character.

    White space, control and format characters, combining marks alone, fillers and tags are invisible. The time is
    linear in the length of the text.
    """
    return not any(map(_is_visible, set(text)))


def _is_visible(char: str) -> bool:
    category = unicodedata.category(char)
    if category[0] not in _DRAWN_MAJOR_CATEGORIES and category not in _DRAWN_CATEGORIES:
        return char in _DRAWN_FORMATS
    return _EMPTY.match(char) is None and ord(char) & 0xFFFF not in _NONCHARACTERS
