"""Trimming, cutting and cleaning of text that people write."""

import json
import re
import unicodedata

from helpdesk.platform.errors import InvalidRequest

# The white space of Python's str.strip(), and the byte order mark, which a browser's trim() removes, too. A single
# strip() handles both: alternating two would take quadratic time on text that mixes them.
_TRIMMED = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def trimmed(text: str) -> str:
    """Return text without surrounding white space. As in a browser, a byte order mark counts as white space."""
    return text.strip(_TRIMMED)


# Control characters other than white space. They are invisible, and take six bytes each in JSON.
_INVISIBLE = dict.fromkeys([*range(0x09), *range(0x0E, 0x20), *range(0x7F, 0x85), *range(0x86, 0xA0)])


def cut(text: str, characters: int) -> str:
    """Return text trimmed, without control characters, and cut to a number of characters.

    Characters are code points, so none is split.
    """
    return trimmed(text.translate(_INVISIBLE))[:characters]


# What has no place in a name: control characters, format characters that hide or reverse the text after them, and
# surrogates (the general categories Cc, Cf and Cs). Two kinds of format characters stay: the joiners, which are part of
# letters and emoji, and the signs that are drawn around the digits after them (Prepended_Concatenation_Mark). The
# ranges are written out because a pattern is a hundred times as fast as a look-up per character; a test compares them
# with the Unicode database.
_DRAWN_FORMATS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]+"
)
_LINE_BREAKS = re.compile(r"[\t-\r\x1c-\x1f\x85\u2028\u2029]+")


def without_hidden(text: str) -> str:
    """Return text without control, format and surrogate characters. Line breaks go, too; joiners stay."""
    return text if text.isprintable() else _HIDDEN.sub("", text)


def hidden_as_escapes(text: str) -> str:
    """Return text, such as of JSON, in which what `without_hidden` removes is written as JSON's escapes."""
    return _HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def as_name(text: str, max_characters: int | None = None) -> str:
    """Return text in the form in which a name is stored: trimmed, on one line, without hidden characters.

    A line break becomes a space. With `max_characters` it is cut to that number of code points. The result is empty
    if nothing in it is visible.
    """
    line = trimmed(without_hidden(_LINE_BREAKS.sub(" ", text)))
    if max_characters is not None:
        line = trimmed(line[:max_characters])
    return "" if is_blank(line) else line


def one_line(text: str, max_characters: int) -> str:
    """Return text on one line without hidden characters and repeated spaces, cut to a number of code points."""
    return " ".join(without_hidden(_LINE_BREAKS.sub(" ", text)).split())[:max_characters]


_ENDED = re.compile(r"[.!?…。！？][\"'“”’»)\]」』]*$")


def as_sentence(text: str) -> str:
    """Return text that another sentence can follow: with a full stop, unless it ends a sentence already."""
    return text if _ENDED.search(text) else f"{text}."


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


def valid_name(name: str, most: int) -> str:
    """Return a name in the form in which it is stored: on one line, without hidden characters.

    Raises InvalidRequest unless it has 1 to `most` characters, both as sent and as stored.
    """
    line = " ".join(as_name(name).split())
    if not line or len(trimmed(name)) > most:
        raise InvalidRequest(
            f"`name` must have 1 to {most} characters after trimming, at least one of them visible."
        )
    return line


def escaped(text: str) -> str:
    """Return text in which nothing opens or closes an element or an attribute in double quotes."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
