"""Items of suggestions, and of the questions that they were learned from.

A suggestion is decided on the condition that it is pending. Its text and evidence change on the condition that its
revision is the one that was read. A question is added on the condition that it is in no suggestion.
"""

from copy import replace

from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from helpdesk.suggestions.errors import SuggestionNotFound, SuggestionSettled
from helpdesk.suggestions.record import Asked, LearnedQuestion, Suggestion
from helpdesk.suggestions.schemas import SuggestionStatus

suggestions = Collection(Suggestion, missing=SuggestionNotFound)
questions = Collection(LearnedQuestion)

_COMPARED = 100


def newest(
    organization: str, status: SuggestionStatus | None, limit: int, before: str | None
) -> tuple[list[Suggestion], str | None]:
    """Return suggestions older than the id `before`, newest first, and the id to continue from (None at the end).

    One query; a page of long texts can be shorter than `limit`.
    """
    if status is None:
        return suggestions.newest(organization, limit=limit, before=before)
    return suggestions.newest(organization, status, index="GSI1", limit=limit, before=before)


def recent(organization: str) -> list[Suggestion]:
    """Return the newest suggestions of any status, newest first, as they are at this moment. One query."""
    return suggestions.page(organization, limit=_COMPARED, newest_first=True, consistent=True).records


def put_question(transaction: Transaction, question: LearnedQuestion) -> None:
    """Record that a question is in a suggestion. The transaction raises ConditionFailed if it is in one already."""
    transaction.put(question, new=True, on_failure=ConditionFailed)


def move_answer(transaction: Transaction, question: LearnedQuestion, answered_up_to: str) -> None:
    """Record that more of a question's answer was read. The transaction raises ConditionFailed if someone else did."""
    transaction.save(
        question,
        replace(question, answered_up_to=answered_up_to),
        require={"answered_up_to": question.answered_up_to},
        on_failure=ConditionFailed,
    )


def save(transaction: Transaction, seen: Suggestion, changed: Suggestion) -> None:
    """Write a suggestion over the one that was read. The transaction raises ConditionFailed if it has changed since."""
    transaction.save(
        seen,
        replace(changed, revision=seen.revision + 1),
        require={"revision": seen.revision},
        on_failure=ConditionFailed,
    )


def remove(transaction: Transaction, seen: Suggestion) -> None:
    """Delete the suggestion that was read. The transaction raises ConditionFailed if it has changed since."""
    transaction.delete(seen.key, require={"revision": seen.revision}, on_failure=ConditionFailed)


def decide(
    transaction: Transaction,
    seen: Suggestion,
    status: SuggestionStatus,
    actor: ActorName,
    *,
    document_id: str | None = None,
) -> None:
    """Accept or dismiss a pending suggestion. The transaction raises SuggestionSettled or SuggestionNotFound.

    Evidence may have joined it since it was read.
    """
    decided = replace(
        seen, status=status, decided_at=clock.now_ms(), decided_by_name=actor, document_id=document_id
    )
    transaction.save(
        seen,
        decided,
        add={"revision": 1},
        require={"status": SuggestionStatus.PENDING},
        on_failure=lambda found: SuggestionSettled() if found else SuggestionNotFound(),
    )


def set_answers(suggestion: Suggestion, asked: Asked) -> None:
    """Write what the index answers. Nothing happens if the suggestion is gone."""
    try:
        table.change(suggestion.key, set={"answers_now": asked}, add={"revision": 1})
    except ConditionFailed:
        return
