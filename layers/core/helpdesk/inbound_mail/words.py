"""Reads headers: encoded words, addresses and message IDs, of which none need be well-formed.

The library's own header objects (`email.policy.default`) raise on malformed headers of real mails, so headers are read
as they came, and decoded here.
"""

import re
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.policy import Compat32
from email.utils import getaddresses
from typing import Final

from helpdesk.platform import charsets
from helpdesk.platform.text import one_line

MAX_HEADER_CHARACTERS = 60_000
"""How much of a header is read: enough for a thousand recipients."""
MAX_DECODED_CHARACTERS = 4_000
"""How much of a header is read that has encoded words."""
MAX_CERTAIN_CHARACTERS = 1_000
"""How long a header may be of which it's certain how other programs read it."""
MAX_ADDRESSES = 1_000
"""How many recipients of a header are read."""
MAX_ID_CHARACTERS = 500
MAX_ADDRESS_CHARACTERS = 254

# Charsets of mail that the web has no names for. Never UTF-7, in which markup hides from filters.
_CHARSETS: Final = {"iso-2022-kr": "iso2022_kr", "hz-gb-2312": "hz", "unknown-8bit": "utf-8"}
_CODE_PAGE: Final = re.compile(r"(?:cp|ibm)-?(\d{3,4})", re.IGNORECASE)
_DOS_PAGES: Final = (437, 737, 775, 850, 852, 855, 857, 858, *range(860, 867), 869, 932, 949, 950)
_WINDOWS_PAGES: Final = range(1250, 1259)
_CODE_PAGES: Final = frozenset(("037", *map(str, _DOS_PAGES), *map(str, _WINDOWS_PAGES)))
_ID: Final = re.compile(rf"<\s*([^<>\s]{{1,{MAX_ID_CHARACTERS}}})\s*>")
_ADDRESS: Final = re.compile(r"[^\s<>\"(),:;@\[\]\\]{1,64}@[^\s<>\"(),:;@\[\]\\]{1,189}")
_IN_ANGLES: Final = re.compile(rf"<\s{{0,9}}({_ADDRESS.pattern})\s{{0,9}}>")
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"(?!\s*@)')
_ONE: Final = rf"<\s{{0,9}}(?P<in_angles>{_ADDRESS.pattern})\s{{0,9}}>|(?P<bare>{_ADDRESS.pattern})"
_WITHOUT_COMMENTS: Final = re.compile(
    rf"[^@<>\"\\()]*?(?:(?P<named>{_ADDRESS.pattern})\s*<(?P=named)>|{_ONE})\s*"
)
_WITHOUT_QUOTES: Final = re.compile(rf"[^@<>\"\\]*?(?:{_ONE})[^@<>\"\\]*")


class _Unread(Compat32):
    """Keeps headers as they came. The library's own reading of malformed headers raises, or takes long."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        """Return how a header's value begins. Reading a list of parameters takes the square of its length."""
        del name
        return value[:MAX_HEADER_CHARACTERS].replace("\0", " ")


AS_THEY_CAME: Final = _Unread(max_line_length=None)
"""How the library reads a mail here."""


def values(mail: Message, name: str) -> list[str]:
    """Return a header's values as they came, unfolded and cut; bytes beyond ASCII are surrogates."""
    wanted = name.lower()
    return [re.sub(r"[\r\n]+", "", value) for key, value in mail.items() if key.lower() == wanted]


def value(mail: Message, name: str) -> str:
    """Return the first value of a header, as it came; "" if there is none."""
    return next(iter(values(mail, name)), "")


def decoded(raw: str, max_characters: int) -> str:
    """Return the text of a header on one line, without hidden characters."""
    text = charsets.decoded(raw[:MAX_DECODED_CHARACTERS].encode("utf-8", "surrogateescape"))
    try:
        parts = decode_header(text) if "=?" in text else [(text, None)]
    except (HeaderParseError, ValueError):
        parts = [(text, None)]
    return one_line("".join(_word(part, charset) for part, charset in parts), max_characters)


def _word(part: str | bytes, charset: str | None) -> str:
    """Return a piece of a header as the library takes it apart: what isn't encoded has no charset."""
    if isinstance(part, str):
        return part
    if charset is None:
        return part.decode("raw-unicode-escape", "replace")
    return text_of(part, charset)


def text_of(content: bytes, label: str | None) -> str:
    """Return bytes as text in the charset that a mail declares, or in UTF-8 if they are that, despite the label.

    Two bytes of another charset can be a character of UTF-8, too: 谢 of GB 18030 is л. Three are no coincidence.
    """
    codec = codec_of(label)
    text = charsets.decoded(content, codec)
    if content.isascii() or (codec or "utf").startswith("utf") or not charsets.is_utf8(content):
        return text
    in_utf8 = charsets.decoded(content)
    return in_utf8 if len(text) == len(content) or max(in_utf8) >= "\u0800" else text


def codec_of(label: str | None) -> str | None:
    """Return Python's codec for a charset as mails name them; None for one that is unknown or unsafe."""
    name = (label or "").strip().strip("\"'").lower()[:40]
    page = _CODE_PAGE.fullmatch(name)
    if page is not None:
        return f"cp{page[1]}" if page[1] in _CODE_PAGES else None
    return _CHARSETS.get(name) or (charsets.codec_of(name) if name.isascii() else None)


def address_and_name(raw: str) -> tuple[str, str]:
    """Return the one address of a header in lower case, and the name beside it; ("", "") if there is not one."""
    found = addresses(raw)
    if len(set(found)) != 1:
        return "", ""
    name = raw.rpartition("<")[0].strip().strip('"') if "<" in raw else ""
    if not name and raw.rstrip().endswith(")"):
        name = raw.partition("(")[2].rstrip(") ")
    return found[0], re.sub(r"\\(.)", r"\1", name).strip().strip("'\"")


def only_address(raw: str) -> str:
    """Return the address of a header in which no program can read another one, in lower case; "" if there's none.

    Programs disagree about what isn't well-formed: in `"a@b.example"@c.example`, some read a@b.example.
    """
    if len(raw) > MAX_CERTAIN_CHARACTERS:
        return ""
    found = _WITHOUT_COMMENTS.fullmatch(_QUOTED.sub("", raw)) or _WITHOUT_QUOTES.fullmatch(raw)
    return next((each for each in found.groups() if each), "").lower() if found else ""


def addresses(raw: str) -> list[str]:
    """Return the addresses of a header in lower case, at most 1,000."""
    raw = raw[:MAX_HEADER_CHARACTERS]
    try:
        found = [address for _, address in getaddresses([raw]) if _ADDRESS.fullmatch(address)]
    except (ValueError, IndexError, RecursionError):
        found = []
    if not found:  # the parser gives up on the whole header for one mistake
        found = _IN_ANGLES.findall(raw) or _ADDRESS.findall(raw)
    usable = (address.lower() for address in found[:MAX_ADDRESSES])
    return [address for address in usable if len(address) <= MAX_ADDRESS_CHARACTERS and address.isprintable()]


def message_ids(raw: str) -> list[str]:
    """Return the message IDs of a header, without their angles, in their order."""
    return _ID.findall(raw)
