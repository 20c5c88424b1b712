"""Conversations, customers, messages, notes, signals, posts and cards as the search index reads them from the table."""

from typing import Self

from helpdesk.platform.record import Record, field
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import Item

MALFORMED = (KeyError, TypeError, ValueError, AttributeError)
"""What reading an item raises whose attributes are missing or of another type."""


class ConversationRecord(Record):
    """A conversation. `last_message_at` is in ms."""

    id: str
    customer_id: str
    subject: str | None
    last_message_at: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Return the conversation of an item. Raises KeyError, TypeError or ValueError if the item is malformed."""
        return cls(
            id=str(item["id"]),
            customer_id=str(item["customerId"]),
            subject=item["subject"],
            last_message_at=int(item["lastMessageAt"]),
        )


class SearchableCustomer(Stored, kw_only=True):
    """A customer. `created_at` is in ms."""

    VIEW_OF = "Customer"
    PK, SK = "ORG#{organization}#CUS#{id}", "CUS"
    organization: str
    id: str
    name: str | None = None
    email: str | None = None
    created_at: int


class EntryRecord(Record):
    """A message or note, with the names of its attachments."""

    id: str
    conversation_id: str
    body: str
    attachments: tuple[str, ...]

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Return the message or note of an item. Raises as `ConversationRecord.from_item` does."""
        return cls(
            id=str(item["id"]),
            conversation_id=str(item["conversationId"]),
            body=str(item["body"]),
            attachments=tuple(str(file["name"]) for file in item["attachments"]),
        )


class BacklogRecord(Stored, kw_only=True):
    """A signal, a post or a card. `created_at` is in ms."""

    organization: str
    id: str
    title: str
    created_at: int

    @property
    def texts(self) -> tuple[str, ...]:
        """What is searched."""
        raise NotImplementedError

    @property
    def card_number(self) -> int | None:
        """The number of a card."""
        return None

    @property
    def author_id(self) -> str | None:
        """The customer who wrote a post."""
        return None


class SearchableTask(BacklogRecord, kw_only=True):
    """What the index has of a card."""

    VIEW_OF = "Task"
    PK, SK = "ORG#{organization}#TASK#{id}", "TASK"
    number: int
    description: str

    @property
    def texts(self) -> tuple[str, ...]:
        """The title and the description."""
        return (self.title, self.description)

    @property
    def card_number(self) -> int | None:
        """The number, by which the card is found, too."""
        return self.number


class SearchableSignal(BacklogRecord, kw_only=True):
    """What the index has of a signal."""

    VIEW_OF = "Signal"
    PK, SK = "ORG#{organization}#SIGNAL#{id}", "SIGNAL"
    created_at: int = field(name="filedAt")
    body: str
    aliases: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The title, the body and the former titles."""
        return (self.title, self.body, *self.aliases)


class SearchablePost(BacklogRecord, kw_only=True):
    """What the index has of a post. Its text is an item of its own."""

    VIEW_OF = "Post"
    PK, SK = "ORG#{organization}#POST#{id}", "POST"
    body: str = ""
    customer_id: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The title and the text."""
        return (self.title, self.body)

    @property
    def author_id(self) -> str | None:
        """The customer who wrote it."""
        return self.customer_id


class SearchablePostBody(Stored):
    """The text of a post."""

    VIEW_OF = "PostBody"
    PK, SK = "ORG#{organization}#POST#{post_id}", "BODY"
    organization: str
    post_id: str
    body: str
