"""How often visitors of the help site searched in vain for what a suggestion answers."""

from collections.abc import Iterable, Sequence

from helpdesk.site import gaps
from helpdesk.suggestions import matching
from helpdesk.suggestions.record import Suggestion


def counts(organization: str, suggestions: Iterable[Suggestion]) -> dict[str, int]:
    """Return the number of such searches for each suggestion, by its id. One query."""
    searched = [(matching.words(each.query), each.count) for each in gaps.repeated(organization)]
    return {each.id: _count(searched, each) for each in suggestions}


def _count(searched: Sequence[tuple[frozenset[str], int]], suggestion: Suggestion) -> int:
    asked = [
        matching.words(text) for text in (suggestion.heading, *(e.question for e in suggestion.evidence))
    ]
    return sum(
        count for words, count in searched if any(matching.looks_for(words, question) for question in asked)
    )
