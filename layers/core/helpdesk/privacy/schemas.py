"""What goes out of the routes of erasures and exports."""

from helpdesk.conversations.schemas import ConversationShape, ThreadEntry
from helpdesk.customers.schemas import CustomerShape, FactShape
from helpdesk.http.schemas import Answer, Milliseconds


class ErasureCounts(Answer):
    """How much an erasure removed, by kind."""

    customers: int
    conversations: int
    messages: int
    notes: int
    """Notes of the team, and lines that the service put into threads for it."""
    ratings: int
    files: int
    """Attached files: their bytes and what was known of them."""
    events: int
    """Events of messages, with what was known of their deliveries."""
    facts: int


class Receipt(Answer):
    """The receipt of an erasure. Of the customer it holds nothing but the id, which tells nobody who it was."""

    id: str
    customer_id: str | None
    """Null where conversations were erased because they had been kept for as long as is wanted."""
    requested_at: Milliseconds
    finished_at: Milliseconds | None
    """Null while it runs, which takes seconds for most customers."""
    counts: ErasureCounts | None
    """Null while it runs."""


class ReceiptAnswer(Answer):
    """The answer of DELETE /customers/{id} and GET /erasures/{id}."""

    receipt: Receipt


class ExportedRating(Answer):
    """A visitor's rating of one resolution."""

    id: str
    stars: int
    note: str
    """What the visitor wrote with it; empty where they wrote nothing."""
    at: Milliseconds


class ExportedConversation(Answer):
    """A conversation, or a part of one.

    One that does not fit goes on in the next page, where it comes again with its further entries.
    """

    conversation: ConversationShape
    messages: list[ThreadEntry]
    """What the visitor sees, oldest first, then what the team alone sees (`kind` is note or system), oldest first."""
    ratings: list[ExportedRating]


class ExportAnswer(Answer):
    """GET /customers/{id}/export: all that is kept of a customer, in pages."""

    customer: CustomerShape | None
    """On the first page alone; null on the others."""
    facts: list[FactShape]
    """The oldest first. All facts come before the first conversation."""
    conversations: list[ExportedConversation]
    """In the order in which they were started."""
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""
