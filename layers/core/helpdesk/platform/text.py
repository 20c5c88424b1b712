"""Trimming and cutting of text that people wrote."""

from helpdesk.platform.errors import InvalidRequest

# What Python's str.strip() takes for white space, and the byte order mark, which a browser's trim() takes too. One
# strip() over all of it: two in turn would cost the square of the length on text that alternates between them.
_TRIMMED = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def trimmed(text: str) -> str:
    """Return text without surrounding white space; a byte order mark counts as such, as it does in a browser."""
    return text.strip(_TRIMMED)


# Control characters other than white space: nobody sees them, and JSON writes six bytes for each.
_INVISIBLE = dict.fromkeys([*range(0x09), *range(0x0E, 0x20), *range(0x7F, 0x85), *range(0x86, 0xA0)])


def cut(text: str, characters: int) -> str:
    """Return a name, an address or a title: trimmed, without control characters, and cut to a number of characters.

    Characters are code points, so that none is split.
    """
    return trimmed(text.translate(_INVISIBLE))[:characters]


def one_line(name: str, most: int) -> str:
    """Return a name as it is stored: in one line, without control characters.

    Raises InvalidRequest unless it has 1 to `most` characters, as it is sent and as it is stored.
    """
    line = " ".join(cut(name, len(name)).split())
    if not line or len(trimmed(name)) > most:
        raise InvalidRequest(f"`name` must have 1 to {most} characters after trimming.")
    return line
