"""Compares a draft with earlier suggestions and with the knowledge base, and decides what it is proposed as.

Questions and answers are compared by their words. When unsure they are different: a second suggestion costs the team a
click, and a question that joins the wrong one is never answered.
"""

import re

from helpdesk.knowledge import language, listing, public_pages, retrieval
from helpdesk.knowledge.errors import DocumentNotFound
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.knowledge.terms import words_of
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.suggestions.drafting import Draft
from helpdesk.suggestions.errors import MAX_CHANGED_BYTES
from helpdesk.suggestions.schemas import SuggestionKind
from helpdesk.suggestions.wording import section_heading

SAME_QUESTION = 0.6
"""The least share of the words of both questions that both have."""
SAME_GUIDANCE = 0.5
HELD = 0.8
"""The least share of an answer's words that a text has which says the same."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LINK = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|no|never|cannot|without|unable|\w+n't)\b", re.IGNORECASE)


class Proposal(Record):
    """The document as proposed. For a change: the changed one, and the version of it that was read.

    For an alias: the document to find, with the guidance as its text.
    """

    kind: SuggestionKind
    title: str
    body: str
    target_doc_id: str | None
    base_version: int | None


def same_question(one: str, other: str) -> bool:
    """Return whether two questions ask the same."""
    return _shared(one, other) >= SAME_QUESTION and _numbers(one) == _numbers(other)


def same_guidance(one: str, other: str) -> bool:
    """Return whether two answers say the same: mostly the same words, the same numbers, and both or neither deny."""
    return (
        _shared(one, other) >= SAME_GUIDANCE
        and _numbers(one) == _numbers(other)
        and _denies(one) == _denies(other)
    )


def already_says(text: str, guidance: str) -> bool:
    """Return whether a text has nearly every word and every number of an answer."""
    wanted = _words(guidance)
    if not wanted:
        return True
    held = len(wanted & _words(text)) / len(wanted)
    return held >= HELD and _numbers(guidance) <= _numbers(text) and (_denies(text) or not _denies(guidance))


def proposal(organization: str, question: str, drafted: Draft) -> Proposal | None:
    """Return what to propose for a draft; None if the knowledge base says it already.

    A document is on the subject if the agent would answer the question from it. The guidance then becomes a section at
    its end. A document that is synced from a page or a repository, or is large, is not changed: the guidance becomes a
    document of its own.

    Where the agent would not answer though a document has the guidance, or though the guidance links to one, the
    question becomes an alias of that.
    """
    passages = retrieval.find(organization, question) or []
    answering = passages[0].document_id if passages and passages[0].score >= retrieval.CONFIDENT else None
    linked = _linked(organization, drafted.guidance)
    saying = next((each for each in passages if already_says(each.text, drafted.guidance)), None)
    if answering is not None:
        if saying is not None or (linked is not None and linked.document_id == answering):
            return None
        return _change(organization, answering, drafted) or _new(drafted)
    if linked is not None:
        return _alias(linked.document_id, linked.title, drafted)
    if saying is not None:
        return _alias(saying.document_id, saying.title, drafted)
    return _new(drafted)


def _shared(one: str, other: str) -> float:
    words, others = _words(one), _words(other)
    return len(words & others) / len(words | others) if words and others else 0.0


def _words(text: str) -> set[str]:
    """Return the stems of the words that say something about the subject."""
    return words_of(text, language.language_of(text))


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _denies(text: str) -> bool:
    return _NEGATION.search(text.replace("’", "'")) is not None


def _linked(organization: str, guidance: str) -> DocumentPage | None:
    """Return the first document that an answer links to, by its public page or its article on the help site.

    No call without a link. Otherwise one, and a query for each 1 MB of documents' addresses.
    """
    links = [link.rstrip(".,;:!?)>]*_") for link in _LINK.findall(guidance)]
    return public_pages.linked(organization, links, settings().base_url) if links else None


def _alias(document_id: str, title: str, drafted: Draft) -> Proposal:
    return Proposal(SuggestionKind.ALIAS, title, drafted.guidance, document_id, None)


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
