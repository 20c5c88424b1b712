"""Messages, notes and system lines as they are stored, and how messages look in events and to readers.

Specification: Conversation; Events, data by kind. `from_item` and `to_item` are the only code that knows the
attributes of these items; times are milliseconds since 1970.
"""

from enum import StrEnum
from typing import Any, Literal, Self

from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


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

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read the attribute of a message's item."""
        return cls(item["kind"], item["name"], item["avatarUrl"])

    def to_item(self) -> Item:
        """Return the attribute of a message's item."""
        return {"kind": self.kind, "name": self.name, "avatarUrl": self.avatar_url}


class AttachedFile(Record):
    """A file as a message shows it; `size` in bytes."""

    name: str
    size: int
    type: str
    url: str

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an element of a message's attachments."""
        return cls(item["name"], item["size"], item["type"], item["url"])

    def to_item(self) -> Item:
        """Return an element of a message's attachments."""
        return {"name": self.name, "size": self.size, "type": self.type, "url": self.url}


class RatingLine(Record):
    """What a system line says about a visitor's rating."""

    rating_id: str
    stars: int
    note: str

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read the attributes of a system line's item."""
        return cls(item["ratingId"], item["stars"], item["note"])

    def to_item(self) -> Item:
        """Return the attributes of a system line's item."""
        return {"ratingId": self.rating_id, "stars": self.stars, "note": self.note}


class AnswerSource(Record):
    """A section of a knowledge document that an answer of the agent comes from, as it was then."""

    document_id: str
    version: int
    title: str
    heading: str
    url: str | None

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a source of an entry's item."""
        return cls(item["documentId"], item["version"], item["title"], item["heading"], item["url"])

    def to_item(self) -> Item:
        """Return the source as part of an entry's item."""
        return {
            "documentId": self.document_id,
            "version": self.version,
            "title": self.title,
            "heading": self.heading,
            "url": self.url,
        }


class TokenCount(Record):
    """The tokens that a language model read and wrote for an answer."""

    tokens_in: int
    tokens_out: int


class Message(Record):
    """An entry of a thread: a message, a note or a system line.

    `author` is None for the visitor and for system lines. `event_id` names the message.created event of a message.
    `sources` are what an answer of the agent comes from; only the team sees them. `tokens` are kept for counting. A
    `notice` is sent to a customer unasked, and answers nothing.
    """

    id: str
    conversation_id: str
    created_at: int
    sender: Literal["visitor", "agent"]
    author: Author | None
    body: str
    attachments: tuple[AttachedFile, ...] = ()
    kind: EntryKind = EntryKind.MESSAGE
    event_id: str | None = None
    rating: RatingLine | None = None
    sources: tuple[AnswerSource, ...] = ()
    tokens: TokenCount | None = None
    notice: bool = False

    @property
    def by_visitor(self) -> bool:
        """Whether the visitor wrote it."""
        return self.sender == "visitor"

    @property
    def by_person(self) -> bool:
        """Whether a teammate wrote it, or a secret key in the organization's name. Nobody writes a notice."""
        return self.author is not None and self.author.kind == "human" and not self.notice

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an entry's item."""
        return cls(
            id=item["id"],
            conversation_id=item["conversationId"],
            created_at=item["createdAt"],
            sender=item["sender"],
            author=Author.from_item(item["agent"]) if item["agent"] else None,
            body=item["body"],
            attachments=tuple(AttachedFile.from_item(file) for file in item["attachments"]),
            kind=EntryKind(item.get("kind", EntryKind.MESSAGE)),
            event_id=item.get("eventId"),
            rating=RatingLine.from_item(item) if "ratingId" in item else None,
            sources=tuple(AnswerSource.from_item(source) for source in item.get("sources", ())),
            tokens=TokenCount(item["tokensIn"], item["tokensOut"]) if "tokensIn" in item else None,
            notice=bool(item.get("notice", False)),
        )

    def to_item(self) -> Item:
        """Return the attributes of an entry's item, without its keys."""
        return {
            **self.event_data(),
            **({} if self.kind is EntryKind.MESSAGE else {"kind": self.kind.value}),
            **({} if self.event_id is None else {"eventId": self.event_id}),
            **({} if self.rating is None else self.rating.to_item()),
            **({"notice": True} if self.notice else {}),
            **({"sources": [source.to_item() for source in self.sources]} if self.sources else {}),
            **(
                {}
                if self.tokens is None
                else {"tokensIn": self.tokens.tokens_in, "tokensOut": self.tokens.tokens_out}
            ),
        }

    def event_data(self) -> dict[str, Any]:
        """Return `data.message` of an event."""
        return {
            "id": self.id,
            "conversationId": self.conversation_id,
            "createdAt": self.created_at,
            "sender": self.sender,
            "agent": self.author.to_item() if self.author else None,
            "body": self.body,
            "attachments": [file.to_item() for file in self.attachments],
        }
