"""The states of a run and of its calls, and every transition between them, as two tables without AWS.

A run is the work on one visitor's message. It is stored with the first call of a tool; a message that the model answers
at once leaves none. Tests keep these tables and those in docs/guides/agent-runs.md equal.
"""

from collections.abc import Mapping
from enum import StrEnum


class RunState(StrEnum):
    """Where a run stands. It is over in the last three."""

    THINKING = "thinking"
    """The model is to be asked next."""
    CALLING = "calling"
    """Calls of the model's latest turn are to be judged or made."""
    WAITING = "waiting"
    """A person has to decide about a call."""
    ANSWERED = "answered"
    HANDED_OVER = "handed over"
    STOPPED = "stopped"
    """It ended without a word of the agent."""

    @property
    def is_over(self) -> bool:
        """Whether nothing of it is left to do."""
        return self in {RunState.ANSWERED, RunState.HANDED_OVER, RunState.STOPPED}

    @property
    def is_under_way(self) -> bool:
        """Whether a worker has something to do about it now."""
        return self in {RunState.THINKING, RunState.CALLING}


class RunEvent(StrEnum):
    """What happens to a run."""

    ASKS_FOR_TOOLS = "the model asks for tools"
    RETURNED = "every call has a result"
    WAITS = "only calls that a person decides are left"
    DECIDED = "a person decides, or the approval expires"
    ANSWERS = "the model answers"
    HANDS_OVER = "the agent hands to the team"
    WRITES_AGAIN = "the visitor writes again"
    TEAM_REPLIES = "a teammate replies before the agent"
    TAKEN_OVER = "a person takes over"
    ENDED = "the conversation is resolved, even if it was reopened, or archived"


class CallState(StrEnum):
    """Where a call of a tool stands. It has a result from `succeeded` on."""

    READY = "ready"
    """It may be made."""
    REVIEWING = "reviewing"
    """The second model has to judge it."""
    WAITING = "waiting"
    """A person has to decide."""
    APPROVED = "approved"
    RUNNING = "running"
    """The request is about to be sent, or was sent."""
    SUCCEEDED = "succeeded"
    REFUSED = "refused"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """The tool may have done it. The call is never repeated."""
    DENIED = "denied"
    EXPIRED = "expired"
    REJECTED = "rejected"
    """It was never possible: no such tool, an input that does not fit, a visitor whom nobody knows."""
    CANCELLED = "cancelled"
    """A person took over, the conversation ended, or the tool changed, before it was made."""

    @property
    def has_result(self) -> bool:
        """Whether the call is over."""
        return self not in _OPEN

    @property
    def is_actionable(self) -> bool:
        """Whether the worker has something to do about it."""
        return self in _OPEN and self is not CallState.WAITING


_OPEN = {
    CallState.READY,
    CallState.REVIEWING,
    CallState.WAITING,
    CallState.APPROVED,
    CallState.RUNNING,
}


class CallEvent(StrEnum):
    """What happens to a call."""

    REVIEW_ALLOWS = "the review lets it be made"
    REVIEW_DENIES = "the review denies it"
    REVIEW_PASSES = "the review passes it to the team, or fails"
    APPROVED = "a person approves it"
    DENIED = "a person denies it"
    EXPIRED = "its approval expires"
    CLAIMED = "the worker is about to send it"
    SUCCEEDED = "the tool did it"
    REFUSED = "the tool refuses"
    FAILED = "the tool did not do it"
    LOST = "no answer came, or the worker died"
    INTERRUPTED = "a person takes over, or the conversation ends"
    OUTDATED = "its tool or its customer is another one by now, or it has a higher risk"


class ImpossibleTransition(Exception):
    """An event that cannot happen in a state. This is a defect."""


_T, _C, _W = RunState.THINKING, RunState.CALLING, RunState.WAITING
_A, _H, _S = RunState.ANSWERED, RunState.HANDED_OVER, RunState.STOPPED

RUN: dict[RunEvent, Mapping[RunState, RunState]] = {
    RunEvent.ASKS_FOR_TOOLS: {_T: _C},
    RunEvent.RETURNED: {_C: _T},
    RunEvent.WAITS: {_C: _W},
    RunEvent.DECIDED: {_W: _C},
    RunEvent.ANSWERS: {_T: _A},
    RunEvent.HANDS_OVER: {_T: _H, _C: _H},
    # The newer message has a run of its own, which begins when this one ends or waits.
    RunEvent.WRITES_AGAIN: {_T: _T, _C: _C, _W: _W, _A: _A, _H: _H, _S: _S},
    RunEvent.TEAM_REPLIES: {_T: _S, _C: _C, _W: _W, _A: _A, _H: _H, _S: _S},
    # A call that runs ends first, and the thread states its outcome. What waits stays the team's to decide.
    RunEvent.TAKEN_OVER: {_T: _S, _C: _C, _W: _W, _A: _A, _H: _H, _S: _S},
    # What waits expires, by a job of its own.
    RunEvent.ENDED: {_T: _S, _C: _C, _W: _W, _A: _A, _H: _H, _S: _S},
}
"""The state of a run after each event. What is not listed cannot happen."""

_OUTCOMES = {
    CallEvent.SUCCEEDED: CallState.SUCCEEDED,
    CallEvent.REFUSED: CallState.REFUSED,
    CallEvent.FAILED: CallState.FAILED,
    CallEvent.LOST: CallState.UNKNOWN,
}

CALLS: dict[CallEvent, Mapping[CallState, CallState]] = {
    CallEvent.REVIEW_ALLOWS: {CallState.REVIEWING: CallState.READY},
    CallEvent.REVIEW_DENIES: {CallState.REVIEWING: CallState.DENIED},
    CallEvent.REVIEW_PASSES: {CallState.REVIEWING: CallState.WAITING},
    CallEvent.APPROVED: {CallState.WAITING: CallState.APPROVED},
    CallEvent.DENIED: {CallState.WAITING: CallState.DENIED},
    CallEvent.EXPIRED: {CallState.WAITING: CallState.EXPIRED, CallState.APPROVED: CallState.EXPIRED},
    CallEvent.CLAIMED: {CallState.READY: CallState.RUNNING, CallState.APPROVED: CallState.RUNNING},
    **{event: {CallState.RUNNING: state} for event, state in _OUTCOMES.items()},
    # A call that waits without an approval yet is one that the team was not asked about in time.
    CallEvent.INTERRUPTED: {
        CallState.READY: CallState.CANCELLED,
        CallState.REVIEWING: CallState.CANCELLED,
        CallState.WAITING: CallState.CANCELLED,
    },
    CallEvent.OUTDATED: {CallState.READY: CallState.CANCELLED},
}
"""The state of a call after each event. What is not listed cannot happen."""


def apply(state: RunState, event: RunEvent) -> RunState:
    """Return the state of a run after an event. Raises ImpossibleTransition."""
    found = RUN[event].get(state)
    if found is None:
        raise ImpossibleTransition(f"{state}: {event}")
    return found


def apply_to_call(state: CallState, event: CallEvent) -> CallState:
    """Return the state of a call after an event. Raises ImpossibleTransition."""
    found = CALLS[event].get(state)
    if found is None:
        raise ImpossibleTransition(f"{state}: {event}")
    return found
