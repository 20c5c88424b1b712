"""Writes that happen together or not at all.

A change and its event are one `TransactWriteItems`. Each action can name the exception for its failed condition. The
cancellation reason at index i raises the exception of action i, so no caller matches on the text of an error.

`prepend_to_next_transaction` adds actions to the first transaction that a piece of work commits. A request uses it to
prove, in the same write as its change, that it still holds its claim (docs/decisions/0060).
"""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError
from msgspec.structs import replace

from helpdesk.platform import clients
from helpdesk.platform.clients import send_deadline
from helpdesk.platform.settings import settings
from helpdesk.storage import changes
from helpdesk.storage.retrying import Conflict, Pauses
from helpdesk.storage.stored import Key, Stored
from helpdesk.storage.table import THROTTLING, Item, from_wire, to_wire

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

_PASSING = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
_PASSING_ERRORS = THROTTLING | {"TransactionInProgressException"}

type OnFailure = Callable[[Item | None], Exception] | Exception
"""The exception for a failed condition, or what returns it for the item that was found, or None."""


type ExtraWrites = Callable[["Transaction"], None]
"""Adds a caller's writes and requirements to the transaction of what it calls."""


class TransactionFailed(Exception):
    """A condition failed that has no exception of its own. This is a defect."""


def _unexpected(_: Item | None) -> Exception:
    return TransactionFailed()


class Transaction:
    """Collects actions, then commits them as one.

    transaction = Transaction()
    transaction.put(conversation_item, new=True)
    transaction.update(session_key, "SET ...", condition="...", on_failure=lambda found: StaleSession(found))
    transaction.commit()
    """

    def __init__(self) -> None:
        self._actions: list[TransactWriteItemTypeDef] = []
        self._on_failure: list[OnFailure] = []
        self._deadline_ms: int | None = None

    def put(self, item: Item | Stored, *, new: bool = False, on_failure: OnFailure = _unexpected) -> None:
        """Put a record, or a whole item; with `new` only where none has its key."""
        wire = to_wire(item.to_item() if isinstance(item, Stored) else item)
        action: dict[str, Any] = {"TableName": settings().table_name, "Item": wire}
        if new:
            action["ConditionExpression"] = "attribute_not_exists(PK)"
            action["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        self._add({"Put": action}, on_failure)  # type: ignore[typeddict-item] # built up conditionally

    def change(
        self,
        key: Key,
        *,
        set: changes.Values | None = None,
        add: Mapping[str, int] | None = None,
        require: changes.Values | None = None,
        or_new: bool = False,
        on_failure: OnFailure = _unexpected,
    ) -> None:
        """Change one item by the names of its record's fields: set values, add numbers, require (`storage.changes`).

        The item must exist, except with `or_new`. A field that is set to None is removed.
        """
        parts = changes.expression(key, set=set or {}, add=add or {}, require=require or {}, or_new=or_new)
        self.update(key, **parts, on_failure=on_failure)

    def save[R: Stored](
        self,
        seen: R,
        changed: R,
        *,
        add: Mapping[str, int] | None = None,
        require: changes.Values | None = None,
        on_failure: OnFailure = _unexpected,
    ) -> R:
        """Write what differs from the record that was read, index entries included, and return the record as written.

        A record with a `version` must still have the one that was read, and gets the next; one whose version is 0 is
        new, and must not exist yet. `add` counts fields that other requests count at the same time. A record without a
        version needs `require`. If nothing differs, the transaction only requires what it would have required.
        """
        conditions = dict(require or {})
        if (version := getattr(seen, "version", None)) is not None:
            conditions["version"] = version
            changed = replace(changed, version=version + 1)
        if version == 0:
            self.put(changed, new=True, on_failure=on_failure)
            return changed
        values = changes.difference(seen.to_item(), changed)
        if values or any((add or {}).values()):
            self.change(seen.key, set=values, add=add, require=conditions, on_failure=on_failure)
        else:
            self.require(seen.key, conditions, on_failure=on_failure)
        return replace(
            changed, **{name: getattr(changed, name) + number for name, number in (add or {}).items()}
        )

    def update(
        self,
        key: Key,
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

    def set(
        self,
        key: Key,
        attributes: Item,
        *,
        condition: str,
        removed: Sequence[str] = (),
        added: Mapping[str, int] | None = None,
        names: Mapping[str, str] | None = None,
        values: Mapping[str, Any] | None = None,
        on_failure: OnFailure = _unexpected,
    ) -> None:
        """Set attributes of one item by their names, remove others, and add to numbers, under a condition.

        In the condition, `#name` and `:name` stand for an attribute that is set and its new value. `names` and `values`
        add what else the condition uses.
        """
        expression = "SET " + ", ".join(f"#{name} = :{name}" for name in attributes)
        if removed:
            expression += " REMOVE " + ", ".join(f"#{name}" for name in removed)
        counted = {name: number for name, number in (added or {}).items() if number}
        if counted:
            expression += " ADD " + ", ".join(f"#{name} :{name}" for name in counted)
        self.update(
            key,
            expression,
            condition=condition,
            names={**{f"#{name}": name for name in (*attributes, *removed, *counted)}, **(names or {})},
            values={
                **{f":{name}": value for name, value in (attributes | counted).items()},
                **(values or {}),
            },
            on_failure=on_failure,
        )

    def delete(
        self,
        key: Key,
        *,
        require: changes.Values | None = None,
        condition: str | None = None,
        names: Mapping[str, str] | None = None,
        values: Mapping[str, Any] | None = None,
        on_failure: OnFailure = _unexpected,
    ) -> None:
        """Delete one item: under a condition, or if it is as required (`storage.changes`), where one is given."""
        if require is not None:
            action = self._conditional(key, **changes.condition(key, require))
        else:
            action = self._conditional(key, condition, names, values)
        self._add({"Delete": action}, on_failure)  # type: ignore[typeddict-item] # built up conditionally

    def require(
        self,
        key: Key,
        condition: "str | changes.Values",
        *,
        names: Mapping[str, str] | None = None,
        values: Mapping[str, Any] | None = None,
        on_failure: OnFailure = _unexpected,
    ) -> None:
        """Require something of an item that this transaction does not write: values by field, or an expression.

        With values (`storage.changes`), the item must exist.
        """
        if isinstance(condition, str):
            action = self._conditional(key, condition, names, values)
        else:
            action = self._conditional(key, **changes.condition(key, condition))
        self._add({"ConditionCheck": action}, on_failure)  # type: ignore[typeddict-item] # built up conditionally

    def set_deadline(self, instant_ms: int) -> None:
        """Send no try of this transaction after an instant (ms). The earliest deadline that is set applies."""
        self._deadline_ms = instant_ms if self._deadline_ms is None else min(self._deadline_ms, instant_ms)

    def commit(self) -> None:
        """Write everything, or nothing.

        Raises the exception of the first failed action. A conflict with another transaction is retried after a pause,
        because it breaks no rule. Raises Conflict when there is no time for another try, and DeadlineExceeded when the
        first one would be sent after the deadline.
        """
        # Before its own actions: if another request took over the work, its failure says more than any other.
        first = _prepended.get()
        parts = [*(first.parts() if first else []), *self.parts()]
        actions = [action for action, _ in parts]
        token = _new_token()
        pauses = Pauses(self._deadline_ms)
        while True:
            try:
                with send_deadline(self._deadline_ms):
                    clients.dynamodb().transact_write_items(TransactItems=actions, ClientRequestToken=token)
            except ClientError as error:
                reasons: list[dict[str, Any]] = error.response.get("CancellationReasons", [])  # type: ignore[assignment]
                for reason, (_, on_failure) in zip(reasons, parts, strict=False):
                    if reason.get("Code") == "ConditionalCheckFailed":
                        found = reason.get("Item")
                        if isinstance(on_failure, Exception):
                            raise on_failure from error
                        raise on_failure(from_wire(found) if found else None) from error
                if not _is_passing(error, reasons):
                    raise
                if reasons:
                    # It was cancelled, so the next try is a new transaction. One that is still in progress may yet
                    # be written, and is written once under the same token.
                    token = _new_token()
            else:
                _prepended.set(None)
                return
            if not pauses.wait():
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
        key: Key,
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


_prepended: ContextVar[Transaction | None] = ContextVar("prepended", default=None)


@contextmanager
def prepend_to_next_transaction(transaction: Transaction) -> Iterator[None]:
    """Prepend this transaction's actions to the first transaction that the block commits.

    A transaction that fails writes nothing, so the next one gets the actions again. Once one is written, later ones
    do not. When several conditions fail, the exception of a prepended action is raised first.
    """
    before = _prepended.set(transaction)
    try:
        yield
    finally:
        _prepended.reset(before)


def _is_passing(error: ClientError, reasons: list[dict[str, Any]]) -> bool:
    """Return whether other transactions or throttling stopped the transaction, so that a retry can succeed."""
    if error.response["Error"]["Code"] in _PASSING_ERRORS:
        return True
    return any(reason.get("Code") in _PASSING for reason in reasons)


def _new_token() -> str:
    """Return a token by which DynamoDB recognizes a repeated transaction for ten minutes."""
    return secrets.token_hex(16)
