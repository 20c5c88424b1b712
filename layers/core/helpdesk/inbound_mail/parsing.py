"""Reads a mail: who wrote what to whom, which files it carries, and whether a program wrote it.

A mail comes from anyone, so nothing in it makes reading fail, and the time and memory are bounded by the limits here.
"""

import re
from copy import replace
from email.errors import MisplacedEnvelopeHeaderDefect, MissingHeaderBodySeparatorDefect
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser
from typing import Final

from helpdesk.conversations.errors import MAX_ATTACHMENTS
from helpdesk.inbound_mail import quoting, words
from helpdesk.inbound_mail.parts import MAX_TEXT_CHARACTERS, MailFile, Taken, size, taken_apart
from helpdesk.inbound_mail.quoting import CID
from helpdesk.platform.record import Record
from helpdesk.platform.text import as_name, is_blank

__all__ = ["MailFile", "ReceivedMail", "parse"]

MAX_MAIL_BYTES = 25_000_000
"""Of a bigger mail only the headers are read."""
MAX_HEADER_BYTES = 1_000_000
"""How much of a mail is searched for the end of its headers."""
MAX_LINES = 1_000_000
MAX_LINES_TIMES_BOUNDARIES = 20_000_000
"""The library compares each line with each boundary that is open."""
MAX_SUBJECT_CHARACTERS = 200
MAX_SENDER_NAME_CHARACTERS = 80
MAX_NOTICE_CHARACTERS = 300
"""How long a text is that programs write for readers without HTML."""
MAX_REFERENCES = 50
MAX_SENT_TO = 50

_AUTO_HEADERS: Final = ("X-Autoreply", "X-Autorespond", "X-Autoresponder", "X-Auto-Reply")
_PRECEDENCES: Final = frozenset({"bulk", "junk", "auto_reply", "auto-reply"})
_SUPPRESSED: Final = frozenset({"all", "oof", "autoreply"})
_PROGRAMS: Final = re.compile(r"(?:mailer-daemon|postmaster|(?:no|do-?not)[-_.]?reply)(?![a-z])")
_ARMOR: Final = re.compile(
    r"^-----BEGIN PGP SIGNED MESSAGE-----\n(?:[A-Za-z-]{1,40}: [^\n]{0,200}\n)*\n", re.MULTILINE
)
# Control characters, and what programs write in place of a picture.
_CONTROLS: Final = dict.fromkeys([*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0xFFFC])
_NOTICE: Final = re.compile(
    r"\bHTML\b.{0,80}\b(?:mail|message|client|browser|viewer|reader|format)", re.IGNORECASE | re.DOTALL
)
_ODD_LINES: Final = (MisplacedEnvelopeHeaderDefect, MissingHeaderBodySeparatorDefect)
_CID_IN_TEXT: Final = re.compile(r"\[cid:[^\]\s]{1,300}\]", re.IGNORECASE)


class ReceivedMail(Record):
    """A mail as it was received. Of what it says about itself nothing is proven.

    `sender` and `reply_to` are addresses in lower case: "" and None if there isn't exactly one that can be read.
    `is_sender_certain` says that no other program reads another sender, so it's the one that SES has verified.
    `passed_by` are the addresses that the mail has been sent from before. `references` has the IDs that the mail
    answers, newest first. `text` is what the sender wrote now. `left_out` names what isn't kept.
    """

    message_id: str = ""
    sender: str = ""
    sender_name: str | None = None
    is_sender_certain: bool = False
    reply_to: str | None = None
    passed_by: tuple[str, ...] = ()
    subject: str = ""
    references: tuple[str, ...] = ()
    sent_to: tuple[str, ...] = ()
    text: str = ""
    is_automatic: bool = False
    attachments: tuple[MailFile, ...] = ()
    left_out: tuple[str, ...] = ()


def parse(raw: bytes) -> ReceivedMail:
    """Return what a mail says. Never raises: what can't be read is empty, or named in `left_out`."""
    too_much = _too_much(raw)
    if too_much is not None:
        return _read(_headers_of(raw), Taken(left_out=(too_much,)))
    try:
        mail = BytesParser(policy=words.AS_THEY_CAME).parsebytes(raw)
        taken = taken_apart(mail)
    except Exception:  # noqa: BLE001 the library has no error of its own, and nobody could answer for a mail's faults
        return _read(_headers_of(raw), Taken(left_out=("the text and the files, which can't be read",)))
    return _read(mail, taken)


def _too_much(raw: bytes) -> str | None:
    """Return what is left out of a mail whose parts would take too long to read; None if they are read."""
    if len(raw) > MAX_MAIL_BYTES:
        return f"the text and the files ({size(len(raw))}, more than {size(MAX_MAIL_BYTES)})"
    lines = max(raw.count(b"\n"), raw.count(b"\r"))
    if lines > MAX_LINES or lines * raw.lower().count(b"boundary") > MAX_LINES_TIMES_BOUNDARIES:
        return "the text and the files (too many lines)"
    return None


def _headers_of(raw: bytes) -> Message:
    return BytesHeaderParser(policy=words.AS_THEY_CAME).parsebytes(raw[:MAX_HEADER_BYTES])


def _read(mail: Message, taken: Taken) -> ReceivedMail:
    sender, name = _sender(mail)
    reply_to, _ = words.address_and_name(words.value(mail, "Reply-To"))
    subject = words.decoded(words.value(mail, "Subject"), MAX_SUBJECT_CHARACTERS)
    text, pictures, left_out = _text(taken, subject)
    attachments, too_many = _attached(taken, pictures)
    sent_to = [
        address
        for header in ("To", "Cc")
        for raw in words.values(mail, header)
        for address in words.addresses(raw)
    ]
    return ReceivedMail(
        message_id=next(iter(words.message_ids(words.value(mail, "Message-ID"))), ""),
        sender=sender,
        sender_name=as_name(words.decoded(name, MAX_SENDER_NAME_CHARACTERS)) or None,
        is_sender_certain=sender != "" and _certain_sender(mail) == sender,
        reply_to=reply_to if reply_to not in {"", sender} else None,
        passed_by=tuple(address for raw in words.values(mail, "X-Loop") for address in words.addresses(raw)),
        subject=subject,
        references=_references(mail),
        sent_to=tuple(dict.fromkeys(sent_to))[:MAX_SENT_TO],
        text=text,
        is_automatic=_is_automatic(mail, sender),
        attachments=attachments,
        left_out=(*taken.left_out, *left_out, *too_many),
    )


def _sender(mail: Message) -> tuple[str, str]:
    """Return the address and the name of From. Two senders are none: what SES verified could be the other one."""
    senders = words.values(mail, "From")
    return words.address_and_name(senders[0]) if len(senders) == 1 else ("", "")


def _certain_sender(mail: Message) -> str:
    """Return the sender that any other program reads, too; "" if there's none.

    For the library, `From : a@example.com` isn't a header, and a line without a colon ends them. For others, both are
    headers.
    """
    senders = words.values(mail, "From")
    has_odd_lines = mail.get_unixfrom() or any(isinstance(defect, _ODD_LINES) for defect in mail.defects)
    return words.only_address(senders[0]) if len(senders) == 1 and not has_odd_lines else ""


def _references(mail: Message) -> tuple[str, ...]:
    answered = [found for raw in words.values(mail, "In-Reply-To") for found in words.message_ids(raw)]
    earlier = [found for raw in words.values(mail, "References") for found in words.message_ids(raw)]
    return tuple(dict.fromkeys([*answered, *reversed(earlier)]))[:MAX_REFERENCES]


def _text(taken: Taken, subject: str) -> tuple[str, dict[str, bool], list[str]]:
    """Return what the sender wrote, whether what is kept shows a picture, by its Content-ID, and what is left out."""
    left_out: list[str] = []
    referenced: set[str] = set()
    shown: set[str] = set()
    texts = []
    for body in taken.bodies:
        plain = body.plain.translate(_CONTROLS)
        html = _of_html(body.html, left_out) if body.html else ""
        pictures = set(html.split(CID)[1::2])
        referenced |= pictures
        # The marks in HTML say exactly what is quoted. Else the sender's plain text is what they wrote.
        if is_blank(plain) or quoting.is_marked(html) or (_is_notice(plain) and not is_blank(html)):
            texts.append(html)
        else:
            texts.append(_CID_IN_TEXT.sub("", plain))
            shown |= pictures
    text = "\n\n".join(text for text in texts if not is_blank(text))
    if len(text) > MAX_TEXT_CHARACTERS:
        left_out.append(f"the text after its first {MAX_TEXT_CHARACTERS:,} characters")
        text = text[:MAX_TEXT_CHARACTERS]
    written = quoting.written_now(
        _without_armor(text, left_out), left_out, is_forward=quoting.is_forward(subject)
    )
    pieces = written.split(CID)
    shown |= set(pieces[1::2])
    return "".join(pieces[::2]).strip("\n"), {cid: cid in shown for cid in referenced}, left_out


def _is_notice(plain: str) -> bool:
    """Return whether a text only says that the mail is in HTML."""
    return len(plain) <= MAX_NOTICE_CHARACTERS and _NOTICE.search(plain) is not None


def _of_html(html: str, left_out: list[str]) -> str:
    # Imported with the first mail that has HTML, for the sake of the cold start.
    from helpdesk.inbound_mail import html_text  # noqa: PLC0415

    if html_text.is_too_long(html):
        left_out.append("the end of a very long HTML text")
    return html_text.as_text(html)


def _without_armor(text: str, left_out: list[str]) -> str:
    """Return a text signed with PGP without what surrounds it. An encrypted one is named, and stays."""
    if "-----BEGIN PGP MESSAGE-----" in text:
        left_out.append("an encrypted text (PGP)")
    signed = _ARMOR.search(text)
    if signed is None:
        return text
    left_out.append("a PGP signature")
    body, _, rest = text[signed.end() :].partition("\n-----BEGIN PGP SIGNATURE-----")
    after = rest.partition("-----END PGP SIGNATURE-----")[2]
    return text[: signed.start()] + re.sub("^- ", "", body, flags=re.MULTILINE) + after


def _attached(taken: Taken, pictures: dict[str, bool]) -> tuple[tuple[MailFile, ...], list[str]]:
    """Return the files that are kept, without pictures that only quoted history or a signature shows."""
    files = [
        replace(file, is_inline=True) if file.content_id in pictures else file
        for file in taken.files
        if pictures.get(file.content_id, True)
    ]
    return tuple(files[:MAX_ATTACHMENTS]), [
        f"{file.name} ({size(len(file.content))}, more than {MAX_ATTACHMENTS} files)"
        for file in files[MAX_ATTACHMENTS:]
    ]


def _is_automatic(mail: Message, sender: str) -> bool:
    """Return whether a program sent a mail, so that no program should answer it.

    A Google group passes mails on with the headers of a mailing list. It's often the address of a team, so those
    headers of it don't count. List-Unsubscribe and X-Priority say nothing: people's mails have them, too.
    """
    is_passed_on = bool(words.value(mail, "X-Google-Group-Id"))
    precedences = {value.strip().lower() for value in words.values(mail, "Precedence")}
    suppressed = {
        token.strip().lower()
        for value in words.values(mail, "X-Auto-Response-Suppress")
        for token in value.split(",")
    }
    return (
        any(_says_yes(value) for value in words.values(mail, "Auto-Submitted"))
        or any(_says_yes(value) for header in _AUTO_HEADERS for value in words.values(mail, header))
        or bool(precedences & _PRECEDENCES)
        or bool(suppressed & _SUPPRESSED)
        or (not is_passed_on and ("list" in precedences or bool(words.value(mail, "List-Id").strip())))
        or words.value(mail, "Content-Type").strip().lower().startswith("multipart/report")
        or any(value.strip() in {"", "<>"} for value in words.values(mail, "Return-Path"))
        or _PROGRAMS.match(sender) is not None
    )


def _says_yes(value: str) -> bool:
    return re.split(r"[;(\s]", value.strip().lower(), maxsplit=1)[0] not in {"", "no", "false"}
