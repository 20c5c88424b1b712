"""A knowledge suggestion, its evidence, and the question that it was learned from, as items."""

from typing import Any, Self

from helpdesk.platform.record import Record
from helpdesk.storage import by_name as by_names
from helpdesk.storage import keys
from helpdesk.storage.table import Item
from helpdesk.suggestions.schemas import SuggestionKind, SuggestionStatus


class Evidence(Record):
    """A question that a suggestion answers; `at` is when it was asked (ms)."""

    conversation_id: str
    question: str
    at: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an element of a suggestion's evidence."""
        return cls(item["conversationId"], item["question"], item["at"])

    def to_item(self) -> Item:
        """Return an element of a suggestion's evidence."""
        return {"conversationId": self.conversation_id, "question": self.question, "at": self.at}


class Asked(Record):
    """How many of the evidence's questions the index answers."""

    answered: int
    of: int


class Suggestion(Record, kw_only=True):
    """A suggestion.

    `body` is the whole text of the document as suggested. `guidance` is the part of it that was learned, and `heading`
    the question that it answers: the title of a new document, or of the section in a changed one. `revision` counts
    the writes, and every change of the text or the evidence requires it. `conversation_id` is None once that
    conversation is erased. Times are in ms.
    """

    organization: str
    id: str
    kind: SuggestionKind
    status: SuggestionStatus = SuggestionStatus.PENDING
    title: str
    body: str
    heading: str
    guidance: str
    target_doc_id: str | None
    base_version: int | None
    conversation_id: str | None
    conversation_subject: str
    evidence: tuple[Evidence, ...]
    suggested_at: int
    decided_at: int | None = None
    decided_by_name: str | None = None
    document_id: str | None = None
    answers_now: Asked | None = None
    revision: int = 1

    @property
    def is_pending(self) -> bool:
        """Whether it waits for a decision."""
        return self.status is SuggestionStatus.PENDING

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read a suggestion's item."""
        asked = item["answersNow"]
        return cls(
            organization=organization,
            id=item["id"],
            kind=SuggestionKind(item["kind"]),
            status=SuggestionStatus(item["status"]),
            title=item["title"],
            body=item["body"],
            heading=item["heading"],
            guidance=item["guidance"],
            target_doc_id=item["targetDocId"],
            base_version=item["baseVersion"],
            conversation_id=item["conversationId"],
            conversation_subject=item["conversationSubject"],
            evidence=tuple(map(Evidence.from_item, item["evidence"])),
            suggested_at=item["suggestedAt"],
            decided_at=item["decidedAt"],
            decided_by_name=by_names.optional_from_item(item, "decidedBy"),
            document_id=item["documentId"],
            answers_now=None if asked is None else Asked(int(asked["answered"]), int(asked["of"])),
            revision=int(item["revision"]),
        )

    def to_item(self) -> Item:
        """Return the suggestion as an item."""
        asked = self.answers_now
        return {
            **keys.Suggestion(self.organization, self.id).attributes(),
            "GSI1PK": keys.suggestions_with(self.organization, self.status.value),
            "GSI1SK": self.id,
            "id": self.id,
            "kind": self.kind.value,
            "status": self.status.value,
            "title": self.title,
            "body": self.body,
            "heading": self.heading,
            "guidance": self.guidance,
            "targetDocId": self.target_doc_id,
            "baseVersion": self.base_version,
            "conversationId": self.conversation_id,
            "conversationSubject": self.conversation_subject,
            "evidence": [each.to_item() for each in self.evidence],
            "suggestedAt": self.suggested_at,
            "decidedAt": self.decided_at,
            **by_names.to_item("decidedBy", self.decided_by_name),
            "documentId": self.document_id,
            "answersNow": None if asked is None else {"answered": asked.answered, "of": asked.of},
            "revision": self.revision,
        }

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


class LearnedQuestion(Record, kw_only=True):
    """A question of a conversation, by the id of its last message, and the suggestion that has it.

    `answered_up_to` is the last message of the answer that was read. `event_id` names the event of a suggestion that
    the question began, None where it joined one.
    """

    organization: str
    conversation_id: str
    message_id: str
    suggestion_id: str
    answered_up_to: str
    event_id: str | None

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read the item."""
        return cls(
            organization=organization,
            conversation_id=item["conversationId"],
            message_id=item["messageId"],
            suggestion_id=item["suggestionId"],
            answered_up_to=item["answeredUpTo"],
            event_id=item["eventId"],
        )

    @property
    def key(self) -> keys.LearnedQuestion:
        """The key of its item."""
        return keys.LearnedQuestion(self.organization, self.conversation_id, self.message_id)

    def to_item(self) -> Item:
        """Return the item."""
        return {
            **self.key.attributes(),
            "conversationId": self.conversation_id,
            "messageId": self.message_id,
            "suggestionId": self.suggestion_id,
            "answeredUpTo": self.answered_up_to,
            "eventId": self.event_id,
        }
