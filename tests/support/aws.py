"""Counting what a piece of code asks of AWS."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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
