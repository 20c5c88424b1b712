"""Text that is safe to show: what a visitor or a server wrote may not speak to the terminal."""

from __future__ import annotations

import re

# Control characters but tab and newline, half surrogates, and the marks that turn the direction of what follows.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def safe(text: object) -> str:
    """Return the text with a replacement character for whatever could move the cursor or hide what stands there."""
    return _UNSAFE.sub("\ufffd", str(text).replace("\r\n", "\n"))


def one_line(text: object) -> str:
    """Return the text on one line, for a table's cell."""
    return " ".join(safe(text).split())
