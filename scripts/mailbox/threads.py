"""Mails as a mail program shows them: read, and put into threads by Gmail's rules.

A mail joins a thread if its In-Reply-To or References name a mail of the thread, or what that mail refers to, and if
its subject is the same but for `Re:` and the like.
"""

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, parseaddr
from typing import Any, cast

from scripts.mailbox.files import MailFile

_ID = re.compile(r"<[^<>\s]+>")
_REPLY = re.compile(r"^(?:\s*(?:re|aw|sv|antw|fwd?|wg|tr|rv|enc|i|res)\s*(?:\[\d+\])?:)+\s*", re.IGNORECASE)


@dataclass
class Mail:
    """A mail that went out or came in, as the page shows it. `ids` are its own and those that it refers to."""

    name: str
    at: float
    went_out: bool
    headers: list[tuple[str, str]]
    text: str
    html: str | None
    files: list[str] = field(default_factory=list)

    def header(self, name: str) -> str:
        """Return a header's first value; empty without one."""
        return next((value for each, value in self.headers if each.lower() == name.lower()), "")

    @property
    def subject(self) -> str:
        """The subject; empty without one."""
        return self.header("Subject")

    @property
    def message_id(self) -> str:
        """The Message-ID in its brackets."""
        return self.header("Message-ID").strip()

    @property
    def references(self) -> list[str]:
        """The IDs that it refers to, the oldest first."""
        found = _ID.findall(self.header("References")) + _ID.findall(self.header("In-Reply-To"))
        return list(dict.fromkeys(found))

    @property
    def sender(self) -> str:
        """The From header."""
        return self.header("From")

    @property
    def recipient(self) -> str:
        """The To header."""
        return self.header("To")

    @property
    def customer(self) -> str:
        """The person outside: the recipient of a mail that went out, the sender of one that came in."""
        return self.recipient if self.went_out else self.sender

    @property
    def goes_on_to(self) -> str:
        """The address that the customer's next mail goes to: an answer, or another mail where this one went."""
        return parseaddr((self.header("Reply-To") or self.sender) if self.went_out else self.recipient)[1]


@dataclass
class Thread:
    """Mails that belong together, oldest first."""

    mails: list[Mail]
    ids: set[str]

    @property
    def name(self) -> str:
        """The name of its first mail, by which the page finds it."""
        return self.mails[0].name

    @property
    def newest(self) -> Mail:
        """The last mail."""
        return self.mails[-1]


def read(file: MailFile) -> Mail:
    """Return a mail as it is shown."""
    if file.sent is None:
        return _shown(file, message_from_bytes(file.raw, policy=SMTP), went_out=False)
    content = file.sent["Content"]
    if "Raw" in content:
        mail = message_from_bytes(base64.b64decode(content["Raw"]["Data"]), policy=SMTP)
        shown = _shown(file, mail, went_out=True)
        own = {"message-id", "date"}
        kept = [(name, value) for name, value in shown.headers if name.lower() not in own]
        shown.headers = [*kept, *_of_ses(file)]
        return shown
    simple = content["Simple"]
    body = simple["Body"]
    headers = [
        ("From", file.sent["FromEmailAddress"]),
        ("To", ", ".join(file.sent["Destination"]["ToAddresses"])),
        ("Subject", simple["Subject"]["Data"]),
        *(("Reply-To", each) for each in file.sent.get("ReplyToAddresses", [])),
        *((each["Name"], each["Value"]) for each in simple.get("Headers", [])),
        *_of_ses(file),
    ]
    texts = [body.get(kind, {}).get("Data", "") for kind in ("Text", "Html")]
    return Mail(file.name, file.at, went_out=True, headers=headers, text=texts[0], html=texts[1] or None)


def _of_ses(file: MailFile) -> list[tuple[str, str]]:
    """Return the headers that SES sets itself, whatever it's asked for."""
    sent: dict[str, Any] = file.sent or {}
    return [("Date", formatdate(file.at)), ("Message-ID", f"<{sent['MessageId']}>")]


def _shown(file: MailFile, parsed: Any, *, went_out: bool) -> Mail:
    mail = cast("EmailMessage", parsed)
    headers = [(name, _one_line(value)) for name, value in mail.raw_items()]
    text, html = (_content(mail, kind) for kind in ("plain", "html"))
    attached = [part.get_filename("") or part.get_content_type() for part in mail.iter_attachments()]
    decoded = {"subject", "from", "to", "reply-to"}
    headers = [(name, _decoded(mail, name) if name.lower() in decoded else value) for name, value in headers]
    return Mail(file.name, file.at, went_out, headers, text or "", html, attached)


def _content(mail: EmailMessage, kind: str) -> str | None:
    part = mail.get_body((kind,))
    if part is None:
        return None
    try:
        return str(part.get_content()).replace("\r\n", "\n")
    except (LookupError, UnicodeError, KeyError):  # an unknown charset
        return bytes(part.get_payload(decode=True) or b"").decode("latin-1")


def _decoded(mail: EmailMessage, name: str) -> str:
    try:
        return _one_line(mail[name])
    except (ValueError, IndexError, AttributeError):  # the parser of addresses fails for some that are wrong
        return _one_line(next(value for each, value in mail.raw_items() if each.lower() == name.lower()))


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def threads(mails: Iterable[Mail]) -> list[Thread]:
    """Return the threads of mails, which come oldest first; the thread with the newest mail first."""
    found: list[Thread] = []
    for mail in mails:
        ids = {mail.message_id, *mail.references} - {""}
        thread = next(
            (each for each in reversed(found) if ids & each.ids and _same_subject(mail, each.newest)), None
        )
        if thread is None:
            found.append(Thread([mail], ids))
        else:
            thread.mails.append(mail)
            thread.ids |= ids
    return sorted(found, key=lambda thread: thread.newest.at, reverse=True)


def _same_subject(mail: Mail, other: Mail) -> bool:
    return bare_subject(mail.subject) == bare_subject(other.subject)


def bare_subject(subject: str) -> str:
    """Return a subject without `Re:` and the like."""
    return _REPLY.sub("", subject).strip()


def quoted(mail: Mail, when: str) -> str:
    """Return a mail as an answer quotes it."""
    lines = "\n".join(f"> {line}".rstrip() for line in mail.text.strip().splitlines())
    return f"On {when}, {mail.sender} wrote:\n{lines}"


def references_of_answer(mail: Mail) -> Sequence[str]:
    """Return the References of an answer to a mail (RFC 5322, section 3.6.4)."""
    return list(dict.fromkeys([*mail.references, mail.message_id]))
