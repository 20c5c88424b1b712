"""Decides what a draft is proposed as: a new document, a change of one on the subject, or nothing."""

from helpdesk.knowledge import listing, retrieval
from helpdesk.knowledge.errors import DocumentNotFound
from helpdesk.platform.record import Record
from helpdesk.suggestions import matching
from helpdesk.suggestions.drafting import Draft
from helpdesk.suggestions.errors import MAX_CHANGED_BYTES
from helpdesk.suggestions.schemas import SuggestionKind
from helpdesk.suggestions.wording import section_heading


class Proposal(Record):
    """The document as proposed. For a change: the changed one, and the version of it that was read."""

    kind: SuggestionKind
    title: str
    body: str
    target_doc_id: str | None
    base_version: int | None


def proposal(organization: str, question: str, drafted: Draft) -> Proposal | None:
    """Return what to propose for a draft; None if the knowledge base says it already.

    A document is on the subject if the agent would answer the question from it. The guidance then becomes a section at
    its end. A document that is synced from a page or a repository, or is large, is not changed: the guidance becomes a
    document of its own.
    """
    passages = retrieval.find(organization, question) or []
    if passages and passages[0].score >= retrieval.CONFIDENT:
        if any(matching.already_says(passage.text, drafted.guidance) for passage in passages):
            return None
        return _change(organization, passages[0].document_id, drafted) or _new(drafted)
    return _new(drafted)


def _new(drafted: Draft) -> Proposal:
    return Proposal(SuggestionKind.NEW, drafted.title, drafted.guidance, None, None)


def _change(organization: str, document_id: str, drafted: Draft) -> Proposal | None:
    try:
        document = listing.get(organization, document_id).document
    except DocumentNotFound:
        return None
    if document.source.kind.synced:
        return None
    body = f"{document.body.rstrip()}{section_heading(drafted.title)}{drafted.guidance}\n"
    if len(body.encode()) > MAX_CHANGED_BYTES:
        return None
    return Proposal(SuggestionKind.CHANGE, document.title, body, document.id, document.version)
