"""What a function may delete by its policy, which only the deployed stack and the local one enforce."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from helpdesk.platform import clients
from tests.support.template import policy_statements

_OPERATIONS = ("DeleteItem", "TransactWriteItems")


@contextmanager
def deleting_as(function: str) -> Iterator[list[str]]:
    """Fail if the code inside deletes what a function may not delete; collect the partitions of what it deletes."""
    deleted: list[str] = []

    def note(params: Mapping[str, Any], **_: Any) -> None:
        found = [each.get("Delete", {}) for each in params.get("TransactItems", [])] or [params]
        deleted.extend(each["Key"]["PK"]["S"] for each in found if "Key" in each)

    events: Any = clients.dynamodb().meta.events
    for operation in _OPERATIONS:
        events.register(f"before-parameter-build.dynamodb.{operation}", note)
    try:
        yield deleted
    finally:
        for operation in _OPERATIONS:
            events.unregister(f"before-parameter-build.dynamodb.{operation}", note)
    refused = [each for each in deleted if not any(fnmatchcase(each, one) for one in _patterns(function))]
    assert refused == [], f"{function} may not delete these"


@cache
def _patterns(function: str) -> tuple[str, ...]:
    return tuple(
        pattern
        for each in policy_statements(function)
        if each["Effect"] == "Allow" and "dynamodb:DeleteItem" in each["Action"]
        for pattern in each["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    )
