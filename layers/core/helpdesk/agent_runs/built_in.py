"""The tools of this service itself, which the model is offered where a setting is on."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from helpdesk.agent_runs.record import Call, Run


class Done(NamedTuple):
    """The outcome of a call: what the model reads, and a line for the team in the thread, or none."""

    content: str
    line: str | None = None


type BuiltIn = Callable[[Run, Call], Done]
"""Makes a call of a run. Repeating it, also after a crash, changes nothing more."""

type BuiltIns = Mapping[str, BuiltIn]
"""The built-in tools that a run has, by name."""
