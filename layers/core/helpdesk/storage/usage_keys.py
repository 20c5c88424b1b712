"""Keys of what an organization uses of its quotas. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class KnowledgeUsage(ItemKey):
    """The number and bytes of knowledge documents, and the plan that limits them, so that a quota is a condition."""

    PK, SK = "ORG#{organization}#USAGE", "KNOWLEDGE"
    organization: str


class ModelUsage(ItemKey):
    """The tokens of language models in a month (UTC, `2026-11`) and on its days, and the plan that limits them."""

    PK, SK = "ORG#{organization}#USAGE", "MODEL#{month}"
    organization: str
    month: str


class FiledSignals(ItemKey):
    """How many signals the agent filed on a day (days since 1970), for a customer's id or, as `all`, together."""

    PK, SK = "ORG#{organization}#USAGE", "SIGNALS#{day}#{whose}"
    organization: str
    day: str
    whose: str


class SuggestionDay(ItemKey):
    """How many suggestions a day brought (days since 1970), so that their limit is a condition and not a count."""

    PK, SK = "ORG#{organization}#SUGGESTION", "DAY#{day}"
    organization: str
    day: str
