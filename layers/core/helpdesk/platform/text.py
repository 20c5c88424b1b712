"""Trimming and cutting of text that people wrote."""

_BYTE_ORDER_MARK = "\ufeff"


def trimmed(text: str) -> str:
    """Return text without surrounding white space; a byte order mark counts as such, as it does in a browser."""
    previous = None
    while text != previous:
        previous = text
        text = text.strip().strip(_BYTE_ORDER_MARK)
    return text


def cut(text: str, characters: int) -> str:
    """Return trimmed text cut to a number of characters (code points, so that none is split)."""
    return trimmed(text)[:characters]
