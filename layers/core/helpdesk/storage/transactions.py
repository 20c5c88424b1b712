"""Writes that happen together or not at all.

A change and the event that tells of it go into one `TransactWriteItems`. Each action may name what its failed
condition means; the cancellation reason at index i is turned into what action i names, so no caller ever matches
on the text of an error.

Whoever runs a piece of work may have its first transaction carry more (`carried_by_the_first`): that is how a request
proves, in the very write that changes something, that it is still the one to change it (docs/decisions/0060).
"""

import random
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from helpdesk.platform import clients
from helpdesk.platform.clients import leaving_by
from helpdesk.platform.settings import settings
from helpdesk.storage.keys import ItemKey
from helpdesk.storage.table import THROTTLING, Item, from_wire, to_wire

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

_CONFLICT_TRIES = 10
_CONFLICT_PAUSE_SECONDS = 0.02
_CONFLICT_PAUSE_MAX_SECONDS = 0.4

_PASSING = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
_PASSING_ERRORS = THROTTLING | {"TransactionInProgressException"}

type OnFailure = Callable[[Item | None], Exception]
"""Makes the exception for a failed condition from the item that was found (None: there was none)."""


class Conflict(Exception):
    """Other transactions kept the same items busy through every try; nothing was written."""


class TransactionFailed(Exception):
    """A condition failed for which no meaning was given: a defect of ours."""


def _unexpected(_: Item | None) -> Exception:
    return TransactionFailed()


def _pause(attempt: int) -> None:
    # Full jitter: two that met once must not meet again at the same moment.
    time.sleep(random.uniform(0, min(_CONFLICT_PAUSE_MAX_SECONDS, _CONFLICT_PAUSE_SECONDS * 2**attempt)))  # noqa: S311


@dataclass(slots=True)
class Transaction:
    """Collects actions, then commits them as one.

    transaction = Transaction()
    transaction.put(conversation_item, new=True)
    transaction.update(session_key, "SET ...", condition="...", on_failure=lambda found: StaleSession(found))
    transaction.commit()
    """

    _actions: "list[TransactWriteItemTypeDef]" = field(default_factory=list)
    _on_failure: list[OnFailure] = field(default_factory=list)
    _leaves_by: int | None = None

    def put(self, item: Item, *, new: bool = False, on_failure: OnFailure = _unexpected) -> None:
        """Put a whole item; with `new` only where none has its key."""
        action: dict[str, Any] = {"TableName": settings().table_name, "Item": to_wire(item)}
        if new:
            action["ConditionExpression"] = "attribute_not_exists(PK)"
            action["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        self._add({"Put": action}, on_failure)  # type: ignore[typeddict-item] # built up conditionally

    def update(
        self,
        key: ItemKey,
        expression: str,
        *,
        condition: str | None = None,
        names: Mapping[str, str] | None = None,
        values: Mapping[str, Any] | None = None,
        on_failure: OnFailure = _unexpected,
    ) -> None:
        """Update one item, under a condition where one is given."""
        action = self._conditional(key, condition, names, values)
        action["UpdateExpression"] = expression
        self._add({"Update": action}, on_failure)  # type: ignore[typeddict-item] # built up conditionally

    def delete(
        self,
        key: ItemKey,
        *,
        condition: str | None = None,
        names: Mapping[str, str] | None = None,
        values: Mapping[str, Any] | None = None,
        on_failure: OnFailure = _unexpected,
    ) -> None:
        """Delete one item, under a condition where one is given."""
        action = self._conditional(key, condition, names, values)
        self._add({"Delete": action}, on_failure)  # type: ignore[typeddict-item] # built up conditionally

    def require(
        self,
        key: ItemKey,
        condition: str,
        *,
        names: Mapping[str, str] | None = None,
        values: Mapping[str, Any] | None = None,
        on_failure: OnFailure = _unexpected,
    ) -> None:
        """Require something of an item that this transaction does not write."""
        action = self._conditional(key, condition, names, values)
        self._add({"ConditionCheck": action}, on_failure)  # type: ignore[typeddict-item] # built up conditionally

    def leave_by(self, instant_ms: int) -> None:
        """Let no try of this transaction leave after an instant (ms); the earliest that is named holds."""
        self._leaves_by = instant_ms if self._leaves_by is None else min(self._leaves_by, instant_ms)

    def commit(self) -> None:
        """Write everything, or nothing.

        Raises what the first failed action names. A conflict with another transaction is tried again with
        jitter: it means that someone else was faster, not that a rule was broken. Raises Conflict past that, and
        TooLate where a try would leave after what `leave_by` says.
        """
        # Before its own: where the work has passed to someone else, no rule matters that his work may have changed.
        first = _carried.get()
        parts = [*(first.parts() if first else []), *self.parts()]
        actions = [action for action, _ in parts]
        token = _new_token()
        for attempt in range(_CONFLICT_TRIES):
            try:
                with leaving_by(self._leaves_by):
                    clients.dynamodb().transact_write_items(TransactItems=actions, ClientRequestToken=token)
            except ClientError as error:
                reasons: list[dict[str, Any]] = error.response.get("CancellationReasons", [])  # type: ignore[assignment]
                for reason, (_, on_failure) in zip(reasons, parts, strict=False):
                    if reason.get("Code") == "ConditionalCheckFailed":
                        found = reason.get("Item")
                        raise on_failure(from_wire(found) if found else None) from error
                if not _is_passing(error, reasons):
                    raise
                if reasons:
                    # Surely cancelled: what is tried next is another transaction. One that is still in progress
                    # may yet be written, and under the same token it is written once.
                    token = _new_token()
            else:
                _carried.set(None)
                return
            if attempt + 1 < _CONFLICT_TRIES:
                _pause(attempt)
        raise Conflict

    def parts(self) -> "list[tuple[TransactWriteItemTypeDef, OnFailure]]":
        """Return the actions, each with what its failed condition means."""
        return list(zip(self._actions, self._on_failure, strict=True))

    def __len__(self) -> int:
        """Return how many actions there are; an empty transaction is false."""
        return len(self._actions)

    def _add(self, action: "TransactWriteItemTypeDef", on_failure: OnFailure) -> None:
        self._actions.append(action)
        self._on_failure.append(on_failure)

    def _conditional(
        self,
        key: ItemKey,
        condition: str | None,
        names: Mapping[str, str] | None,
        values: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        action: dict[str, Any] = {"TableName": settings().table_name, "Key": to_wire(key.attributes())}
        if condition is not None:
            action["ConditionExpression"] = condition
            action["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        if names:
            action["ExpressionAttributeNames"] = dict(names)
        if values:
            action["ExpressionAttributeValues"] = to_wire(values)
        return action


_carried: ContextVar[Transaction | None] = ContextVar("carried", default=None)


@contextmanager
def carried_by_the_first(transaction: Transaction) -> Iterator[None]:
    """Let the first transaction that the code inside commits hold this one's actions too, before its own.

    One that fails wrote nothing, so the next one carries them again; after one was written they are done with. What a
    carried action's failed condition means is raised before anything that the work's own actions name.
    """
    before = _carried.set(transaction)
    try:
        yield
    finally:
        _carried.reset(before)


def _is_passing(error: ClientError, reasons: list[dict[str, Any]]) -> bool:
    """Return whether it is others' haste that stopped the transaction, or a pause that DynamoDB asks for."""
    if error.response["Error"]["Code"] in _PASSING_ERRORS:
        return True
    return any(reason.get("Code") in _PASSING for reason in reasons)


def _new_token() -> str:
    """Return a token by which DynamoDB knows a transaction again for ten minutes."""
    return secrets.token_hex(16)
