"""What a function may delete by its policy, which only the deployed stack and the local one enforce."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from helpdesk.platform import clients
from tests.support.template import policy_statements

_ACTIONS = {
    "DeleteItem": "dynamodb:DeleteItem",
    "TransactWriteItems": "dynamodb:DeleteItem",
    "BatchWriteItem": "dynamodb:BatchWriteItem",
}
"""The permission that a deletion takes, by the operation that it is in."""


@contextmanager
def deleting_as(function: str) -> Iterator[list[str]]:
    """Fail if the code inside deletes what a function may not delete; collect the partitions of what it deletes."""
    deleted: list[tuple[str, str]] = []

    def note(params: Mapping[str, Any], model: Any, **_: Any) -> None:
        deleted.extend((_ACTIONS[model.name], each) for each in _partitions(params))

    events: Any = clients.dynamodb().meta.events
    for operation in _ACTIONS:
        events.register(f"before-parameter-build.dynamodb.{operation}", note)
    partitions: list[str] = []
    try:
        yield partitions
    finally:
        for operation in _ACTIONS:
            events.unregister(f"before-parameter-build.dynamodb.{operation}", note)
    partitions += [partition for _, partition in deleted]
    refused = [
        partition
        for action, partition in deleted
        if not any(fnmatchcase(partition, pattern) for pattern in _patterns(function, action))
    ]
    assert refused == [], f"{function} may not delete {refused}"


def _partitions(params: Mapping[str, Any]) -> list[str]:
    rows = [each for table in params.get("RequestItems", {}).values() for each in table]
    deletions = [
        params,
        *(each.get("Delete", {}) for each in params.get("TransactItems", [])),
        *(each.get("DeleteRequest", {}) for each in rows),
    ]
    return [each["Key"]["PK"]["S"] for each in deletions if "Key" in each]


@cache
def _patterns(function: str, action: str) -> tuple[str, ...]:
    return tuple(
        pattern
        for each in policy_statements(function)
        if each["Effect"] == "Allow" and action in each["Action"]
        for pattern in each["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    )
