"""What an organization uses of its quotas, as the table counts it. `expires_at` is in seconds."""

from helpdesk.api.admission.limits import Plan
from helpdesk.storage.stored import Stored


class KnowledgeUsage(Stored, kw_only=True):
    """The number of documents and the bytes of their texts, and the plan that limits them."""

    PK, SK = "ORG#{organization}#USAGE", "KNOWLEDGE"
    organization: str
    documents: int
    size: int
    plan: Plan


class ModelUsage(Stored, kw_only=True):
    """The tokens of language models in a month (UTC, `2026-11`), and the plan that limits them.

    The item also has the tokens of each day, such as `day07` (`Period`).
    """

    PK, SK = "ORG#{organization}#USAGE", "MODEL#{month}"
    organization: str
    month: str
    counted: int = 0
    plan: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    turns: int = 0
    expires_at: int | None = None


class FiledSignals(Stored, kw_only=True):
    """How many signals the agent filed on a day (days since 1970), for a customer's ID or, as `all`, together."""

    PK, SK = "ORG#{organization}#USAGE", "SIGNALS#{day}#{whose}"
    organization: str
    day: str
    whose: str
    count: int
    expires_at: int


class SuggestionDay(Stored, kw_only=True):
    """How many suggestions were new on a day (days since 1970)."""

    PK, SK = "ORG#{organization}#SUGGESTION", "DAY#{day}"
    organization: str
    day: str
    count: int
    expires_at: int
