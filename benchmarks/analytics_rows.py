"""An organization's year as the rows that analytics keeps: 100,000 conversations, and what goes with them.

Values are random and the same each time. Rows are made as Facts stores them, without the records that they are about.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

from helpdesk.analytics import repository, rows
from helpdesk.analytics.datasets import DATASETS, FieldType
from helpdesk.analytics.rows import Fact
from helpdesk.platform import ids
from helpdesk.platform.units import DAY_MS, HOUR_MS
from helpdesk.storage.table import to_wire

YEAR_DAYS = 365
PER_CONVERSATION = {
    rows.CONVERSATIONS: 1.0,
    rows.MESSAGES: 4.0,
    rows.RATINGS: 0.25,
    rows.CUSTOMERS: 0.4,
    rows.TOOL_RUNS: 0.3,
    rows.TOOL_REQUESTS: 0.05,
    rows.SIGNALS: 0.02,
    rows.TASKS: 0.02,
    rows.DOCUMENTS: 0.005,
    rows.SUGGESTIONS: 0.01,
    rows.LOGS: 0.1,
    rows.USAGE: 0.3,
}
"""How many rows each dataset has for a conversation. Usage of answers and calls is not kept a second time."""

_MANY = {"customer": 0.4, "conversation": 1.0}
_FEW = 12
_WORDS = [
    "invoice",
    "refund",
    "webhook",
    "calendar",
    "parcel",
    "password",
    "export",
    "import",
    "order",
    "delivery",
    "login",
    "signature",
]
_LONGEST = {FieldType.DURATION: 8 * HOUR_MS, FieldType.NUMBER: 400}


def facts(conversations: int, end: int, *, only: str | None = None, seed: int = 1) -> Iterator[Fact]:
    """Yield the rows of the year before an instant (ms), of every dataset or of one."""
    random = Random(seed)  # noqa: S311 - to be the same each time
    for dataset, share in PER_CONVERSATION.items():
        if only not in {None, dataset}:
            continue
        count = max(round(conversations * share), 1)
        for number in range(count):
            at = end - YEAR_DAYS * DAY_MS + int(number * YEAR_DAYS * DAY_MS / count)
            yield Fact(dataset, f"row_{ids.ulid(at, number)}", _values(random, dataset, at, conversations))


def items(organization: str, found: Iterator[Fact]) -> Iterator[dict[str, Any]]:
    """Yield rows as items in DynamoDB's wire form."""
    for fact in found:
        yield to_wire(
            {
                **repository.key_of(organization, fact.dataset, fact.id).attributes(),
                "v": repository.values_text(fact),
                "q": "0" * 40,
            }
        )


def _values(random: Random, dataset: str, at: int, conversations: int) -> list[Any]:
    shape = DATASETS[dataset]
    values: list[Any] = [at, *(at + random.randrange(3 * DAY_MS) for _ in shape.times[1:])]
    values += [
        None if random.random() < 0.1 else _value(random, field, conversations) for field in shape.others
    ]
    return [*values, f"{random.choice(_WORDS)} {random.choice(_WORDS)}"]


def _value(random: Random, field: Any, conversations: int) -> Any:
    match field.type:
        case FieldType.BOOLEAN:
            return random.random() < 0.5
        case FieldType.ENUM:
            return random.choice(field.values)
        case FieldType.ID:
            most = max(int(conversations * _MANY[field.id]), 1) if field.id in _MANY else _FEW
            return f"{field.id[:4]}_{random.randrange(most):026d}"
        case FieldType.STRING:
            return " ".join(random.choice(_WORDS) for _ in range(3))
        case FieldType.NUMBER if field.id in {"stars", "rating"}:
            return random.randint(1, 5)
        case _:
            return random.randrange(1, _LONGEST[field.type])
