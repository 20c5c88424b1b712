"""What to do with a message that asks for an attempt. Pure: no AWS, no clock.

Everything upstream repeats: the stream, the queues, the functions. So a message is only a task; the delivery's
item decides. Four rules keep one run of at most five attempts, whatever is repeated, lost or out of order:

1. An attempt is *claimed* before it is made, by a conditional write that counts it. Two tasks of one attempt
   cannot both claim it, and a sixth cannot be claimed at all.
2. After a failure the next task is queued *before* the result is recorded. So a recorded result means that
   the task exists, and a repeated task of a recorded attempt can be dropped: no second run.
3. A claim that ran out without a record means that its worker died, perhaps after the receiver got the event. The
   attempt counts as made and failed ("interrupted"), and the next one follows on the schedule: nothing is skipped,
   and never are more than five requests sent.
4. A redelivery begins a run of its own, with a number one higher, by a conditional write that finds no attempt under
   way. From then on tasks and results of the run before are none of the delivery's: at no time are there two.
"""

from dataclasses import dataclass
from enum import StrEnum

from helpdesk.delivery.schedule import MAX_ATTEMPTS

CLAIM_MS = 40_000
"""How long a claim holds: an attempt's 15 s, its writes, and room for a slow start. Less than the queues' visibility
timeout, so that a message that comes back after a crash finds the claim run out."""


class DeliveryState(StrEnum):
    """Where a delivery stands."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DROPPED = "dropped"
    CANCELLED = "cancelled"


class Step(StrEnum):
    """What a message calls for."""

    DONE = "done"
    """Nothing: the delivery is over, or this attempt is made and its successor queued."""
    LATER = "later"
    """The attempt is not due, or a claim is still held: put the message back until then."""
    CLAIM = "claim"
    """Claim the attempt and make it."""
    RECOVER = "recover"
    """The attempt was claimed and its worker died: record that and queue the next one."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a delivery has come.

    run      which run of attempts this is: 1, and one more with each redelivery
    made       how many attempts of it were claimed, 0 to 5
    recorded   whether the result of the last one is recorded (true before the first)
    claimed_until  until when (ms) its claim holds while it is not
    """

    state: DeliveryState
    made: int
    recorded: bool
    claimed_until: int
    run: int = 1

    def is_under_way(self, now: int) -> bool:
        """Whether an attempt is being made at `now` (ms), as far as anyone can know."""
        return not self.recorded and self.claimed_until > now


@dataclass(frozen=True, slots=True)
class Decision:
    """A step, and for LATER the time (ms) from which it makes sense to look again."""

    step: Step
    at: int = 0


def decide(progress: Progress | None, attempt: int, due_at: int, now: int, run: int = 1) -> Decision:
    """Return what a message for `attempt` of `run`, due at `due_at` (ms), calls for at `now` (ms).

    `progress` is None where the delivery is gone: its history ran out or its endpoint was erased.
    """
    if progress is None or progress.state is not DeliveryState.PENDING or attempt > MAX_ATTEMPTS:
        return Decision(Step.DONE)
    if due_at > now and progress.run == run:
        return Decision(Step.LATER, due_at)
    # Of another run: a redelivery has begun since, and its own tasks are on their way.
    return _decide_now(progress, attempt, now) if progress.run == run else Decision(Step.DONE)


def _decide_now(progress: Progress, attempt: int, now: int) -> Decision:
    """Return what a message for an attempt of the present run calls for once it is due."""
    if progress.is_under_way(now):
        # Its owner is at work. Should he die, whichever message looks again after the claim recovers it.
        return Decision(Step.LATER, progress.claimed_until)
    if attempt > progress.made:
        return Decision(Step.CLAIM)
    if attempt == progress.made and not progress.recorded:
        return Decision(Step.RECOVER)
    return Decision(Step.DONE)
