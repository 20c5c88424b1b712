"""Rows that are kept, and the usage that rows of other datasets show. No noun is imported: reading rows stays cheap."""

from typing import Any

from helpdesk.analytics.datasets import DATASETS
from helpdesk.platform.record import Record, field
from helpdesk.storage.stored import Stored

CONVERSATIONS, MESSAGES, RATINGS, CUSTOMERS = "conversations", "messages", "ratings", "customers"
LOGS, DOCUMENTS, SUGGESTIONS = "logs", "knowledgeDocs", "knowledgeSuggestions"
SIGNALS, TASKS = "signals", "tasks"
TOOL_REQUESTS, TOOL_RUNS, USAGE = "toolRequests", "toolRuns", "usageEvents"

_SENDER = [field.id for field in DATASETS[MESSAGES].fields].index("sender")


class AnalyticsFact(Stored, kw_only=True):
    """A row of a dataset, in the month (UTC, `2026-11`) of its id's time; `at` is that time, in ms with 13 digits.

    The names of its attributes are short, because queries read thousands.

    values        the row's values as one JSON array, in the order of the dataset's fields; the last of them is how
                  many fields the dataset had
    sequence      the place in the stream of the change that the row shows
    thread        what a conversation's row counts, as JSON
    conversations, newest_conversation, last_seen_at, rating, rated_at   of a customer
    answers       of a document
    """

    PK, SK = "ORG#{organization}#ANALYTICS#{dataset}#{month}", "{at}#{fact_id}"
    organization: str
    dataset: str
    month: str
    at: str
    fact_id: str
    values: str = field(name="v")
    sequence: str = field(name="q")
    thread: str | None = field(name="t", default=None)
    conversations: int | None = field(name="c", default=None)
    newest_conversation: str | None = field(name="n", default=None)
    last_seen_at: int | None = field(name="l", default=None)
    rating: int | None = field(name="r", default=None)
    rated_at: int | None = field(name="rt", default=None)
    answers: int | None = field(name="a", default=None)


class AnalyticsMonths(Stored, kw_only=True):
    """The months in which a dataset has rows, each an attribute of that name."""

    PK, SK = "ORG#{organization}#ANALYTICS", "{dataset}"
    organization: str
    dataset: str


class AnalyticsChange(Stored, kw_only=True):
    """A mark that rows of a partition were written on a day (UTC, `2026-11-23`), for the export; expires by itself."""

    PK, SK = "ANALYTICSCHANGES#{shard}", "{day}#{organization}#{dataset}#{month}"
    shard: str
    day: str
    organization: str
    dataset: str
    month: str
    expires_at: int


class Fact(Record):
    """A row that is kept."""

    dataset: str
    id: str
    values: list[Any]


def fact(dataset: str, identifier: str, own_title: str | None, /, **values: Any) -> Fact:
    """Return a row with a value for each field of its dataset, and a title where no field has it."""
    fields = DATASETS[dataset].fields
    return Fact(dataset, identifier, [*(values[field.id] for field in fields), own_title or ""])


def usage_of_message(values: list[Any], identifier: str) -> list[Fact]:
    """Return the usage that the row of a message shows: an answer of the agent and the model's tokens."""
    if values[_SENDER] != "agent":
        return []
    quantities = {"answer": 1}
    tokens = values[DATASETS[MESSAGES].title_place + 1 :]
    if tokens:
        quantities |= {"model_tokens_in": tokens[0], "model_tokens_out": tokens[1]}
    return [
        fact(USAGE, f"{identifier}.{kind}", None, at=values[0], kind=kind, quantity=quantity)
        for kind, quantity in quantities.items()
    ]


def usage_of_call(values: list[Any], identifier: str) -> list[Fact]:
    """Return the usage that the row of a tool's call shows."""
    return [fact(USAGE, f"{identifier}.tool_run", None, at=values[0], kind="tool_run", quantity=1)]
