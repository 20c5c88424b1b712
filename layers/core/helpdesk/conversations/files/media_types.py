"""Media types as they are declared (Specification: Limits, Refused attachment types)."""

import re
from typing import Final

MEDIA_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
"""The form of a media type without its parameters, in lower case."""

UNTYPED = "application/octet-stream"
"""The type of a file whose type is not known."""

PLAIN_TEXT = "text/plain"

SNIFFED_BYTES = 16_384
"""How much of a file's beginning is read first. More is read only after a comment that does not end there."""

REFUSED_TYPES: Final = frozenset(
    {
        "text/html",
        "application/xhtml+xml",
        "image/svg+xml",
        "text/xsl",
        "application/xslt+xml",
    }
)


def essence(media_type: str) -> str:
    """Return a media type in lower case and without its parameters."""
    return media_type.partition(";")[0].strip().lower()
