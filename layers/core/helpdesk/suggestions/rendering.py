"""Suggestions as responses."""

from helpdesk.storage import by_name as by_names
from helpdesk.suggestions.record import Suggestion
from helpdesk.suggestions.schemas import AnswersNow, EvidenceShape, SuggestionShape


def suggestion_shape(suggestion: Suggestion, searches: int) -> SuggestionShape:
    """Return a suggestion as the team reads it; `searches` is how often the help site did not find it."""
    asked = suggestion.answers_now
    return SuggestionShape(
        id=suggestion.id,
        kind=suggestion.kind,
        status=suggestion.status,
        title=suggestion.title,
        body=suggestion.body,
        target_doc_id=suggestion.target_doc_id,
        base_version=suggestion.base_version,
        conversation_id=suggestion.conversation_id,
        conversation_subject=suggestion.conversation_subject,
        evidence=[
            EvidenceShape(conversation_id=each.conversation_id, question=each.question, at=each.at)
            for each in suggestion.evidence
        ],
        suggested_at=suggestion.suggested_at,
        decided_at=suggestion.decided_at,
        decided_by=by_names.id_of(suggestion.decided_by_name),
        decided_by_name=suggestion.decided_by_name,
        document_id=suggestion.document_id,
        answers_now=None if asked is None else AnswersNow(answered=asked.answered, of=asked.of),
        searches=searches,
    )
