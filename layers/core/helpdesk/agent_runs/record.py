"""A run as it is stored: the model's turns and the calls of tools, with their outcomes. Times are in ms."""

import json
from collections.abc import Callable, Mapping
from copy import replace
from typing import Any, NamedTuple

from helpdesk.accounts.quotas.service import Spent
from helpdesk.agent_runs.state import CallEvent, CallState, RunEvent, RunState, apply, apply_to_call
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Status
from helpdesk.customers.record import Identity
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.storage.stored import Stored
from helpdesk.tools.record import Risk


class Call(Record, kw_only=True):
    """A call that the model asked for.

    `id` is the receiver's idempotency key, `use_id` the model's name for the call. `input` is JSON text, and exactly
    that is sent. `definition` is the digest of the tool as it was, and `identity` who the customer was: the call is
    made for them or not at all. `content` is what the model reads as the result, `reason` what the review or the
    decision said. `claimed_at` is set before the request is sent, and `duration` (ms) when its outcome is known.
    """

    id: str
    use_id: str
    tool: str
    title: str
    input: str
    state: CallState
    risk: Risk
    endpoint_id: str = ""
    definition: str = ""
    identity: Identity = Identity()
    approval_id: str | None = None
    claimed_at: int | None = None
    reason: str | None = None
    content: str = ""
    duration: int | None = None

    @property
    def input_value(self) -> dict[str, Any]:
        """The input as a value."""
        value: dict[str, Any] = json.loads(self.input)
        return value

    def after(self, event: CallEvent, **changed: Any) -> "Call":
        """Return the call after an event, with what else that changes."""
        return replace(self, state=apply_to_call(self.state, event), **changed)


class ModelTurn(Record):
    """What the model said with some calls, and how many of the run's calls those are."""

    text: str
    calls: int


class Run(Stored, kw_only=True):
    """A run for the visitor's message `message_id`.

    `model_calls` counts the turns of the model, `invalid_inputs` the inputs that did not fit. `resolutions` is how
    often the conversation had been resolved when the run began. `revision` counts the writes; each requires the
    revision that was read, so two workers never go on from the same state. `tokens_counted` are those of its tokens
    that its conversation's hour has. `saved_at` is when it was written last.
    """

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "RUN#{message_id}"
    organization: str
    conversation_id: str
    message_id: str
    state: RunState
    turns: tuple[ModelTurn, ...]
    calls: tuple[Call, ...]
    model_calls: int
    invalid_inputs: int
    tokens_in: int
    tokens_out: int
    resolutions: int
    tokens_counted: int = 0
    revision: int = 0
    saved_at: int = 0
    expires_at: int | None = None

    @property
    def tokens(self) -> int:
        """How many tokens it has used."""
        return self.tokens_in + self.tokens_out

    @property
    def uncounted(self) -> int:
        """How many of them its conversation's hour does not have yet."""
        return self.tokens - self.tokens_counted

    def spent(self, conversation: Conversation) -> Spent:
        """Return what the next turn of a model has to stay within its budgets with."""
        return Spent(self.tokens, conversation.tokens_in_hour(clock.now_ms()) + self.uncounted)

    def has_ended(self, conversation: Conversation) -> bool:
        """Return whether its conversation is over, or was since the run began and is open again."""
        is_over = conversation.archived or conversation.state.status is not Status.OPEN
        return is_over or self.resolutions != conversation.resolutions

    def after(self, event: RunEvent) -> "Run":
        """Return the run after an event."""
        return replace(self, state=apply(self.state, event))

    def with_call(self, changed: Call) -> "Run":
        """Return the run with a call in a new state."""
        return replace(self, calls=tuple(changed if each.id == changed.id else each for each in self.calls))

    def calls_in(self, *states: CallState) -> list[Call]:
        """Return the calls in some states, in their order."""
        return [each for each in self.calls if each.state in states]


class Done(NamedTuple):
    """The outcome of a built-in tool: what the model reads, and a line for the team in the thread, or none."""

    content: str
    line: str | None = None


type BuiltIn = Callable[[Run, Call], Done]
"""A tool of this service itself: makes a call of a run. Repeating it, also after a crash, changes nothing more."""

type BuiltIns = Mapping[str, BuiltIn]
"""The built-in tools that a run has, by name."""
