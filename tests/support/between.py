"""A change between two calls to DynamoDB that something else makes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from helpdesk.platform import clients

READS: Final = frozenset({"GetItem", "BatchGetItem", "Query"})
TRANSACTIONS: Final = frozenset({"TransactWriteItems"})


@contextmanager
def before_call(
    kinds: frozenset[str], number: int | None, change: Callable[[], object]
) -> Iterator[list[str]]:
    """Let a change happen before the block's call of some kinds with a number, never for None.

    The list has the names of the block's own calls of these kinds.
    """
    calls: list[str] = []
    changing = False

    def before(model: Any, **_: Any) -> None:
        nonlocal changing
        if changing or model.name not in kinds:
            return
        if len(calls) == number:
            changing = True
            change()
            changing = False
        calls.append(model.name)

    registry = clients.dynamodb().meta.events
    registry.register("before-call.dynamodb", before)
    try:
        yield calls
    finally:
        registry.unregister("before-call.dynamodb", before)
