"""Items of the rows that analytics reads.

A row's item has its values as one JSON array, so that thousands are read quickly. The last of them is how many fields
the dataset had: a row of an earlier release has nothing in the fields that came after it. What changes from elsewhere
than the row's own record (a customer's conversations, a document's answers) are numbers beside it, so that each of the
writers changes its own attribute. `sequence` is the place in the stream of the change that the row shows: an older
change never replaces a newer one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from helpdesk.analytics import changed_repository
from helpdesk.analytics.aggregation import Found
from helpdesk.analytics.datasets import DATASETS
from helpdesk.analytics.rows import (
    CUSTOMERS,
    DOCUMENTS,
    SIGNALS,
    TOOL_RUNS,
    AnalyticsFact,
    AnalyticsMonths,
    Fact,
)
from helpdesk.analytics.thread import Thread
from helpdesk.analytics.windows import Window, month_of
from helpdesk.customers.record import Customer
from helpdesk.platform import ids
from helpdesk.platform.units import DAY_MS, MINUTE_MS
from helpdesk.storage import table
from helpdesk.storage.changes import below
from helpdesk.storage.stored import Key, attribute
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_SLACK_MS = 2 * MINUTE_MS
"""How far the time in an id can be from the row's default time: an entry of the log has the id of its minute."""
_WAIT_MS = {TOOL_RUNS: 2 * DAY_MS, SIGNALS: 2 * DAY_MS}
"""How much later than its id a row's default time can be.

A call is sent once it is approved, within 24 hours. A signal that the agent files has the id of the visitor's message,
which can wait for such a call, too.
"""
_FIRST_SEQUENCE = ""
_VALUES = attribute(AnalyticsFact, "values")
# Numbers beside the values, by dataset: the attribute, and the field that it is.
_BESIDE = {
    CUSTOMERS: {"c": "conversations", "l": "lastSeenAt", "r": "rating"},
    DOCUMENTS: {"a": "answers"},
}
_noted: set[tuple[str, str, str]] = set()
_MAX_NOTED = 10_000


class StoredConversation(NamedTuple):
    """A conversation's row as it is stored."""

    values: list[Any]
    thread: Thread
    sequence: str


def is_gone(item: Mapping[str, Any] | None) -> bool:
    """Return whether an item is removed, or marked by an erasure."""
    return item is None or "erasing" in item


def key_of(organization: str, dataset: str, identifier: str) -> Key:
    """Return the key of a row."""
    at = ids.made_at(identifier)
    return AnalyticsFact.key_for(organization, dataset, month_of(at), f"{at:013d}", identifier)


def conversation(organization: str, conversation_id: str) -> StoredConversation | None:
    """Return a conversation's row, or None."""
    item = table.get(key_of(organization, "conversations", conversation_id))
    if item is None:
        return None
    row = AnalyticsFact.from_item(item)
    values = _values("conversations", json.loads(row.values))
    return StoredConversation(values, msgspec.json.decode(row.thread or "[]", type=Thread), row.sequence)


def titles(organization: str, dataset: str, identifiers: Sequence[str]) -> dict[str, str]:
    """Return what rows are called, by id; those without a title are missing. One call for up to 100."""
    found = table.get_many([key_of(organization, dataset, each) for each in identifiers], consistent=False)
    called = {
        item["SK"][14:]: DATASETS[dataset].title_of(_values(dataset, json.loads(item[_VALUES])))
        for item in found.values()
    }
    return {identifier: title for identifier, title in called.items() if title}


def existing(organization: str, dataset: str, identifiers: Sequence[str]) -> set[str]:
    """Return which of the ids have rows. One call for up to 100."""
    found = table.get_many([key_of(organization, dataset, each) for each in identifiers])
    return {item["SK"][14:] for item in found.values()}


def put_conversation(
    organization: str, fact: Fact, thread: Thread, sequence: str, before: StoredConversation | None
) -> None:
    """Put a conversation's row in place of the one that was read, or of none. Raises ConditionFailed."""
    _note(organization, fact.dataset, fact.id)
    table.change(
        key_of(organization, fact.dataset, fact.id),
        set={
            "values": values_text(fact),
            "thread": msgspec.json.encode(thread).decode(),
            "sequence": sequence,
        },
        require={"sequence": None if before is None else before.sequence},
        or_new=True,
    )


def put(organization: str, fact: Fact, sequence: str = _FIRST_SEQUENCE) -> bool:
    """Put a row, unless it shows a newer change; return whether it was put. Numbers beside its values stay."""
    _note(organization, fact.dataset, fact.id)
    try:
        table.change(
            key_of(organization, fact.dataset, fact.id),
            set={"values": values_text(fact), "sequence": sequence},
            require={"sequence": below(sequence)},
            or_new=True,
        )
    except ConditionFailed:
        return False
    return True


def put_customer(organization: str, fact: Fact, conversation_ids: Sequence[str]) -> None:
    """Put a customer's row that is missing, if the customer is there and is not being erased."""
    _note(organization, fact.dataset, fact.id)
    at = ids.made_at(fact.id)
    row = AnalyticsFact(
        organization=organization,
        dataset=fact.dataset,
        month=month_of(at),
        at=f"{at:013d}",
        fact_id=fact.id,
        values=values_text(fact),
        sequence=_FIRST_SEQUENCE,
        conversations=len(conversation_ids),
        newest_conversation=max(conversation_ids, default=None),
    )
    transaction = Transaction()
    transaction.put(row, new=True, on_failure=ConditionFailed)
    transaction.require(
        Customer.key_for(organization, fact.id),
        {"erasing": None},
        on_failure=ConditionFailed,
    )
    # Where it fails, another writer was first, or the customer is gone.
    with suppress(ConditionFailed):
        transaction.commit()


def count_conversation(organization: str, customer_id: str, conversation_id: str, at: int) -> str | None:
    """Count a customer's conversation, once, begun at an instant (ms), unless a newer one is counted.

    Return the newest that is counted, or None if the customer has no row.
    """
    try:
        _beside(
            organization,
            CUSTOMERS,
            customer_id,
            set={"newest_conversation": conversation_id, "last_seen_at": at},
            add={"conversations": 1},
            require={"newest_conversation": below(conversation_id)},
        )
    except ConditionFailed as failed:
        return None if failed.item is None else AnalyticsFact.from_item(failed.item).newest_conversation
    return conversation_id


def recount_conversations(organization: str, customer_id: str, newest: str, count: int) -> None:
    """Raise the number of a customer's conversations up to the newest that is counted. A higher number stays."""
    with suppress(ConditionFailed):
        _beside(
            organization,
            CUSTOMERS,
            customer_id,
            set={"conversations": count},
            require={"newest_conversation": newest, "conversations": below(count)},
        )


def note_seen(organization: str, customer_id: str, at: int) -> None:
    """Note when a customer wrote last."""
    with suppress(ConditionFailed):
        _beside(
            organization,
            CUSTOMERS,
            customer_id,
            set={"last_seen_at": at},
            require={"last_seen_at": below(at)},
        )


def note_rating(organization: str, customer_id: str, stars: int, at: int) -> None:
    """Note a customer's latest rating, given at an instant (ms)."""
    with suppress(ConditionFailed):
        _beside(
            organization,
            CUSTOMERS,
            customer_id,
            set={"rating": stars, "rated_at": at},
            require={"rated_at": below(at + 1)},
        )


def count_answers(organization: str, document_id: str, answers: int) -> None:
    """Add answers that a document was a source of."""
    with suppress(ConditionFailed):
        _beside(organization, DOCUMENTS, document_id, add={"answers": answers})


def _beside(organization: str, dataset: str, identifier: str, **change: Any) -> None:
    """Change numbers beside the values of a row. Raises ConditionFailed, also if there is no such row."""
    key = key_of(organization, dataset, identifier)
    _note_change(organization, dataset, identifier)
    table.change(key, **change)


def delete(organization: str, dataset: str, identifier: str) -> None:
    """Remove a row, if it exists."""
    delete_many(organization, [(dataset, identifier)])


def delete_many(organization: str, rows: Sequence[tuple[str, str]]) -> None:
    """Remove rows, by dataset and id. One call for 25."""
    found = []
    for dataset, identifier in rows:
        # An id that is no ULID never had a row.
        with suppress(ValueError):
            found.append(key_of(organization, dataset, identifier))
            _note_change(organization, dataset, identifier)
    table.delete_many(found)


def months(organization: str, dataset: str) -> list[str]:
    """Return the months in which a dataset has rows, newest first."""
    item = table.get(AnalyticsMonths.key_for(organization, dataset), consistent=False) or {}
    return sorted(item.keys() - {"PK", "SK"}, reverse=True)


def earliest_id(dataset: str, window: Window) -> int:
    """Return the earliest time (ms) in the id of a row whose default time is in a window."""
    return max(window.start - _SLACK_MS - _WAIT_MS.get(dataset, 0), 0)


def read(
    organization: str, dataset: str, month: str, window: Window, limit: int, *, by_default_time: bool
) -> list[Found]:
    """Return the newest rows of a month whose ids are of a window's time, up to `limit`, newest first.

    With `by_default_time` only those whose default time is in the window. One call for 1 MB, which is about 4,000 rows.
    """
    earliest = f"{earliest_id(dataset, window):013d}"
    first = AnalyticsFact.key_for(organization, dataset, month, earliest, "-")
    last = AnalyticsFact.key_for(organization, dataset, month, f"{window.end + _SLACK_MS:013d}", "~")
    found: list[Found] = []
    after: Item | None = None
    while len(found) < limit:
        page = table.query(
            first.pk,
            sk_between=(first.sk, last.sk),
            limit=limit - len(found),
            newest_first=True,
            after=after,
            only=("SK", _VALUES, *_BESIDE.get(dataset, ())),
        )
        rows = _rows(dataset, page.items)
        if by_default_time:
            rows = [row for row in rows if window.start <= row.values[0] < window.end]
        found += rows
        after = page.after
        if after is None:
            break
    return found


def pages(organization: str, dataset: str, month: str) -> Iterator[list[Found]]:
    """Yield all rows of a month, oldest first, by pages of 1 MB."""
    partition = AnalyticsFact.partition_for(organization, dataset, month)
    after: Item | None = None
    while True:
        page = table.query(partition, after=after, only=("SK", _VALUES, *_BESIDE.get(dataset, ())))
        yield _rows(dataset, page.items)
        after = page.after
        if after is None:
            return


def values_text(fact: Fact) -> str:
    """Return the values of a row as its item has them."""
    return _json([*fact.values, DATASETS[fact.dataset].title_place])


def _values(dataset: str, stored: list[Any]) -> list[Any]:
    """Make stored values those of a row, in place."""
    had = stored.pop()
    if (since := DATASETS[dataset].title_place - had) > 0:
        stored[had:had] = [None] * since
    return stored


def _rows(dataset: str, items: Sequence[Item]) -> list[Found]:
    # One text is parsed faster than thousands.
    rows = json.loads("[" + ",".join([item[_VALUES] for item in items]) + "]")
    for values in rows:
        _values(dataset, values)
    places = DATASETS[dataset].places
    for name, field in _BESIDE.get(dataset, {}).items():
        for item, values in zip(items, rows, strict=True):
            if name in item:
                values[places[field]] = item[name]
    return [Found(item["SK"][14:], values) for item, values in zip(items, rows, strict=True)]


def _note(organization: str, dataset: str, identifier: str) -> None:
    """Note that a dataset has rows in a month, once for each execution environment, and that they change."""
    month = month_of(ids.made_at(identifier))
    changed_repository.note(organization, dataset, month)
    known = (organization, dataset, month)
    if known in _noted:
        return
    table.update(
        AnalyticsMonths.key_for(organization, dataset),
        "SET #month = :true",
        names={"#month": month},
        values={":true": True},
    )
    if len(_noted) >= _MAX_NOTED:
        _noted.clear()
    _noted.add(known)


def _note_change(organization: str, dataset: str, identifier: str) -> None:
    changed_repository.note(organization, dataset, month_of(ids.made_at(identifier)))


def _json(values: list[Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))
