"""Text that is safe to print: text from visitors and servers must not control the terminal."""

from __future__ import annotations

import re

# Control characters except tab and newline, surrogates, and marks that change the text direction.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def safe(text: object) -> str:
    """Return the text with a replacement character for anything that could move the cursor or hide text."""
    return _UNSAFE.sub("\ufffd", str(text).replace("\r\n", "\n"))


def escaped(json_text: str) -> str:
    """Return a JSON text in which anything that `safe` replaces is an escape: its value is the same."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json_text)


def one_line(text: object) -> str:
    """Return the text on one line, for a table cell."""
    return " ".join(safe(text).split())
