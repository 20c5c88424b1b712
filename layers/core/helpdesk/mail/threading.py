"""What keeps the mails of a conversation in one thread of a mail program: their subject and their headers.

Gmail wants the same subject, apart from "Re:", and a mail that it knows in In-Reply-To or References. Outlook goes by
the subject and In-Reply-To, Apple Mail by the headers alone (RFC 5322, section 3.6.4).

SES gives each mail an ID of its own. So all of them refer to one that no mail has, which stands for the conversation,
and to the customer's own mails.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from helpdesk.platform.settings import settings

MAX_REFERENCES = 20
MAX_HEADER_CHARACTERS = 870
"""The longest value of a header that SES accepts (API reference, MessageHeader)."""

# What mail programs put in front of the subject of an answer: English, German, Dutch, Scandinavian, Italian, Polish,
# Portuguese, Turkish, Spanish, Chinese and Japanese. Some count in brackets.
_ANSWERS = re.compile(
    r"^\s*(?:(?:re|aw|antw|antwort|antwoord|sv|vs|rv|rif|ref|odp|res|ynt|回复|回覆|答复|返信)\s*(?:\[\d+\])?\s*[:\uff1a]\s*)+",
    re.IGNORECASE,
)
_MESSAGE_ID = re.compile(r"[!-;=?-~]+")


class Earlier(NamedTuple):
    """A message that a mail quotes: who wrote it, when (ms), its text, and its HTML if it has one."""

    author: str
    at: int
    body: str
    html: str | None = None


class Thread(NamedTuple):
    """Where a mail belongs: the ID of its conversation, the page where the customer finds it, and who wrote last.

    `subject` is that of the customer's newest mail, None if they wrote none. `received` are the Message-IDs of their
    mails, and `earlier` the messages that a mail quotes, oldest first. `unsubscribe` is where the customer turns off
    what the mail is: a notice that answers nothing.
    """

    id: str
    page: str | None = None
    is_automatic: bool = False
    subject: str | None = None
    received: Sequence[str] = ()
    earlier: Sequence[Earlier] = ()
    unsubscribe: str | None = None


def bare(subject: str) -> str:
    """Return a subject without "Re:" and its likes in front."""
    return _ANSWERS.sub("", subject, count=1).strip()


def answer_to(subject: str) -> str:
    """Return the subject of an answer: theirs after a single "Re:"."""
    return f"Re: {bare(subject)}".strip()


def headers(thread: Thread) -> dict[str, str]:
    """Return the headers of a mail in a thread. X-Loop is for `inbound_mail.receiving`, if a mail comes back."""
    root = f"<{thread.id}@{settings().mail_from.rpartition('@')[2]}>"
    room = MAX_HEADER_CHARACTERS - len(root)
    wellformed = (f"<{each}>" for each in thread.received if _MESSAGE_ID.fullmatch(each))
    received = [each for each in wellformed if len(each) < room]
    references: list[str] = []
    for each in reversed(received[1 - MAX_REFERENCES :]):
        room -= len(each) + 1
        if room < 0:
            break
        references.insert(0, each)
    further = {"Auto-Submitted": "auto-replied"} if thread.is_automatic else {}
    if thread.unsubscribe is not None:
        # With one click, in the mail program itself (RFC 8058).
        further["List-Unsubscribe"] = f"<{thread.unsubscribe}>"
        further["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return {
        "In-Reply-To": received[-1] if received else root,
        "References": " ".join([root, *references]),
        "X-Loop": settings().mail_from,
        **further,
    }
