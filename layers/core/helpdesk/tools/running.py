"""How many tools run in a conversation at once: three at most (Specification: Limits, Running tools).

Each running tool holds one of three slots of the conversation's item until it ends, or until its time is over where its
worker died. A slot is taken by a conditional write, so two callers never take the same one.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import HOUR_SECONDS
from helpdesk.storage import table
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import ConditionFailed
from helpdesk.tools.errors import MAX_RUNNING_TOOLS, TooManyRunning

SLOT_MS = 60_000
"""How long a slot is held at most. A call takes at most 15 s."""

_SLOTS = ("slot1", "slot2", "slot3")[:MAX_RUNNING_TOOLS]


class Held(Record):
    """A slot that a call holds, until an instant (ms) at the latest."""

    call: str
    until: int


class RunningTools(Stored, kw_only=True):
    """The tools that run in a conversation, each in a slot; expires by itself."""

    PK, SK = "ORG#{organization}#TOOLRUNS#{conversation_id}", "RUNNING"
    organization: str
    conversation_id: str
    slot1: Held | None = None
    slot2: Held | None = None
    slot3: Held | None = None
    expires_at: int | None = None

    def held(self, now: int) -> set[str]:
        """Return the names of the slots that calls hold at an instant (ms)."""
        slots: dict[str, Held | None] = {name: getattr(self, name) for name in _SLOTS}
        return {name for name, held in slots.items() if held is not None and held.until > now}


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
    key, now = RunningTools.key_for(organization, conversation_id), clock.now_ms()
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
            held = RunningTools.from_item(failed.item).held(now) if failed.item else set()
            free = [name for name in free[1:] if name not in held]
        else:
            return free[0]
    raise TooManyRunning


def release(organization: str, conversation_id: str, name: str, call_id: str) -> None:
    """Give a slot back, unless its time was over and another call holds it."""
    try:
        table.update(
            RunningTools.key_for(organization, conversation_id),
            "REMOVE #slot",
            condition="#slot.#call = :call",
            names={"#slot": name, "#call": "call"},
            values={":call": call_id},
        )
    except ConditionFailed:
        return
