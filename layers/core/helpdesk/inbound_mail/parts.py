"""Takes a mail apart: its text, the files that it carries, and what is named and not kept."""

import mimetypes
import re
from collections.abc import Sequence
from email.message import Message
from typing import Final

from helpdesk.conversations.files.errors import MAX_FILE_BYTES, MAX_NAME_CHARACTERS
from helpdesk.conversations.files.media_types import MEDIA_TYPE, UNTYPED
from helpdesk.conversations.files.sniffing import is_refused
from helpdesk.inbound_mail import words
from helpdesk.platform.record import Record
from helpdesk.platform.text import as_name

MAX_PARTS = 50
MAX_LEVELS = 20
MAX_TEXT_CHARACTERS = 200_000
"""How much of the text is read."""
MAX_LEFT_OUT = 50

_NAMED: Final = {
    "application/ms-tnef": "a file in Outlook's own format",
    "application/vnd.ms-tnef": "a file in Outlook's own format",
    "text/calendar": "a calendar invitation",
    "application/ics": "a calendar invitation",
    "message/delivery-status": "a delivery report",
    "message/disposition-notification": "a read receipt",
    "message/feedback-report": "a complaint",
    "application/pgp-encrypted": "encrypted with PGP",
    "application/pgp-signature": "a PGP signature",
    "application/pkcs7-mime": "encrypted or signed with S/MIME",
    "application/x-pkcs7-mime": "encrypted or signed with S/MIME",
    "application/pkcs7-signature": "an S/MIME signature",
    "application/x-pkcs7-signature": "an S/MIME signature",
}
_TEXTS: Final = frozenset({"text/plain", "text/html", "text/enriched", "text/richtext"})
_OTHER_FORMS: Final = frozenset({"text/x-amp-html", "text/watch-html"})  # of the HTML beside them


class MailFile(Record):
    """A file that a mail carries. `type` is the media type as declared."""

    name: str
    type: str
    content: bytes
    is_inline: bool
    content_id: str = ""


class Body(Record):
    """A piece of a mail's text, in the forms in which the mail has it."""

    plain: str = ""
    html: str = ""


class Taken(Record):
    """What a mail consists of."""

    bodies: tuple[Body, ...] = ()
    files: tuple[MailFile, ...] = ()
    left_out: tuple[str, ...] = ()


def taken_apart(mail: Message) -> Taken:
    """Return a mail's text, files, and what of it is named and not kept, in their order."""
    taking = _Taking()
    bodies = taking.bodies(mail, 1)
    if taking.unread:
        taking.leave_out(f"{taking.unread} more parts")
    return Taken(
        bodies=tuple(bodies), files=tuple(taking.files), left_out=tuple(taking.left_out[:MAX_LEFT_OUT])
    )


class _Taking:
    """The state while a mail is taken apart."""

    def __init__(self) -> None:
        self.files: list[MailFile] = []
        self.left_out: list[str] = []
        self.parts = 0
        self.unread = 0

    def leave_out(self, what: str) -> None:
        if what not in self.left_out:
            self.left_out.append(what)

    def bodies(self, part: Message, level: int, *, is_text: bool = True) -> list[Body]:
        """Return the pieces of text in a part, and note its files. `is_text`: a text is one even if it has a name."""
        kind = _type(part)
        children = part.get_payload()
        if kind.startswith("multipart/"):
            if isinstance(children, list):
                return self._of_children(kind, children, level)
            kind = "text/plain"  # without a boundary, all of it is text
        self.parts += 1
        if self.parts > MAX_PARTS:
            self.unread += 1
            return []
        name = _name(part)
        disposition = words.value(part, "Content-Disposition").partition(";")[0].strip().lower()
        if kind in _TEXTS and disposition != "attachment" and (is_text or not name):
            text = _text(part)
            return [Body(plain=text) if kind == "text/plain" else Body(html=text)]
        if kind in _OTHER_FORMS and not name:
            return []
        self._take_file(part, kind, name, is_inline=disposition == "inline")
        return []

    def _of_children(self, kind: str, children: Sequence[Message | str], level: int) -> list[Body]:
        if level >= MAX_LEVELS:
            self.leave_out(f"parts nested more than {MAX_LEVELS} levels deep")
            return []
        if kind == "multipart/encrypted":
            self.leave_out("an encrypted part (PGP)")
            return []
        is_text = kind == "multipart/alternative"
        found = [
            body
            for child in children[: MAX_PARTS + 1]
            if isinstance(child, Message)
            for body in self.bodies(child, level + 1, is_text=is_text)
        ]
        self.unread += len(children[MAX_PARTS + 1 :])
        if not is_text:
            return found
        plain = "\n".join(body.plain for body in found if body.plain)
        html = "\n".join(body.html for body in found if body.html)
        return [Body(plain=plain, html=html)] if plain or html else []

    def _take_file(self, part: Message, kind: str, name: str, *, is_inline: bool) -> None:
        if kind in _NAMED or name.lower() == "winmail.dat":
            what = _NAMED.get(kind, _NAMED["application/ms-tnef"])
            self.leave_out(f"{name} ({what})" if name else what)
            return
        content = _content(part)
        name = name or (_mail_name(part) if kind == "message/rfc822" else _unnamed(kind))
        if not content:
            self.leave_out(f"{name} (empty)")
        elif len(content) > MAX_FILE_BYTES:
            self.leave_out(f"{name} ({size(len(content))}, more than {size(MAX_FILE_BYTES)})")
        elif is_refused(kind, content, complete=True):
            self.leave_out(f"{name} ({size(len(content))}, a type that can't be attached)")
        elif not _is_dot(content):
            content_id = next(iter(words.message_ids(words.value(part, "Content-ID"))), "")
            self.files.append(
                MailFile(name=name, type=kind, content=content, is_inline=is_inline, content_id=content_id)
            )


def size(count: int) -> str:
    """Return a number of bytes as people read it: "812 bytes", "14 KB", "3 MB"."""
    for unit, one in (("MB", 1_000_000), ("KB", 1_000)):
        if count >= one:
            return f"{round(count / one):,} {unit}"
    return f"{count} bytes"


def _type(part: Message) -> str:
    """Return a part's media type, or that of bytes of which nothing is known."""
    declared = words.value(part, "Content-Type")
    kind = next(iter(re.split(r"[;\s]", declared.strip(), maxsplit=1)), "").lower()
    if not kind:
        return part.get_default_type()
    if kind == "text":
        return "text/plain"
    return kind if MEDIA_TYPE.fullmatch(kind) else UNTYPED


def _name(part: Message) -> str:
    """Return the name of a part's file, without folders; "" if it has none."""
    for header, parameter in (("content-disposition", "filename"), ("content-type", "name")):
        try:
            found = part.get_param(parameter, None, header)
        except (ValueError, LookupError, TypeError, AttributeError):
            continue
        if isinstance(found, tuple):
            charset, _, encoded = found
            text = words.text_of(encoded.encode("latin-1", "replace"), charset)
        else:
            text = words.decoded(str(found or ""), words.MAX_DECODED_CHARACTERS)
        name = as_name(re.split(r"[/\\]", text)[-1], MAX_NAME_CHARACTERS)
        if name.strip("."):
            return name
    return ""


def _unnamed(kind: str) -> str:
    """Return a name for a file that has none: "image.png"."""
    return f"{kind.partition('/')[0]}{mimetypes.guess_extension(kind) or ''}"


def _content(part: Message) -> bytes:
    """Return a part's bytes. What is encoded wrongly is decoded as far as it goes."""
    try:
        content = part.get_payload(decode=True)
    except (ValueError, LookupError, TypeError, AttributeError):
        content = None
    if isinstance(content, bytes):
        return content
    raw = part.get_payload()
    if isinstance(raw, str):
        return raw.encode("utf-8", "surrogateescape")
    return b"\n".join(_as_bytes(inner) for inner in raw or [] if isinstance(inner, Message))


def _as_bytes(mail: Message) -> bytes:
    """Return a mail that is attached to another one as the bytes of an .eml file."""
    try:
        return mail.as_bytes()
    except Exception:  # noqa: BLE001 the library raises what it likes for a mail that isn't well-formed
        headers = "".join(f"{name}: {value}\n" for name, value in mail.items())
        texts = (part.get_payload() for part in mail.walk())
        whole = "\n".join([headers, *(text for text in texts if isinstance(text, str))])
        return whole.encode("utf-8", "surrogateescape")


def _text(part: Message) -> str:
    """Return a part's text in the charset that it declares, else UTF-8, else Windows-1252."""
    text = words.text_of(_content(part), _parameter(part, "charset"))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _parameter(part, "format").lower() == "flowed":
        text = unflowed(text, del_sp=_parameter(part, "delsp").lower() == "yes")
    return text


def _parameter(part: Message, name: str) -> str:
    try:
        found = part.get_param(name, "")
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""
    return (found[2] if isinstance(found, tuple) else str(found or "")).strip()


def unflowed(text: str, *, del_sp: bool) -> str:
    """Return text of format=flowed with the lines joined that were one (RFC 3676)."""
    lines: list[str] = []
    open_depth = -1  # the depth of quotes at which the last line goes on
    for line in text.split("\n"):
        bare = line.lstrip(">")
        depth = len(line) - len(bare)
        bare = bare.removeprefix(" ")
        is_flowed = bare.endswith(" ") and bare != "-- "
        shown = bare[:-1] if is_flowed and del_sp else bare
        if open_depth == depth and bare != "-- ":
            lines[-1] += shown
        else:
            lines.append(f"{'>' * depth} {shown}" if depth else shown)
        open_depth = depth if is_flowed else -1
    return "\n".join(lines)


def _mail_name(part: Message) -> str:
    inner = part.get_payload()
    mails = [mail for mail in inner if isinstance(mail, Message)] if isinstance(inner, list) else []
    subject = words.value(mails[0], "Subject") if mails else ""
    name = as_name(re.sub(r"[/\\]", " ", words.decoded(subject, 100)))
    return f"{name or 'mail'}.eml"


def _is_dot(content: bytes) -> bool:
    """Return whether a picture is one pixel, as those are that report that a mail was read."""
    if content[:4] == b"GIF8":
        return content[6:10] == b"\x01\0\x01\0"
    return content[:8] == b"\x89PNG\r\n\x1a\n" and content[16:24] == b"\0\0\0\x01\0\0\0\x01"
