"""Requests and responses of knowledge suggestions (extends the specification: Events, data by kind)."""

from enum import StrEnum

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, PageQuery
from helpdesk.knowledge.schemas import Alias, BodyText, Title


class SuggestionKind(StrEnum):
    """Whether a suggestion is for a new document, changes the text of one, or adds words that find one."""

    NEW = "new"
    CHANGE = "change"
    ALIAS = "alias"


class SuggestionStatus(StrEnum):
    """The state of a suggestion."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"


class EvidenceShape(Answer):
    """A question that the suggestion answers."""

    conversation_id: str
    question: str
    """What the visitor asked, up to 500 characters."""
    at: Milliseconds
    """When they asked."""


class AnswersNow(Answer):
    """How many of the evidence's questions the knowledge base answers since the suggestion was accepted."""

    answered: int
    """The questions to which the search finds this document, as surely as the agent needs it to answer."""
    of: int
    """The questions that were asked."""


class SuggestionShape(Answer):
    """A suggestion."""

    id: str
    kind: SuggestionKind
    status: SuggestionStatus
    title: str
    """The title that the document would have."""
    body: str
    """The whole text that the document would have, in Markdown. For a change, the suggested section is its end. For an
    alias, the person's answer, which isn't written."""
    alias: str | None
    """The words that would find the document, for the kind `alias`; null otherwise."""
    target_doc_id: str | None
    """The document that it would change; null for a new one."""
    base_version: int | None
    """The version of that document which a change is based on; null otherwise."""
    conversation_id: str | None
    """The conversation that it was learned from; null if that was erased."""
    conversation_subject: str
    """That conversation's subject; empty if it was erased."""
    evidence: list[EvidenceShape]
    """The questions that it answers, oldest first: that of its conversation, and up to 19 of others."""
    suggested_at: Milliseconds
    decided_at: Milliseconds | None
    decided_by: str | None
    """The ID of the person or key."""
    decided_by_name: str | None
    """The person or key that accepted or dismissed it."""
    document_id: str | None
    """The document that was written or changed when it was accepted."""
    answers_now: AnswersNow | None
    """Null until it is accepted and its document is indexed."""
    searches: int
    """How often visitors of the help site searched for this and found nothing that fits, in the last 90 days; those
    searches that were made three times or more."""


class SuggestionsQuery(PageQuery):
    """The parameters of GET /knowledge/suggestions."""

    status: SuggestionStatus | None = None
    """Only suggestions in this state; all by default."""


class SuggestionsAnswer(Answer):
    """The response of GET /knowledge/suggestions, newest first."""

    suggestions: list[SuggestionShape]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end. Long texts can make a page shorter than `limit`."""


class SuggestionAnswer(Answer):
    """One suggestion."""

    suggestion: SuggestionShape


class SuggestionDecision(Body):
    """The body of POST /knowledge/suggestions/{id}/accept: what to write differently. `{}` accepts it as it is."""

    title: Title | None = None
    """Another title, up to 120 characters after trimming. Omit it to keep the suggested one."""
    body: BodyText | None = None
    """Another text, in Markdown, up to 900,000 bytes in UTF-8: the document's whole text. Omit it to keep the
    suggested one."""
    folder_id: str | None = None
    """The ID of the document's folder; null for none. By default a new document is in none, and a changed one stays in
    its folder."""
    alias: Alias | None = None
    """Other words that find the document, up to 120 characters; only for the kind `alias`, which takes nothing else."""
