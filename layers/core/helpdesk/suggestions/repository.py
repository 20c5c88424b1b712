"""Items of suggestions, and of the questions that they were learned from.

A suggestion is decided on the condition that it is pending. Its text and evidence change on the condition that its
revision is the one that was read. A question is added on the condition that it is in no suggestion.
"""

from copy import replace

from helpdesk.platform import clock
from helpdesk.storage import by_name as by_names
from helpdesk.storage import keys, table
from helpdesk.storage.table import EXISTS, ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.suggestions.errors import (
    SuggestionNotFound,
    SuggestionSettled,
)
from helpdesk.suggestions.record import Asked, LearnedQuestion, Suggestion
from helpdesk.suggestions.schemas import SuggestionStatus

_PREFIX = "SUGGESTION#"
_COMPARED = 100


def find(organization: str, suggestion_id: str) -> Suggestion | None:
    """Return a suggestion, or None if there is none."""
    item = table.get(keys.Suggestion(organization, suggestion_id))
    return None if item is None else Suggestion.from_item(organization, item)


def get(organization: str, suggestion_id: str) -> Suggestion:
    """Return a suggestion. Raises SuggestionNotFound."""
    found = find(organization, suggestion_id)
    if found is None:
        raise SuggestionNotFound
    return found


def newest(
    organization: str, status: SuggestionStatus | None, limit: int, before: str | None
) -> tuple[list[Suggestion], str | None]:
    """Return suggestions older than the id `before`, newest first, and the id to continue from (None at the end).

    One query; a page of long texts can be shorter than `limit`.
    """
    partition = keys.Suggestion(organization, "-").pk
    after = keys.Suggestion(organization, before).attributes() if before else None
    if status is None:
        page = table.query(partition, sk_prefix=_PREFIX, limit=limit, newest_first=True, after=after)
    else:
        listed = keys.suggestions_with(organization, status.value)
        if after is not None:
            after = {**after, "GSI1PK": listed, "GSI1SK": before}
        page = table.query(listed, index="GSI1", limit=limit, newest_first=True, after=after)
    found = [Suggestion.from_item(organization, item) for item in page.items]
    return found, found[-1].id if found and page.after is not None else None


def recent(organization: str) -> list[Suggestion]:
    """Return the newest suggestions of any status, newest first, as they are at this moment. One query."""
    partition = keys.Suggestion(organization, "-").pk
    page = table.query(partition, sk_prefix=_PREFIX, limit=_COMPARED, newest_first=True, consistent=True)
    return [Suggestion.from_item(organization, item) for item in page.items]


def learned_from(organization: str, conversation_id: str) -> list[LearnedQuestion]:
    """Return the questions of a conversation that are in suggestions. One query."""
    partition = keys.Conversation(organization, conversation_id).pk
    items = table.query_all(partition, sk_prefix="LEARNED#")
    return [LearnedQuestion.from_item(organization, item) for item in items]


def put_question(transaction: Transaction, question: LearnedQuestion) -> None:
    """Note that a question is in a suggestion. The transaction raises ConditionFailed if it is in one already."""
    transaction.put(question.to_item(), new=True, on_failure=ConditionFailed)


def move_answer(transaction: Transaction, question: LearnedQuestion, answered_up_to: str) -> None:
    """Note that more of a question's answer was read. The transaction raises ConditionFailed if someone else did."""
    transaction.update(
        question.key,
        "SET answeredUpTo = :now",
        condition="answeredUpTo = :before",
        values={":now": answered_up_to, ":before": question.answered_up_to},
        on_failure=ConditionFailed,
    )


def put_new(transaction: Transaction, suggestion: Suggestion) -> None:
    """Add a suggestion."""
    transaction.put(suggestion.to_item(), new=True)


def save(transaction: Transaction, seen: Suggestion, changed: Suggestion) -> None:
    """Write a suggestion over the one that was read. The transaction raises ConditionFailed if it has changed since."""
    written = replace(changed, revision=seen.revision + 1).to_item()
    changes = {name: value for name, value in written.items() if name not in {"PK", "SK"}}
    transaction.set(
        keys.Suggestion(seen.organization, seen.id),
        changes,
        condition="revision = :seen",
        values={":seen": seen.revision},
        on_failure=ConditionFailed,
    )


def remove(transaction: Transaction, seen: Suggestion) -> None:
    """Delete the suggestion that was read. The transaction raises ConditionFailed if it has changed since."""
    transaction.delete(
        keys.Suggestion(seen.organization, seen.id),
        condition="revision = :seen",
        values={":seen": seen.revision},
        on_failure=ConditionFailed,
    )


def decide(
    transaction: Transaction,
    seen: Suggestion,
    status: SuggestionStatus,
    by_name: str,
    *,
    document_id: str | None = None,
) -> None:
    """Accept or dismiss a pending suggestion. The transaction raises SuggestionSettled or SuggestionNotFound.

    Evidence may have joined it since it was read.
    """
    transaction.update(
        keys.Suggestion(seen.organization, seen.id),
        "SET #status = :status, GSI1PK = :list, decidedAt = :now, decidedByName = :by, decidedBy = :byId, "
        "documentId = :document ADD revision :one",
        condition="#status = :pending",
        names={"#status": "status"},
        values={
            ":status": status.value,
            ":list": keys.suggestions_with(seen.organization, status.value),
            ":now": clock.now_ms(),
            ":by": by_name,
            ":byId": by_names.id_of(by_name),
            ":document": document_id,
            ":one": 1,
            ":pending": SuggestionStatus.PENDING.value,
        },
        on_failure=_not_pending,
    )


def set_answers(suggestion: Suggestion, asked: Asked) -> None:
    """Write what the index answers. Nothing happens if the suggestion is gone."""
    try:
        table.update(
            keys.Suggestion(suggestion.organization, suggestion.id),
            "SET answersNow = :asked ADD revision :one",
            condition=EXISTS,
            values={":asked": {"answered": asked.answered, "of": asked.of}, ":one": 1},
        )
    except ConditionFailed:
        return


def forget_question(transaction: Transaction, question: LearnedQuestion) -> None:
    """Add the removal of what names a question to a transaction. It raises ConditionFailed if that is gone."""
    transaction.delete(question.key, condition=EXISTS, on_failure=ConditionFailed)


def _not_pending(found: Item | None) -> Exception:
    return SuggestionNotFound() if found is None else SuggestionSettled()
