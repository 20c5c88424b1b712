"""The datasets of analytics: which fields their rows have, and of which types.

Specification: Analytics, query.dataset. A row is a list of values in the order of `Dataset.fields`: first the instants,
the default one first, then the other fields, then the row's title. A value is text, a number, true or false, or None
for nothing. Durations and instants are in milliseconds. Rows hold values by place, so a new field is the last of its
dataset.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any

from helpdesk.platform.record import Record

type Values = Sequence[Any]


class FieldType(StrEnum):
    """What the values of a field are."""

    ID = "id"
    STRING = "string"
    ENUM = "enum"
    NUMBER = "number"
    DURATION = "duration"
    TIME = "time"
    BOOLEAN = "boolean"

    @property
    def is_numeric(self) -> bool:
        """Whether a measure can add up its values."""
        return self in {FieldType.NUMBER, FieldType.DURATION}


class DatasetField(Record):
    """A field of a dataset; `values` are the ids of an enumeration."""

    id: str
    label: str
    type: FieldType
    values: tuple[str, ...] = ()


class Dataset(Record):
    """A dataset: the instants that can place a row, the default one first, and the other fields."""

    id: str
    times: tuple[DatasetField, ...]
    others: tuple[DatasetField, ...]

    @property
    def fields(self) -> tuple[DatasetField, ...]:
        """Every field, in the order of a row's values."""
        return self.times + self.others

    @cached_property
    def places(self) -> dict[str, int]:
        """Where in a row the value of each field is."""
        return {field.id: place for place, field in enumerate(self.fields)}

    @property
    def has_own_titles(self) -> bool:
        """Whether a row has a title that none of its fields says."""
        return self.id not in _TITLES

    @property
    def title_place(self) -> int:
        """Where in a row its title is."""
        return len(self.times) + len(self.others)

    def title_of(self, values: Values) -> str | None:
        """Return the title of a row: where a field already says it, the row has none of its own."""
        own = values[self.title_place]
        field = _TITLES.get(self.id)
        return own or (values[self.places[field]] if field else None)


def label_of(identifier: str) -> str:
    """Return an id such as `firstResponseTime` in words: First response time."""
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in identifier)
    words = words.replace("_", " ")
    return words[:1].upper() + words[1:]


def _typed(kind: FieldType, names: str) -> dict[str, DatasetField]:
    return {name: DatasetField(name, label_of(name), kind) for name in names.split()}


def _ids(names: str) -> dict[str, DatasetField]:
    return _typed(FieldType.ID, names)


def _texts(names: str) -> dict[str, DatasetField]:
    return _typed(FieldType.STRING, names)


def _numbers(names: str) -> dict[str, DatasetField]:
    return _typed(FieldType.NUMBER, names)


def _durations(names: str) -> dict[str, DatasetField]:
    return _typed(FieldType.DURATION, names)


def _flags(names: str) -> dict[str, DatasetField]:
    return _typed(FieldType.BOOLEAN, names)


def _enum(name: str, values: str) -> dict[str, DatasetField]:
    # Values are separated by commas, because a status of a signal has a space in it.
    return {name: DatasetField(name, label_of(name), FieldType.ENUM, tuple(values.split(",")))}


def _dataset(identifier: str, times: str, order: str, *fields: dict[str, DatasetField]) -> Dataset:
    known = {name: field for group in fields for name, field in group.items()}
    others = tuple(known[name] for name in order.split())
    return Dataset(identifier, tuple(_typed(FieldType.TIME, times).values()), others)


_TITLES = {"conversations": "subject", "customers": "name", "signals": "title"}
RISKS = "low,medium,reviewed,high"
PRIORITIES = "urgent,high,medium,low"
HANDOFF_REASONS = (
    "asked_for_a_person,no_knowledge,nothing_found,no_text,model_decided,model_stopped,model_failed,tokens_spent,"
    "tokens_of_day,tokens_of_conversation,tokens_of_message,agent_failed,too_many_steps,"
    "too_many_approvals,tool_input,tool_unknown,other"
)

_ALL = (
    _dataset(
        "conversations",
        "startedAt resolvedAt lastMessageAt",
        "status handledBy awaitingHuman assignee customer subject channel messages visitorMessages agentMessages "
        "teamMessages firstResponseTime firstTeamResponseTime resolutionTime reopened handedOff handoffReason rating "
        "archived pageHost pagePath locale timeZone device browser os team",
        _enum("status", "open,resolved"),
        _enum("handledBy", "agent,team"),
        _enum("channel", "chat,outreach,email"),
        _enum("handoffReason", HANDOFF_REASONS),
        _ids("assignee customer team"),
        _texts("subject pageHost pagePath locale timeZone device browser os"),
        _numbers("messages visitorMessages agentMessages teamMessages rating"),
        _durations("firstResponseTime firstTeamResponseTime resolutionTime"),
        _flags("awaitingHuman reopened handedOff archived"),
    ),
    _dataset(
        "ratings",
        "at",
        "stars hasNote conversation customer resolvedBy assignee",
        _numbers("stars"),
        _flags("hasNote"),
        _ids("conversation customer assignee"),
        _enum("resolvedBy", "agent,team"),
    ),
    _dataset(
        "signals",
        "filedAt updatedAt doneAt",
        "kind priority status reporterCount aliases onTaskBoard timeToDone title",
        _enum("kind", "bug,suggestion"),
        _enum("priority", PRIORITIES),
        _enum("status", "open,planned,in progress,in review,done,declined"),
        _numbers("reporterCount aliases"),
        _flags("onTaskBoard"),
        _durations("timeToDone"),
        _texts("title"),
    ),
    _dataset("logs", "at", "kind actor", _texts("kind actor")),
    _dataset(
        "knowledgeDocs",
        "createdAt updatedAt indexedAt",
        "status source folder size answers",
        _enum("status", "indexing,ready,failed"),
        _enum("source", "written,suggestion,crawl,repository"),
        _ids("folder"),
        _numbers("size answers"),
    ),
    _dataset(
        "knowledgeSuggestions",
        "suggestedAt decidedAt",
        "status kind evidence decidedBy timeToDecision",
        _enum("status", "pending,accepted,dismissed"),
        _enum("kind", "new,change,alias"),
        _numbers("evidence"),
        _texts("decidedBy"),
        _durations("timeToDecision"),
    ),
    _dataset(
        "toolRequests",
        "requestedAt decidedAt",
        "tool risk status decidedBy waitTime",
        _texts("tool decidedBy"),
        _enum("risk", RISKS),
        _enum("status", "pending,approved,denied,expired"),
        _durations("waitTime"),
    ),
    _dataset(
        "toolRuns",
        "at",
        "tool endpoint risk outcome duration test conversation",
        _texts("tool"),
        _ids("endpoint conversation"),
        _enum("risk", RISKS),
        _enum("outcome", "succeeded,refused,failed,unknown"),
        _durations("duration"),
        _flags("test"),
    ),
    _dataset(
        "customers",
        "firstSeenAt lastSeenAt",
        "conversations hasEmail name rating",
        _numbers("conversations rating"),
        _flags("hasEmail"),
        _texts("name"),
    ),
    _dataset(
        "tasks",
        "createdAt updatedAt doneAt",
        "status priority assignee createdBy fromSignal commits pullRequests cycleTime",
        _enum("status", "requests,planned,in_progress,in_review,done"),
        _enum("priority", PRIORITIES),
        _ids("assignee"),
        _texts("createdBy"),
        _flags("fromSignal"),
        _numbers("commits pullRequests"),
        _durations("cycleTime"),
    ),
    _dataset(
        "usageEvents",
        "at",
        "kind quantity",
        _enum("kind", "answer,model_tokens_in,model_tokens_out,mail,upload_bytes,crawl_page,tool_run"),
        _numbers("quantity"),
    ),
    _dataset(
        "messages",
        "at",
        "sender conversation customer author length attachments responseTime sources handOff",
        _enum("sender", "visitor,agent,teammate"),
        _ids("conversation customer"),
        _texts("author"),
        _numbers("length attachments sources"),
        _durations("responseTime"),
        _flags("handOff"),
    ),
)

DATASETS: dict[str, Dataset] = {dataset.id: dataset for dataset in _ALL}
"""Every dataset by its id, in the order of the specification."""
