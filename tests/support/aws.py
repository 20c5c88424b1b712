"""Counting what a piece of code asks of AWS, and losing responses."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from helpdesk.platform import clients


@contextmanager
def recorded_calls() -> Iterator[list[str]]:
    """Collect the operations that the code inside asks of DynamoDB, SQS and S3, in order."""
    calls: list[str] = []

    def record(model: Any, **_: Any) -> None:
        calls.append(f"{model.service_model.service_name}:{model.name}")

    used = [clients.dynamodb(), clients.sqs(), clients.s3()]
    for client in used:
        client.meta.events.register("before-call", record)
    try:
        yield calls
    finally:
        for client in used:
            client.meta.events.unregister("before-call", record)


@contextmanager
def first_response_lost(operation: str) -> Iterator[list[str]]:
    """Lose DynamoDB's first response to an operation, so that the client repeats it; collect the lost ones."""
    lost: list[str] = []

    def repeat_once(**_: Any) -> float | None:
        if lost:
            return None
        lost.append(operation)
        return 0.0  # seconds to wait before the repetition

    events: Any = clients.dynamodb().meta.events  # typed as if no handler returned anything
    events.register_first(f"needs-retry.dynamodb.{operation}", repeat_once)
    try:
        yield lost
    finally:
        events.unregister(f"needs-retry.dynamodb.{operation}", repeat_once)


@contextmanager
def start_keys_held_to_their_bounds() -> Iterator[None]:
    """Refuse a query that starts outside of its bounds, as DynamoDB does and moto does not.

    A start at the last bound is refused too.
    """

    def check(params: dict[str, Any], **_: Any) -> None:
        start, values = params.get("ExclusiveStartKey"), params["ExpressionAttributeValues"]
        if start is None or ":low" not in values:
            return
        place = start[f"{params.get('IndexName', '')}SK"]["S"]
        low, high = values[":low"]["S"], values[":high"]["S"]
        if not (low <= place < high if params["ScanIndexForward"] else low < place <= high):
            message = "The provided starting key is outside query boundaries based on provided conditions"
            raise ClientError({"Error": {"Code": "ValidationException", "Message": message}}, "Query")

    events = clients.dynamodb().meta.events
    events.register("before-parameter-build.dynamodb.Query", check)
    try:
        yield
    finally:
        events.unregister("before-parameter-build.dynamodb.Query", check)
