"""Text of bytes whose charset others declare, wrongly or not at all, read as browsers read it.

Names of charsets mean what the Encoding standard says: `gb2312` is GB 18030, `iso-8859-1` is Windows-1252. A byte that
fits nothing becomes U+FFFD by itself; the rest of the text stays.
"""

import codecs
import re
from typing import Final

UTF_8: Final = "utf-8"
_WESTERN: Final = "cp1252"
_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_PARAMETER: Final = re.compile(r";\s*charset\s*=\s*[\"']?\s*([\w:.+-]{1,40})", re.IGNORECASE)
_IN_XML: Final = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w:.-]{2,40})", re.IGNORECASE)
# Python's codecs of these names lack characters of the standard's charsets of the same name.
_WIDER: Final = {"gbk": "gb18030"}
# These say as little as no name: servers declare the first for every page.
_MEANINGLESS: Final = frozenset({"cp1252", "replacement", "x-user-defined"})
_ROWS = _CELLS = 94


def named_in(content_type: str) -> str | None:
    """Return the charset that a media type names (`text/html; charset=utf-8`); None if it names none."""
    found = _PARAMETER.search(content_type)
    return found[1] if found else None


def named_in_xml(body: bytes) -> str | None:
    """Return the charset that an XML declaration at the beginning names; None if there is none."""
    found = _IN_XML.match(body)
    return found[1].decode("latin-1") if found else None


def codec_of(label: str | None) -> str | None:
    """Return Python's codec for a charset's name; None for a name that browsers do not know."""
    # Imported with the first name: only functions that read websites have the package.
    import webencodings  # noqa: PLC0415

    found = webencodings.lookup(label or "")
    return None if found is None else _WIDER.get(found.codec_info.name, found.codec_info.name)


def is_utf8(body: bytes, *, complete: bool = True) -> bool:
    """Return whether bytes are text in UTF-8; without `complete` they may end within a character."""
    try:
        codecs.getincrementaldecoder(UTF_8)().decode(body, final=complete)
    except UnicodeDecodeError:
        return False
    return True


def decoded(body: bytes, codec: str | None = None) -> str:
    """Return bytes as text: by their byte order mark, else the declared codec, else UTF-8, else Windows-1252."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body.decode(name, "replace")
    if codec is None or codec in _MEANINGLESS or codec == UTF_8:
        return body.decode(UTF_8 if _is_rather_utf8(body) else _WESTERN, "replace")
    return body.decode(codec, _JAPANESE)


def decoded_as(body: bytes, content_type: str) -> str:
    """Return bytes as text, in the charset that their media type names."""
    return decoded(body, codec_of(named_in(content_type)))


def _is_rather_utf8(body: bytes) -> bool:
    """Return whether more of the characters beyond ASCII are UTF-8 than are not."""
    if is_utf8(body):
        return True
    text = body.decode(errors="replace")
    bad = text.count("\N{REPLACEMENT CHARACTER}")
    return sum(not char.isascii() for char in text) > 2 * bad


def _read_japanese(error: UnicodeError) -> tuple[str, int]:
    """Read what computers added to Japan's standard: Python knows those rows in Shift JIS alone. Else U+FFFD."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    if error.encoding in {"euc_jp", "iso2022_jp"}:
        row, cell = (
            (byte & 0x7F) - 0x21 for byte in (error.object[error.start : error.start + 2] + b"  ")[:2]
        )
        if row in range(_ROWS) and cell in range(_CELLS):
            lead = row // 2 + (0x81 if row < 62 else 0xC1)
            trail = cell + (0x9F if row % 2 else 0x40 if cell < 63 else 0x41)
            read = bytes((lead, trail)).decode("cp932", "ignore")
            if read:
                return read, error.start + 2
    return "\N{REPLACEMENT CHARACTER}", error.end


_JAPANESE: Final = "helpdesk.japanese"
codecs.register_error(_JAPANESE, _read_japanese)
