"""Response schemas of erasures and exports."""

from helpdesk.api.http.schemas import Answer, Milliseconds
from helpdesk.conversations.schemas import ConversationShape, ThreadEntry
from helpdesk.customers.schemas import CustomerShape, FactShape
from helpdesk.signals.shapes import ReporterImage
from helpdesk.tools.approvals.schemas import ApprovalShape


class ErasureCounts(Answer):
    """What an erasure removed, by kind."""

    customers: int
    conversations: int
    messages: int
    notes: int
    """Notes of the team, and system lines in threads."""
    ratings: int
    files: int
    """Attached files: their content and metadata."""
    events: int
    """Events of messages, with their deliveries."""
    facts: int
    posts: int
    """Posts on the feedback board, with all their votes and comments, which the next two do not count."""
    votes: int
    """Votes for posts of others."""
    comments: int
    """Comments on posts of others."""
    threads: int
    """Threads in chat workspaces, and places in community servers. Helpdesk forgets which they are; what was posted
    stays there until you delete it."""


class Receipt(Answer):
    """The receipt of an erasure. The only data of the customer in it is the ID, which does not identify a person."""

    id: str
    customer_id: str | None
    """Null if conversations were erased because of the retention period."""
    requested_at: Milliseconds
    finished_at: Milliseconds | None
    """Null while the erasure runs, which takes seconds for most customers."""
    counts: ErasureCounts | None
    """Null while the erasure runs."""


class ReceiptAnswer(Answer):
    """DELETE /customers/{id} and GET /erasures/{id}."""

    receipt: Receipt


class ExportedRating(Answer):
    """A visitor's rating of one resolution."""

    id: str
    stars: int
    note: str
    """The visitor's comment; empty without one."""
    at: Milliseconds


class ExportedQuestion(Answer):
    """A question of the customer that a knowledge suggestion keeps as evidence."""

    suggestion_id: str
    question: str
    at: Milliseconds


class ExportedThread(Answer):
    """A thread in a chat workspace, or a place in a community server, in which a conversation appears."""

    app: str
    """The integration: `chatmirror` or `chatcommunity`."""
    workspace: str
    """The workspace or server, by its ID."""
    channel: str
    """Its ID, which a rename keeps. In a community server also that of a thread."""
    thread: str
    """The time stamp of its first message, by which the workspace names it. In a community server the ID of the
    question; empty in a thread of its own, and for an alert."""


class ExportedConversation(Answer):
    """A conversation, or a part of one.

    A conversation that does not fit continues on the next page, where it appears again with further entries.
    """

    conversation: ConversationShape
    messages: list[ThreadEntry]
    """Messages, oldest first, then entries that only the team sees (`kind` is note or system), oldest first."""
    ratings: list[ExportedRating]
    suggested_questions: list[ExportedQuestion]
    """On the page where the conversation begins; empty on others."""
    approvals: list[ApprovalShape]
    """Tool calls that waited for a person, on the page where the conversation begins; empty on others."""
    threads: list[ExportedThread]
    """Where the conversation is in a chat workspace, on the page where it begins; empty on others."""


class ExportedPost(Answer):
    """A post of the customer on the feedback board."""

    id: str
    number: int
    title: str
    body: str
    created_at: Milliseconds


class ExportedVote(Answer):
    """A vote of the customer for a post."""

    post_id: str
    at: Milliseconds


class ExportedComment(Answer):
    """A comment of the customer on a post."""

    id: str
    post_id: str
    body: str
    created_at: Milliseconds


class ExportedReport(Answer):
    """A bug or suggestion that the customer reported."""

    signal_id: str
    title: str
    who: str
    quote: str
    conversation_ids: list[str]
    images: list[ReporterImage]
    reported_at: Milliseconds
    notified_at: Milliseconds | None


class ExportAnswer(Answer):
    """GET /customers/{id}/export: all data of a customer, in pages."""

    customer: CustomerShape | None
    """On the first page; null on the others."""
    facts: list[FactShape]
    """Oldest first. All facts come before the first post, vote or comment."""
    reports: list[ExportedReport]
    """The bugs and suggestions that the customer reported: on the first page; empty on the others."""
    posts: list[ExportedPost]
    """On the feedback board, by post, as are votes and comments. All of them come before the first conversation."""
    votes: list[ExportedVote]
    comments: list[ExportedComment]
    conversations: list[ExportedConversation]
    """In the order in which they started."""
    next_cursor: str | None
    """Send it as `cursor` for the next page. Null at the end."""
