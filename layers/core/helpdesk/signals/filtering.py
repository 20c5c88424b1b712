"""Which signals a list has."""

from typing import NamedTuple

from helpdesk.signals.kinds import Priority, SignalKind, SignalStatus
from helpdesk.signals.record import Signal
from helpdesk.storage.table import Filter


class SignalFilter(NamedTuple):
    """Which signals a list has."""

    kind: SignalKind | None = None
    status: SignalStatus | None = None
    priority: Priority | None = None

    def matches(self, signal: Signal) -> bool:
        """Whether a signal is in the list."""
        return (
            self.kind in {None, signal.kind}
            and self.status in {None, signal.status}
            and self.priority in {None, signal.priority}
        )

    @property
    def condition(self) -> Filter | None:
        """What DynamoDB compares with each item that it reads; None if every item of the partition is listed."""
        wanted = {
            name: value.value
            for name, value in (("kind", self.kind), ("priority", self.priority))
            if value is not None
        }
        if not wanted:
            return None
        return Filter(
            " AND ".join(f"#{name} = :{name}" for name in wanted),
            {f"#{name}": name for name in wanted},
            {f":{name}": value for name, value in wanted.items()},
        )
