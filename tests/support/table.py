"""What is in the table, all of it."""

import json
from typing import Any

from helpdesk.events.outbox import Event
from helpdesk.events.stored import OutboxItem
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.storage.stored import plain
from helpdesk.storage.table import Item, WireItem, from_wire
from tests.support import stand_in
from tests.support.described import require_described_event


def everything() -> list[Item]:
    """Return every item of the table, with the jobs of outbox items as the fan-out reads them."""
    return [_read(item) for item in stand_in.items()]


def of_entities(*names: str) -> list[Item]:
    """Return the items of these entities. The others, most of a table, are not read."""
    return [_read(item) for item in stand_in.items() if item.get("entity", {}).get("S") in names]


def _read(wire: WireItem) -> Item:
    item = from_wire(wire)
    if "jobs" in item:
        item["jobs"] = [plain(job) for job in OutboxItem.from_item(item).jobs]
    return item


def of_kind(sk: str) -> list[Item]:
    """Return the items whose sort key begins so, ordered by sort key and partition."""
    found = [item for item in everything() if item["SK"].startswith(sk)]
    return sorted(found, key=lambda item: (item["SK"], item["PK"]))


def outbox() -> list[Item]:
    """Return the outbox events in the order of their ids."""
    return sorted((item for item in everything() if item["SK"] == "EVENT"), key=lambda item: str(item["id"]))


def jobs(queue: str) -> list[Item]:
    """Return the jobs for a queue that the outbox events carry, in order."""
    return [job for item in outbox() for job in item["jobs"] if job["queue"] == queue]


def events() -> list[dict[str, Any]]:
    """Return the bodies of the outbox events in the order of their ids; each must be as the API's description says."""
    bodies = [json.loads(Event.from_item(item).body) for item in outbox()]
    for body in bodies:
        require_described_event(body)
    return bodies


def kinds() -> list[str]:
    """Return the kinds of the events in the outbox, in their order."""
    return [event["type"] for event in events()]


def clear() -> None:
    """Empty the table."""
    stand_in.clear()


def remove(*sort_keys: str) -> None:
    """Remove the items whose sort key begins with one of these."""
    for item in everything():
        if item["SK"].startswith(sort_keys):
            clients.dynamodb().delete_item(
                TableName=settings().table_name, Key={"PK": {"S": item["PK"]}, "SK": {"S": item["SK"]}}
            )
