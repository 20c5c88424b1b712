"""Conversations, customers, messages, notes, signals, posts and cards as the search index reads them from the table."""

from helpdesk.platform.record import Record, field
from helpdesk.storage.stored import Stored

MALFORMED = (KeyError, TypeError, ValueError, AttributeError)
"""What reading an item raises whose attributes are missing or of another type."""


class SearchableConversation(Stored, kw_only=True):
    """What the index has of a conversation. `last_message_at` is in ms."""

    VIEW_OF = "Conversation"
    PK, SK = "ORG#{organization}#CONV#{id}", "CONV"
    organization: str
    id: str
    customer_id: str
    subject: str
    last_message_at: int


class SearchableCustomer(Stored, kw_only=True):
    """A customer. `created_at` is in ms."""

    VIEW_OF = "Customer"
    PK, SK = "ORG#{organization}#CUS#{id}", "CUS"
    organization: str
    id: str
    name: str | None = None
    email: str | None = None
    created_at: int


class NamedFile(Record):
    """A file by the name that a message shows."""

    name: str


class SearchableEntry(Stored, kw_only=True):
    """What the index has of a message or note."""

    organization: str
    conversation_id: str
    id: str
    body: str
    attachments: tuple[NamedFile, ...] = ()


class SearchableMessage(SearchableEntry):
    """What the index has of a message."""

    VIEW_OF = "Message"
    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "MSG#{id}"


class SearchableNote(SearchableEntry):
    """What the index has of a note."""

    VIEW_OF = "Note"
    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "NOTE#{id}"


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
