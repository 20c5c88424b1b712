"""Stores of calls: what a call was answered, so that a call that comes again does not run again.

A store of your own, in your database, has the two methods of `Store`. `claim` must be one atomic step, such as INSERT …
ON CONFLICT DO NOTHING. Keep calls for at least a day.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from uuid import uuid4

_SECONDS_A_DAY = 86_400


class Kept(NamedTuple):
    """A call that came before.

    `status` and `body` are None while it runs, and for good if its process died. `fingerprint` is a digest of the
    call's content.
    """

    fingerprint: str
    status: int | None
    body: str | None


class Store(Protocol):
    """Remembers calls by their ID."""

    def claim(self, call_id: str, fingerprint: str) -> Kept | None:
        """Return None if this ID comes for the first time, and remember it; else the call that came before."""

    def finish(self, call_id: str, fingerprint: str, status: int, body: str) -> None:
        """Remember the response to a claimed call."""


class MemoryStore:
    """Calls in this process's memory, the newest 10,000. Only for one process, and for tools that change nothing."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._calls: OrderedDict[str, Kept] = OrderedDict()
        self._lock = threading.Lock()

    def claim(self, call_id: str, fingerprint: str) -> Kept | None:
        """Return None for a new ID, else the call that came before."""
        with self._lock:
            kept = self._calls.get(call_id)
            if kept is None:
                self._calls[call_id] = Kept(fingerprint, None, None)
                if len(self._calls) > self._most:
                    self._calls.popitem(last=False)
            return kept

    def finish(self, call_id: str, fingerprint: str, status: int, body: str) -> None:
        """Remember the response to a claimed call."""
        with self._lock:
            self._calls[call_id] = Kept(fingerprint, status, body)


class FileStore:
    """Calls in a folder, one file each, which survive a crash. For the processes of one machine."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)

    def claim(self, call_id: str, fingerprint: str) -> Kept | None:
        """Return None for a new ID, else the call that came before."""
        draft = self._draft(Kept(fingerprint, None, None))
        try:
            os.link(draft, self._file(call_id))  # whole, and only if there is none
        except FileExistsError:
            return Kept(*json.loads(self._file(call_id).read_text(encoding="utf-8")))
        finally:
            draft.unlink()
        return None

    def finish(self, call_id: str, fingerprint: str, status: int, body: str) -> None:
        """Remember the response to a claimed call."""
        self._draft(Kept(fingerprint, status, body)).replace(self._file(call_id))

    def prune(self, days: float = 30) -> None:
        """Delete calls that are older."""
        oldest = time.time() - days * _SECONDS_A_DAY
        for file in self._folder.glob("*.json"):
            if file.stat().st_mtime < oldest:
                file.unlink(missing_ok=True)

    def _file(self, call_id: str) -> Path:
        return self._folder / f"{hashlib.sha256(call_id.encode()).hexdigest()}.json"

    def _draft(self, kept: Kept) -> Path:
        draft = self._folder / f"{uuid4().hex}.draft"
        with draft.open("w", encoding="utf-8") as file:
            json.dump(kept, file)
            file.flush()
            os.fsync(file.fileno())
        return draft


class DynamoStore:
    """Calls in a DynamoDB table with the partition key `id` (a string), for functions of Lambda.

    `table` is boto3's: `boto3.resource("dynamodb").Table(name)`. Let the table expire items by `expiresAt`.
    """

    def __init__(self, table: Any, days: int = 30) -> None:
        self._table, self._days = table, days

    def claim(self, call_id: str, fingerprint: str) -> Kept | None:
        """Return None for a new ID, else the call that came before."""
        later = int(time.time()) + self._days * _SECONDS_A_DAY
        try:
            self._table.put_item(
                Item={"id": call_id, "fingerprint": fingerprint, "expiresAt": later},
                ConditionExpression="attribute_not_exists(id)",
            )
        except self._table.meta.client.exceptions.ConditionalCheckFailedException:
            item = self._table.get_item(Key={"id": call_id}, ConsistentRead=True).get("Item", {})
            status = int(item["httpStatus"]) if "httpStatus" in item else None
            return Kept(item.get("fingerprint", fingerprint), status, item.get("responseBody"))
        return None

    def finish(self, call_id: str, fingerprint: str, status: int, body: str) -> None:
        """Remember the response to a claimed call."""
        self._table.update_item(
            Key={"id": call_id},
            UpdateExpression="SET fingerprint = :fingerprint, httpStatus = :status, responseBody = :body",
            ExpressionAttributeValues={":fingerprint": fingerprint, ":status": status, ":body": body},
        )
