"""The computation of DynamoDB's write units (benchmarks/capacity.py) against what the local stack's emulator returns.

For reads, the emulator returns constants.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import boto3
import pytest

from benchmarks.capacity import units_written

KEY = {"PK": {"S": "CAPACITY#1"}, "SK": {"S": "A"}}
LISTED = {
    "GSI1PK": {"S": "CAPACITY#LIST"},
    "GSI1SK": {"S": "1"},
    "GSI2PK": {"S": "CAPACITY#2"},
    "GSI2SK": {"S": "1"},
}
ITEM: dict[str, Any] = {**KEY, **LISTED, "text": {"S": "a" * 1_500}}
MOVED = {**ITEM, "GSI1SK": {"S": "2"}}
LONGER = {**MOVED, "text": {"S": "a" * 2_500}}
UNLISTED = {name: value for name, value in LONGER.items() if name != "GSI2PK"}


@pytest.fixture
def dynamodb(stack: Mapping[str, str]) -> Iterator[Any]:
    """A client for the emulator's table, which the test leaves unchanged."""
    client: Any = boto3.client(
        "dynamodb",
        endpoint_url=stack["endpoint_url"],
        region_name=stack["region"],
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    yield client
    client.delete_item(TableName=stack["table"], Key=KEY)


def written(answer: Any) -> dict[str, float]:
    """Return the write units of an answer by where they went."""
    used = answer["ConsumedCapacity"]
    used = used[0] if isinstance(used, list) else used
    indexes = {name: each["CapacityUnits"] for name, each in used.get("GlobalSecondaryIndexes", {}).items()}
    return {"table": used["CapacityUnits"] - sum(indexes.values()), **indexes}


def computed(before: Any, after: Any, *, transaction: bool = False) -> dict[str, int]:
    return {
        name: units for name, units in units_written(before, after, transaction=transaction).items() if units
    }


def test_writes_cost_the_units_that_the_emulator_returns(dynamodb: Any, stack: Mapping[str, str]) -> None:
    common = {"TableName": stack["table"], "ReturnConsumedCapacity": "INDEXES"}

    assert written(dynamodb.put_item(Item=ITEM, **common)) == computed(None, ITEM)
    assert written(dynamodb.put_item(Item=MOVED, **common)) == computed(ITEM, MOVED)
    put = {"Put": {"TableName": stack["table"], "Item": LONGER}}
    transacted = dynamodb.transact_write_items(TransactItems=[put], ReturnConsumedCapacity="INDEXES")
    assert written(transacted) == computed(MOVED, LONGER, transaction=True)
    removed = dynamodb.update_item(Key=KEY, UpdateExpression="REMOVE GSI2PK", **common)
    assert written(removed) == computed(LONGER, UNLISTED)
