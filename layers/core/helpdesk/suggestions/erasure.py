"""Erasure and export of what suggestions hold of a conversation.

The conversation is marked before, so no suggestion is learned from it any more.
"""

from copy import replace
from typing import NamedTuple

from helpdesk.conversations import service as conversations
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from helpdesk.suggestions import repository
from helpdesk.suggestions.record import LearnedQuestion, Suggestion
from helpdesk.suggestions.schemas import SuggestionStatus
from helpdesk.suggestions.wording import section_heading, title_of, without_greeting


class SuggestedQuestion(NamedTuple):
    """A visitor's question that a suggestion keeps as evidence; `at` is when they asked (ms)."""

    suggestion_id: str
    question: str
    at: int


questions_of = repository.questions.all
"""Return the questions of a conversation that are in suggestions. One query."""


def exported(organization: str, conversation_id: str) -> list[SuggestedQuestion]:
    """Return the questions of a conversation that suggestions keep, oldest first. One query, a read for each."""
    learned = questions_of(organization, conversation_id)
    ids = dict.fromkeys(each.suggestion_id for each in learned)
    found = [repository.suggestions.find(organization, each) for each in ids]
    return [
        SuggestedQuestion(suggestion.id, each.question, each.at)
        for suggestion in found
        if suggestion is not None
        for each in suggestion.evidence
        if each.conversation_id == conversation_id
    ]


def forget(organization: str, question: LearnedQuestion) -> None:
    """Remove what a suggestion holds of the conversation of a question. It may be repeated. Raises Conflict.

    A suggestion that other conversations also support stays, with a title from one of them. One that was accepted stays
    without its texts, which the team made those of a document. Any other is deleted.
    """

    def attempt() -> None:
        seen = repository.suggestions.find(organization, question.suggestion_id)
        if seen is None:
            return
        transaction = Transaction()
        left = _without(seen, question.conversation_id)
        if left is None:
            repository.remove(transaction, seen)
        elif left != seen:
            repository.save(transaction, seen, left)
        else:
            return
        transaction.commit()

    repeat_when_stale(attempt, ConditionFailed)


def delete_for(transaction: Transaction, question: LearnedQuestion) -> None:
    """Add the removal of a question to a transaction, after `forget`. It raises ConditionFailed if it is gone."""
    transaction.delete(question.key, require={}, on_failure=ConditionFailed)


def _without(suggestion: Suggestion, conversation_id: str) -> Suggestion | None:
    """Return a suggestion without a conversation; None if nothing of it may stay."""
    evidence = tuple(each for each in suggestion.evidence if each.conversation_id != conversation_id)
    if suggestion.conversation_id != conversation_id:
        return replace(suggestion, evidence=evidence)
    if evidence:
        other = conversations.find(suggestion.organization, evidence[0].conversation_id)
        heading = title_of(without_greeting(evidence[0].question))
        before, after = section_heading(suggestion.heading), section_heading(heading)
        return replace(
            suggestion,
            evidence=evidence,
            heading=heading,
            title=heading if suggestion.target_doc_id is None else suggestion.title,
            body=suggestion.body.replace(before, after),
            conversation_id=evidence[0].conversation_id,
            conversation_subject="" if other is None else other.subject,
        )
    if suggestion.status is not SuggestionStatus.ACCEPTED:
        return None
    return replace(
        suggestion,
        evidence=(),
        title="",
        body="",
        heading="",
        guidance="",
        conversation_id=None,
        conversation_subject="",
    )
