"""A knowledge suggestion, its evidence, and the question that it was learned from, as items."""

from typing import Any

from helpdesk.platform.record import Record
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.stored import Stored
from helpdesk.suggestions.schemas import SuggestionKind, SuggestionStatus


class Evidence(Record):
    """A question that a suggestion answers; `at` is when it was asked (ms)."""

    conversation_id: str
    question: str
    at: int


class Asked(Record):
    """How many of the evidence's questions the index answers."""

    answered: int
    of: int


class Suggestion(Stored, kw_only=True):
    """A knowledge suggestion. IDs sort by time.

    `body` is the whole text of the document as suggested, or the guidance for an alias. `guidance` is the part of it
    that was learned, and `heading` the question that it answers: the title of a new document, or of the section in a
    changed one, or the alias. `revision` counts the writes, and every change of the text or the evidence requires it.
    `conversation_id` is None once that conversation is erased. Times are in ms.
    """

    PK, SK = "ORG#{organization}#SUGGESTION", "SUGGESTION#{id}"
    GSI1 = "ORG#{organization}#SUGGESTIONS#{status}", "{id}"
    organization: str
    id: str
    kind: SuggestionKind
    status: SuggestionStatus = SuggestionStatus.PENDING
    title: str
    body: str
    heading: str
    guidance: str
    target_doc_id: str | None = None
    base_version: int | None = None
    conversation_id: str | None = None
    conversation_subject: str
    evidence: tuple[Evidence, ...]
    suggested_at: int
    decided_at: int | None = None
    decided_by_name: ActorName | None = None
    document_id: str | None = None
    answers_now: Asked | None = None
    revision: int = 1

    @property
    def alias(self) -> str | None:
        """The words that would find the document."""
        return self.heading if self.kind is SuggestionKind.ALIAS else None

    @property
    def is_pending(self) -> bool:
        """Whether it waits for a decision."""
        return self.status is SuggestionStatus.PENDING

    def event_data(self) -> dict[str, Any]:
        """Return `data.suggestion` of the event (Specification: Events, data by kind)."""
        return {
            "id": self.id,
            "conversationId": self.conversation_id,
            "conversationSubject": self.conversation_subject,
            "title": self.title,
            "body": self.body,
            "targetDocId": self.target_doc_id,
            "suggestedAt": self.suggested_at,
        }


class LearnedQuestion(Stored, kw_only=True):
    """A question of a conversation, by the id of its last message, and the suggestion that has it.

    `answered_up_to` is the last message of the answer that was read. `event_id` names the event of a suggestion that
    the question began, None where it joined one.
    """

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "LEARNED#{message_id}"
    organization: str
    conversation_id: str
    message_id: str
    suggestion_id: str
    answered_up_to: str
    event_id: str | None = None
