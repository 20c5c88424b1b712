"""Rows that are kept, and the usage that rows of other datasets show. No noun is imported: reading rows stays cheap."""

from typing import Any

from helpdesk.analytics.datasets import DATASETS
from helpdesk.platform.record import Record

CONVERSATIONS, MESSAGES, RATINGS, CUSTOMERS = "conversations", "messages", "ratings", "customers"
LOGS, DOCUMENTS, SUGGESTIONS = "logs", "knowledgeDocs", "knowledgeSuggestions"
SIGNALS, TASKS = "signals", "tasks"
TOOL_REQUESTS, TOOL_RUNS, USAGE = "toolRequests", "toolRuns", "usageEvents"

_SENDER = [field.id for field in DATASETS[MESSAGES].fields].index("sender")


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
