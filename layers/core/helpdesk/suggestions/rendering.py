"""Suggestions as responses."""

from helpdesk.storage import by_name as by_names
from helpdesk.suggestions.record import Suggestion
from helpdesk.suggestions.schemas import SuggestionShape


def suggestion_shape(suggestion: Suggestion, searches: int) -> SuggestionShape:
    """Return a suggestion as the team reads it; `searches` is how often the help site did not find it."""
    return SuggestionShape.from_record(
        suggestion, decided_by=by_names.id_of(suggestion.decided_by_name), searches=searches
    )
