"""Asks the questions of an accepted suggestion of the index, once its document is indexed.

It shows whether accepting helped: a question counts as answered if the best passage is of the suggestion's document and
sure enough for the agent to answer from it.
"""

from enum import StrEnum

from helpdesk.knowledge import listing, retrieval
from helpdesk.knowledge.errors import DocumentNotFound
from helpdesk.knowledge.schemas import DocumentStatus
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.storage.transactions import Transaction
from helpdesk.suggestions import jobs, repository
from helpdesk.suggestions.jobs import AskJob
from helpdesk.suggestions.record import Asked

PATIENCE_MS = DAY_MS
"""How long the questions wait for the document to be indexed."""


class NotIndexed(Exception):
    """The document is not indexed yet; the queue tries again."""


class Outcome(StrEnum):
    """The result of the job, for the log."""

    ASKED = "asked"
    GONE = "gone"  # the suggestion or its document is not there
    NOT_INDEXED = "not_indexed"  # indexing failed, or takes too long
    POSTPONED = "postponed"


def ask(job: AskJob, *, last_try: bool) -> Outcome:
    """Ask the questions and keep how many are answered. On the last try a new job takes the place of this one.

    Raises NotIndexed if the queue is to try again. Calls: suggestion, document, index, suggestion.
    """
    suggestion = repository.suggestions.find(job.organization, job.suggestion_id)
    if suggestion is None or suggestion.document_id is None or suggestion.decided_at is None:
        return Outcome.GONE
    try:
        document = listing.get(job.organization, suggestion.document_id).document
    except DocumentNotFound:
        return Outcome.GONE
    if document.status is DocumentStatus.FAILED:
        return Outcome.NOT_INDEXED
    if document.status is not DocumentStatus.READY:
        if clock.now_ms() - suggestion.decided_at > PATIENCE_MS:
            return Outcome.NOT_INDEXED
        if not last_try:
            raise NotIndexed
        transaction = Transaction()
        jobs.put_asking(transaction, job.organization, job.suggestion_id)
        transaction.commit()
        return Outcome.POSTPONED
    answered = sum(_answers(job.organization, each.question, document.id) for each in suggestion.evidence)
    repository.set_answers(suggestion, Asked(answered, len(suggestion.evidence)))
    return Outcome.ASKED


def _answers(organization: str, question: str, document_id: str) -> bool:
    passages = retrieval.find(organization, question)
    if not passages:
        return False
    return passages[0].document_id == document_id and passages[0].score >= retrieval.CONFIDENT
