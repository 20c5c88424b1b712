"""How many tools run in a conversation at once: three at most (Specification: Limits, Running tools).

Each running tool holds one of three slots of the conversation's item until it ends, or until its time is over where its
worker died. A slot is taken by a conditional write, so two callers never take the same one.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from helpdesk.platform import clock
from helpdesk.platform.units import HOUR_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.tools.errors import MAX_RUNNING_TOOLS, TooManyRunning

SLOT_MS = 60_000
"""How long a slot is held at most. A call takes at most 15 s."""

_SLOTS = tuple(f"slot{number}" for number in range(1, MAX_RUNNING_TOOLS + 1))


@contextmanager
def slot(organization: str, conversation_id: str, call_id: str) -> Iterator[None]:
    """Hold a slot of a conversation while a tool runs. Two writes. Raises TooManyRunning."""
    name = take(organization, conversation_id, call_id)
    try:
        yield
    finally:
        release(organization, conversation_id, name, call_id)


def take(organization: str, conversation_id: str, call_id: str) -> str:
    """Take a slot for a call and return the slot's name. Raises TooManyRunning."""
    key, now = keys.RunningTools(organization, conversation_id), clock.now_ms()
    free = list(_SLOTS)
    while free:
        try:
            table.update(
                key,
                "SET #slot = :held, expiresAt = :end",
                condition="attribute_not_exists(#slot) OR #slot.#until <= :now",
                names={"#slot": free[0], "#until": "until"},
                values={
                    ":held": {"call": call_id, "until": now + SLOT_MS},
                    ":now": now,
                    ":end": clock.seconds_from_now(HOUR_SECONDS),
                },
            )
        except ConditionFailed as failed:
            free = [name for name in free[1:] if name not in _held_from_item(failed.item or {}, now)]
        else:
            return free[0]
    raise TooManyRunning


def release(organization: str, conversation_id: str, name: str, call_id: str) -> None:
    """Give a slot back, unless its time was over and another call holds it."""
    try:
        table.update(
            keys.RunningTools(organization, conversation_id),
            "REMOVE #slot",
            condition="#slot.#call = :call",
            names={"#slot": name, "#call": "call"},
            values={":call": call_id},
        )
    except ConditionFailed:
        return


def _held_from_item(item: Item, now: int) -> set[str]:
    return {name for name in _SLOTS if name in item and item[name]["until"] > now}
