"""The rules of attempts: what to do with a task message. Pure: no AWS, no clock.

The stream, the queues and the functions all repeat. A message is therefore only a task; the delivery's item decides.
Four rules keep one run of at most five attempts, whatever is repeated, lost or out of order (docs/decisions/0004):

1. A conditional write *claims* and counts an attempt before it is made; the first claim creates the item. Two
   tasks of one attempt cannot both claim it, and no task can claim a sixth.
2. After a failure the next task is queued *before* the result is recorded. A recorded result means that the next task
   exists, so a repeated task of a recorded attempt is dropped and starts no second run.
3. A claim that expires without a result means that its worker died, perhaps after the receiver got the event. The
   attempt counts as failed ("interrupted"), and the next one follows on schedule. No attempt is skipped, and at most
   five requests are sent.
4. A redelivery starts the next run by a conditional write that finds no attempt under way. From then on the tasks and
   results of the earlier run have no effect, so there is one run at a time.
"""

from enum import StrEnum

from helpdesk.platform.record import Record
from helpdesk.webhooks.delivery.schedule import MAX_ATTEMPTS

CLAIM_MS = 40_000
"""How long a claim holds: an attempt's 15 s, its writes, and room for a slow start. It is shorter than the queues'
visibility timeout, so a message that comes back after a crash finds an expired claim."""


class DeliveryState(StrEnum):
    """The state of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DROPPED = "dropped"
    CANCELLED = "cancelled"


class Step(StrEnum):
    """The action that a message requires."""

    DONE = "done"
    """Nothing: the delivery is over, or this attempt is recorded and the next one queued."""
    LATER = "later"
    """The attempt is not due, or another worker holds the claim: queue the task again for then."""
    CLAIM = "claim"
    """Claim the attempt and make it."""
    RECOVER = "recover"
    """The attempt was claimed and its worker died: record that and queue the next one."""


class Progress(Record):
    """How far a delivery has come.

    made           how many attempts of the run were claimed, 0 to 5
    recorded       whether the result of the last one is recorded (true before the first)
    claimed_until  until when (ms) the claim of an attempt without a result holds
    run            the number of the run: 1, and one more with each redelivery
    """

    state: DeliveryState
    made: int
    recorded: bool
    claimed_until: int
    run: int = 1

    def is_under_way(self, now: int) -> bool:
        """Whether an attempt may be under way at `now` (ms): it is claimed, not recorded, and the claim still holds."""
        return not self.recorded and self.claimed_until > now


class Decision(Record):
    """A step, and for LATER the time (ms) from which to look again."""

    step: Step
    at: int = 0


def decide(progress: Progress | None, attempt: int, due_at: int, now: int, run: int = 1) -> Decision:
    """Return the action that a message for `attempt` of `run`, due at `due_at` (ms), requires at `now` (ms).

    `progress` is None before the first attempt, and where the delivery is gone because its event was erased.
    """
    if progress is None and (attempt, run) == (1, 1):
        return Decision(Step.LATER, due_at) if due_at > now else Decision(Step.CLAIM)
    if progress is None or progress.state is not DeliveryState.PENDING or attempt > MAX_ATTEMPTS:
        return Decision(Step.DONE)
    if due_at > now and progress.run == run:
        return Decision(Step.LATER, due_at)
    # A task of another run: a redelivery has started since, and has its own tasks.
    return _decide_now(progress, attempt, now) if progress.run == run else Decision(Step.DONE)


def _decide_now(progress: Progress, attempt: int, now: int) -> Decision:
    """Return the action that a message for an attempt of the present run requires once it is due."""
    if progress.is_under_way(now):
        # Another worker holds the claim. If it dies, the first task after the claim expires recovers the attempt.
        return Decision(Step.LATER, progress.claimed_until)
    if attempt > progress.made:
        return Decision(Step.CLAIM)
    if attempt == progress.made and not progress.recorded:
        return Decision(Step.RECOVER)
    return Decision(Step.DONE)
