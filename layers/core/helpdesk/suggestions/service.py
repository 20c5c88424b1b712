"""Reviewing knowledge suggestions: lists, accepting and dismissing.

Accepting is one transaction: it writes the document and decides the suggestion, on the condition that the suggestion is
pending and that a document to change has the version that the suggestion is based on. So of two that accept at once one
succeeds, and a crash leaves both undone or both done.
"""

from collections.abc import Iterable, Sequence

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import fitting, next_cursor, position
from helpdesk.knowledge import service as knowledge
from helpdesk.knowledge.documents import Source
from helpdesk.knowledge.errors import DocumentChanged, DocumentNotFound, DocumentSynced
from helpdesk.knowledge.schemas import SourceKind
from helpdesk.knowledge.stopwords import STOP_WORDS
from helpdesk.platform import ids
from helpdesk.platform.errors import InvalidRequest
from helpdesk.search import terms
from helpdesk.site import gaps
from helpdesk.storage.transactions import Transaction
from helpdesk.suggestions import jobs, repository
from helpdesk.suggestions.errors import SuggestionGone, SuggestionSettled, SuggestionStale
from helpdesk.suggestions.record import Suggestion
from helpdesk.suggestions.schemas import (
    SuggestionAnswer,
    SuggestionDecision,
    SuggestionsAnswer,
    SuggestionShape,
    SuggestionsQuery,
    SuggestionStatus,
)

_SHORTEST_STEM = 4
_LONGEST_ENDING = 3

_PARTS_OF_TEXT = {"title", "body", "folder_id"}
_OTHER_PARTS = (
    "A suggestion of the kind `alias` takes only `alias`, and one of another kind takes `title`, `body` and "
    "`folderId`. Send `{}` to accept it as it is."
)


def newest(caller: Caller, query: SuggestionsQuery) -> SuggestionsAnswer:
    """Return a page of suggestions, newest first. Raises InvalidCursor."""
    name = f"knowledge/suggestions?{query.status}"
    place = position(caller, query, name)
    found, end = repository.newest(caller.organization, query.status, query.limit, place)
    searched = _searches(caller.organization, found) if found else {}
    shapes = [SuggestionShape.from_record(each, searches=searched[each.id]) for each in found]
    room = fitting(shapes)
    if room < len(shapes):
        shapes, end = shapes[:room], found[room - 1].id
    return SuggestionsAnswer(suggestions=shapes, next_cursor=next_cursor(caller, end, name))


def get(organization: str, suggestion_id: str) -> SuggestionAnswer:
    """Return a suggestion. Raises SuggestionNotFound."""
    found = repository.suggestions.get(organization, suggestion_id)
    searched = _searches(organization, [found])
    return SuggestionAnswer(suggestion=SuggestionShape.from_record(found, searches=searched[found.id]))


def accept(caller: Caller, suggestion_id: str, wanted: SuggestionDecision) -> SuggestionAnswer:
    """Write the document that a suggestion is for, or change it, with the parts that the caller edited.

    A suggested alias is added to its document, whatever has changed in that since. The suggestion's questions are asked
    of the index once the document is indexed. Raises SuggestionNotFound, SuggestionSettled, SuggestionStale,
    SuggestionGone, InvalidRequest, and what writing a document raises.
    """
    suggestion = repository.suggestions.get(caller.organization, suggestion_id)
    if not suggestion.is_pending:
        raise SuggestionSettled
    if ({"alias"} if suggestion.alias is None else _PARTS_OF_TEXT) & wanted.model_fields_set:
        raise InvalidRequest(_OTHER_PARTS)
    if suggestion.target_doc_id is None:
        _write(caller, suggestion, wanted)
    else:
        try:
            _change(caller, suggestion, suggestion.target_doc_id, wanted)
        except (DocumentChanged, DocumentSynced, DocumentNotFound) as error:
            # It may be this suggestion's own document, just changed by another who accepted it.
            if not repository.suggestions.get(caller.organization, suggestion_id).is_pending:
                raise SuggestionSettled from error
            raise (SuggestionGone if isinstance(error, DocumentNotFound) else SuggestionStale) from error
    return get(caller.organization, suggestion_id)


def dismiss(caller: Caller, suggestion_id: str) -> None:
    """Dismiss a suggestion. The same question with the same answer is not suggested again.

    Raises SuggestionNotFound, SuggestionSettled.
    """
    suggestion = repository.suggestions.get(caller.organization, suggestion_id)
    transaction = Transaction()
    repository.decide(transaction, suggestion, SuggestionStatus.DISMISSED, caller.actor)
    transaction.commit()


def _searches(organization: str, suggestions: Iterable[Suggestion]) -> dict[str, int]:
    """Return how often visitors of the help site searched in vain for what each suggestion answers, by its ID.

    One query. Words are compared without the stemmers of the search library, which the functions of the API don't
    have.
    """
    searched = [(words_of(each.query), each.count) for each in gaps.repeated(organization)]
    return {each.id: _count(searched, each) for each in suggestions}


def words_of(text: str) -> frozenset[str]:
    """Return the terms of the words and numbers of a search or a question, without stop words."""
    words = [word for word in terms.words_of(text) if word.whole not in STOP_WORDS]
    return frozenset(term for word in words for term in (word.parts or (word.whole,)) if term)


def looks_for(search: frozenset[str], question: frozenset[str]) -> bool:
    """Return whether a search, which is a few words, is for the answer to a question.

    All of its words are in the question. A single word is in too many, so it must be the whole question.
    """
    if not search or (len(search) == 1 and len(question) != 1):
        return False
    return all(any(_same_word(word, other) for other in question) for word in search)


def _same_word(one: str, other: str) -> bool:
    """Return whether two words are the same, or one is the other with a short ending: "exporting", "contacts"."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return (
        len(short) >= _SHORTEST_STEM
        and short.isalpha()
        and long.isalpha()
        and long.startswith(short)
        and len(long) - len(short) <= _LONGEST_ENDING
    )


def _count(searched: Sequence[tuple[frozenset[str], int]], suggestion: Suggestion) -> int:
    asked = [words_of(text) for text in (suggestion.heading, *(e.question for e in suggestion.evidence))]
    return sum(count for words, count in searched if any(looks_for(words, question) for question in asked))


def _write(caller: Caller, suggestion: Suggestion, wanted: SuggestionDecision) -> None:
    document_id = ids.new("doc")
    knowledge.write(
        caller.organization,
        knowledge.Draft(
            suggestion.title if wanted.title is None else wanted.title,
            suggestion.body if wanted.body is None else wanted.body,
            wanted.folder_id,
            source=Source(SourceKind.SUGGESTION),
        ),
        caller.actor,
        document_id=document_id,
        extra_writes=lambda transaction: _accept(transaction, caller, suggestion, document_id),
    )


def _change(caller: Caller, suggestion: Suggestion, document_id: str, wanted: SuggestionDecision) -> None:
    knowledge.change(
        caller.organization,
        document_id,
        knowledge.Change(new_alias=suggestion.alias if wanted.alias is None else wanted.alias)
        if suggestion.alias is not None
        else knowledge.Change(
            title=suggestion.title if wanted.title is None else wanted.title,
            body=suggestion.body if wanted.body is None else wanted.body,
            folder_id=wanted.folder_id if "folder_id" in wanted.model_fields_set else knowledge.KEEP,
        ),
        caller.actor,
        version=suggestion.base_version,
        extra_writes=lambda transaction: _accept(transaction, caller, suggestion, document_id),
    )


def _accept(transaction: Transaction, caller: Caller, suggestion: Suggestion, document_id: str) -> None:
    repository.decide(
        transaction, suggestion, SuggestionStatus.ACCEPTED, caller.actor, document_id=document_id
    )
    jobs.put_asking(transaction, caller.organization, suggestion.id)
