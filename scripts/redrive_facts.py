"""Redriving what analytics gave up on: changes of the table's stream, read again, and items, read from the table.

A dead letter that Lambda wrote names a position in the stream, which keeps a change for 24 hours. One that the function
wrote names the key of a record that it could not read.
"""

import json
from typing import Any

import boto3
from botocore.exceptions import ClientError

from helpdesk.analytics import sources, stream
from helpdesk.storage import table
from helpdesk.storage.table import to_wire


class TooOld(Exception):
    """The stream no longer has the changes at a position."""


def write_again(letter: str) -> bool:
    """Write the rows of what a dead letter names; return whether all of them are written. Raises TooOld."""
    body = json.loads(letter)
    place = body.get("DDBStreamBatchInfo")
    records = [_record(body["key"], body["sequence"])] if place is None else _records(place)
    return not stream.write_rows(records, late=True)


def _record(key: dict[str, Any], sequence: str) -> dict[str, Any]:
    """Return a record of the stream for an item as it is now."""
    halves = {name: half["S"] if isinstance(half, dict) else half for name, half in key.items()}
    change: dict[str, Any] = {"Keys": to_wire(halves), "SequenceNumber": sequence}
    source = sources.source_of(halves["PK"], halves["SK"])
    item = None if source is None else table.get(source.key)
    if item is not None:
        change["NewImage"] = to_wire(item)
    return {"dynamodb": change}


def _records(place: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the records of a batch. Raises TooOld."""
    client: Any = boto3.client("dynamodbstreams")
    last = int(place["endSequenceNumber"])
    found: list[dict[str, Any]] = []
    try:
        iterator: str | None = client.get_shard_iterator(
            StreamArn=place["streamArn"],
            ShardId=place["shardId"],
            ShardIteratorType="AT_SEQUENCE_NUMBER",
            SequenceNumber=place["startSequenceNumber"],
        )["ShardIterator"]
        while iterator is not None:
            page = client.get_records(ShardIterator=iterator)
            records: list[Any] = list(page["Records"])
            found += [each for each in records if int(each["dynamodb"]["SequenceNumber"]) <= last]
            if not records or int(records[-1]["dynamodb"]["SequenceNumber"]) >= last:
                break
            iterator = page.get("NextShardIterator")
    except ClientError as error:
        if error.response["Error"]["Code"] in {"TrimmedDataAccessException", "ResourceNotFoundException"}:
            raise TooOld from None
        raise
    return found
