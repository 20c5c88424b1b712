"""The table's stream: what has changed since the last look, as records of Lambda."""

import itertools
from typing import Any

from helpdesk.storage.table import Item, to_wire
from tests.support.api import function
from tests.support.table import everything

_numbers = itertools.count(1)


def inserted(item: Item, sequence_number: str) -> dict[str, Any]:
    """Return the record of a new item."""
    change = {
        "Keys": to_wire({"PK": item["PK"], "SK": item["SK"]}),
        "NewImage": to_wire(item),
        "SequenceNumber": sequence_number,
    }
    return {"eventName": "INSERT", "dynamodb": change}


class Stream:
    """Compares the table with what it was. `records` keeps every record that was delivered."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], Item] = {}
        self.records: list[dict[str, Any]] = []

    def take(self) -> list[dict[str, Any]]:
        """Return the records of what has changed, a conversation before its messages."""
        now = {(item["PK"], item["SK"]): item for item in everything() if "#ANALYTICS" not in item["PK"]}
        found = []
        for key in sorted(now.keys() | self._seen.keys()):
            old, new = self._seen.get(key), now.get(key)
            if old == new:
                continue
            change: dict[str, Any] = {
                "Keys": to_wire({"PK": key[0], "SK": key[1]}),
                "SequenceNumber": str(next(_numbers)),
            }
            if old is not None:
                change["OldImage"] = to_wire(old)
            if new is not None:
                change["NewImage"] = to_wire(new)
            name = "INSERT" if old is None else "REMOVE" if new is None else "MODIFY"
            found.append({"eventName": name, "dynamodb": change})
        self._seen = now
        self.records += found
        return found

    def deliver(self) -> None:
        """Let the function write the rows of what has changed."""
        run(self.take())


def run(records: list[dict[str, Any]]) -> None:
    """Deliver records to the function; none may fail."""
    assert function("facts").handler({"Records": records}, None) == {"batchItemFailures": []}


def rows() -> list[Item]:
    """Return the rows that are kept, in the order of their keys, without the list of months."""
    found = [item for item in everything() if "#ANALYTICS#" in item["PK"]]
    return sorted(found, key=lambda item: (item["PK"], item["SK"]))
