"""Conversations, customers, messages, notes, signals, posts and cards as the search index reads them from the table."""

from typing import Self

from helpdesk.platform.record import Record
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


class CustomerRecord(Record):
    """A customer. `created_at` is in ms."""

    id: str
    name: str | None
    email: str | None
    created_at: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Return the customer of an item. Raises as `ConversationRecord.from_item` does."""
        return cls(
            id=str(item["id"]),
            name=item.get("name"),
            email=item.get("email"),
            created_at=int(item["createdAt"]),
        )


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


class BacklogRecord(Record):
    """A signal, a post or a card. `created_at` is in ms; `number` is that of a card, `customer_id` a post's author."""

    id: str
    texts: tuple[str, ...]
    created_at: int
    number: int | None = None
    customer_id: str | None = None

    @classmethod
    def of_signal(cls, item: Item) -> Self:
        """Return the signal of an item. Raises UnreadableItem."""
        signal = SearchableSignal.from_item(item)
        return cls(signal.id, (signal.title, signal.body, *signal.aliases), signal.filed_at)

    @classmethod
    def of_post(cls, item: Item) -> Self:
        """Return the post of an item, to which its whole text is added. Raises UnreadableItem."""
        post = SearchablePost.from_item(item)
        return cls(post.id, (post.title, post.body), post.created_at, customer_id=post.customer_id)

    @classmethod
    def of_task(cls, item: Item) -> Self:
        """Return the card of an item. Raises UnreadableItem."""
        task = SearchableTask.from_item(item)
        return cls(task.id, (task.title, task.description), task.created_at, number=task.number)


class SearchableTask(Stored, kw_only=True):
    """What the index has of a card."""

    VIEW_OF = "Task"
    PK, SK = "ORG#{organization}#TASK#{id}", "TASK"
    organization: str
    id: str
    number: int
    title: str
    description: str
    created_at: int


class SearchableSignal(Stored, kw_only=True):
    """What the index has of a signal."""

    VIEW_OF = "Signal"
    PK, SK = "ORG#{organization}#SIGNAL#{id}", "SIGNAL"
    organization: str
    id: str
    title: str
    body: str
    aliases: tuple[str, ...]
    filed_at: int


class SearchablePost(Stored, kw_only=True):
    """What the index has of a post. Its text is an item of its own."""

    VIEW_OF = "Post"
    PK, SK = "ORG#{organization}#POST#{id}", "POST"
    organization: str
    id: str
    title: str
    body: str = ""
    created_at: int
    customer_id: str | None = None


class SearchablePostBody(Stored):
    """The text of a post."""

    VIEW_OF = "PostBody"
    PK, SK = "ORG#{organization}#POST#{post_id}", "BODY"
    organization: str
    post_id: str
    body: str
