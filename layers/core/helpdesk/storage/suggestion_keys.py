"""Keys of knowledge suggestions. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class Suggestion(ItemKey):
    """A knowledge suggestion: its text, its questions, and the decision; IDs sort by time."""

    PK, SK = "ORG#{organization}#SUGGESTION", "SUGGESTION#{suggestion_id}"
    organization: str
    suggestion_id: str


class SuggestionDay(ItemKey):
    """How many suggestions a day brought (days since 1970), so that their limit is a condition and not a count."""

    PK, SK = "ORG#{organization}#SUGGESTION", "DAY#{day}"
    organization: str
    day: str


class LearnedQuestion(ItemKey):
    """A visitor's question that is in a suggestion, by its last message, so that it is in no other."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "LEARNED#{message_id}"
    organization: str
    conversation_id: str
    message_id: str


def suggestions_with(organization: str, status: str) -> str:
    """Return GSI1's partition of an organization's suggestions in one state; sorted by id, so by time."""
    return f"ORG#{organization}#SUGGESTIONS#{status}"
