"""Trimming, cutting and cleaning of text that people write."""

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


# Control characters, and format characters that hide or reverse the text after them. Joiners are part of letters.
_HIDDEN_CATEGORIES = {"Cc", "Cf", "Cs"}
_JOINERS = "\u200c\u200d"


def without_hidden(text: str) -> str:
    """Return text without control, format and surrogate characters. Line breaks go, too; joiners stay."""
    return "".join(
        char for char in text if char in _JOINERS or unicodedata.category(char) not in _HIDDEN_CATEGORIES
    )


def one_line(text: str, max_characters: int) -> str:
    """Return text on one line without hidden characters, cut to a number of characters (code points)."""
    return without_hidden(" ".join(text.split()))[:max_characters]


def valid_name(name: str, most: int) -> str:
    """Return a name in the form in which it is stored: on one line, without control characters.

    Raises InvalidRequest unless it has 1 to `most` characters, both as sent and as stored.
    """
    line = " ".join(cut(name, len(name)).split())
    if not line or len(trimmed(name)) > most:
        raise InvalidRequest(f"`name` must have 1 to {most} characters after trimming.")
    return line
