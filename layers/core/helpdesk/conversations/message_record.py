"""Messages, notes and system lines as they are stored, and how messages look in events and to readers.

Specification: Conversation; Events, data by kind. Times are milliseconds since 1970.
"""

from enum import StrEnum
from typing import Any, Literal

from helpdesk.conversations.files.record import AttachedFile
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage.stored import Stored, field, plain
from helpdesk.storage.table import ConditionFailed

MAIL_ENTRY_KEPT_SECONDS = 365 * DAY_SECONDS


class MailState(StrEnum):
    """How far the mail of a message is."""

    BEGUN = "begun"
    BEGUN_AGAIN = "begun_again"
    """Nobody knows whether it was sent the first time."""
    SENT = "sent"
    REFUSED = "refused"
    BOUNCED = "bounced"
    COMPLAINED = "complained"
    """The customer marked it as spam."""

    @property
    def is_result(self) -> bool:
        """Whether it's known what became of the mail."""
        return self not in {MailState.BEGUN, MailState.BEGUN_AGAIN}


class EntryKind(StrEnum):
    """What an entry of a thread is. The visitor sees messages only."""

    MESSAGE = "message"
    NOTE = "note"
    SYSTEM = "system"


class Author(Record):
    """Who wrote on the organization's side."""

    kind: Literal["ai", "human"]
    name: str
    avatar_url: str | None = None


class AnswerSource(Record):
    """A section of a knowledge document that an answer of the agent comes from, as it was then."""

    document_id: str
    version: int
    title: str
    heading: str
    url: str | None


class FoundPage(Record):
    """A page that the agent found before it handed the conversation to the team, as it was then.

    `url` is where visitors could read it, None if they couldn't. `score` is from 0 to 1.
    """

    document_id: str
    title: str
    url: str | None
    score: float


class IncomingMail(Record):
    """The mail that a visitor's message came in.

    `message_id` is the header Message-ID without its brackets. `address` is who sent it, by the header From, and `name`
    what they call themselves. `is_verified` says that the sending domain vouches for the address. `source` is where the
    whole mail is kept for 30 days: the key of an object.
    """

    message_id: str
    address: str
    name: str | None
    is_verified: bool
    subject: str
    source: str | None

    @property
    def hash(self) -> str:
        """What distinguishes it from other mails."""
        return mail_hash(self.address, self.message_id, is_verified=self.is_verified)


def mail_hash(address: str, message_id: str, *, is_verified: bool) -> str:
    """Return the hash of a mail: of its Message-ID and its sender, so that nobody can use up the ID of another's mail.

    A mail that others forge uses up none of a verified sender.
    """
    return sha256_hex(f"{sender_key(address, is_verified=is_verified)}\n{message_id}")


def sender_key(address: str, *, is_verified: bool) -> str:
    """Return what distinguishes the owner of an address from those who only write it into their mails."""
    return address if is_verified else f"unverified {address}"


class MailEntry(Stored, kw_only=True):
    """The entry that a mail became: each mail makes one, and answers to it join its conversation."""

    PK, SK = "ORG#{organization}#MAIL#{mail_hash}", "MAIL"
    organization: str
    mail_hash: str
    conversation_id: str
    entry_id: str
    expires_at: int


class AlreadyReceived(ConditionFailed):
    """The mail has come before, and made an entry."""


class Entry(Stored, kw_only=True):
    """An entry of a thread: a `Message` or a `Note`. `author` is None for the visitor and for system lines."""

    organization: str
    conversation_id: str
    id: str
    created_at: int
    sender: Literal["visitor", "agent"]
    author: Author | None = field(name="agent", default=None)
    body: str
    attachments: tuple[AttachedFile, ...] = ()

    @property
    def kind(self) -> EntryKind:
        """What it is."""
        return EntryKind.MESSAGE

    @property
    def by_visitor(self) -> bool:
        """Whether the visitor wrote it."""
        return self.sender == "visitor"


class Message(Entry, kw_only=True):
    """A message that the visitor sees.

    `event_id` names its message.created event. `sources` are what an answer of the agent comes from; only the team sees
    them. The tokens that a language model read and wrote for an answer are kept for counting. A `notice` is sent to a
    customer unasked, and answers nothing. `choices` are the two pages that the agent asked about. `received` is the
    mail that a visitor's message came in. `mail` is how far the message's own mail is, None if it isn't mailed.
    """

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "MSG#{id}"
    event_id: str | None = None
    sources: tuple[AnswerSource, ...] = ()
    tokens_in: int | None = None
    tokens_out: int | None = None
    notice: bool = False
    choices: tuple[FoundPage, ...] = ()
    received: IncomingMail | None = None
    mail: MailState | None = None

    @property
    def by_person(self) -> bool:
        """Whether a teammate wrote it, or a secret key in the organization's name. Nobody writes a notice."""
        return self.author is not None and self.author.kind == "human" and not self.notice

    def event_data(self) -> dict[str, Any]:
        """Return `data.message` of an event."""
        return {
            "id": self.id,
            "conversationId": self.conversation_id,
            "createdAt": self.created_at,
            "sender": self.sender,
            "agent": plain(self.author),
            "body": self.body,
            "attachments": plain(self.attachments),
        }


class Note(Entry, kw_only=True):
    """A line that only the team sees: a teammate's note, or a system line.

    A line about a visitor's rating has the rating's ID and stars, and what the visitor noted with it. A line about a
    hand-off has the pages that the agent found. The fan-out reads a line that has an `entity`.
    """

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "NOTE#{id}"
    kind: EntryKind
    rating_id: str | None = None
    stars: int | None = None
    rating_note: str | None = field(name="note", default=None)
    found: tuple[FoundPage, ...] = ()
    entity: str | None = None
