"""Export of what suggestions hold of a conversation."""

from typing import NamedTuple

from helpdesk.suggestions import repository


class SuggestedQuestion(NamedTuple):
    """A visitor's question that a suggestion keeps as evidence; `at` is when they asked (ms)."""

    suggestion_id: str
    question: str
    at: int


def questions_of(organization: str, conversation_id: str) -> list[SuggestedQuestion]:
    """Return the questions of a conversation that suggestions keep, oldest first. One query, a read for each."""
    suggestion_ids = dict.fromkeys(
        noted.suggestion_id for noted in repository.learned_from(organization, conversation_id)
    )
    found = [repository.find(organization, suggestion_id) for suggestion_id in suggestion_ids]
    return [
        SuggestedQuestion(suggestion.id, each.question, each.at)
        for suggestion in found
        if suggestion is not None
        for each in suggestion.evidence
        if each.conversation_id == conversation_id
    ]
