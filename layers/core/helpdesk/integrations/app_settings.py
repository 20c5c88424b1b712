"""What an organization set for an app: a record in one item, which is changed as it was read."""

from collections.abc import Callable, Mapping
from typing import Any, Self

from msgspec.structs import replace

from helpdesk.integrations import repository
from helpdesk.integrations.apps import App
from helpdesk.platform.record import Record
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

type ExtraWrites[T] = Callable[[Transaction, T, T], None]
"""Adds the writes that a change brings, given the settings before and after it."""


class SettingsRecord(Record, kw_only=True):
    """A record of settings. `problem` is why the app does not do its work; None if it does."""

    problem: str | None = None

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Read the settings, which may be empty."""
        raise NotImplementedError

    def to_item(self) -> Item:
        """Return the settings as attributes."""
        raise NotImplementedError


def _nothing(_transaction: Transaction, _before: object, _after: object) -> None:
    pass


class AppSettings[T: SettingsRecord]:
    """The settings of one app. Organizations that set nothing have the defaults of the record."""

    def __init__(self, app: App, record: type[T]) -> None:
        """Set the app, and the record that its settings are read as."""
        self.app = app
        self._record = record

    def get(self, organization: str) -> T:
        """Return an organization's settings. One call."""
        return self._record.from_item(repository.settings(organization, self.app) or {})

    def change(
        self,
        organization: str,
        decide: Callable[[T], T],
        extra_writes: ExtraWrites[T] = _nothing,
    ) -> T:
        """Store the settings that `decide` returns for the current ones, with extra writes; return them.

        Decides again if another change came first. Raises Conflict.
        """

        def attempt() -> T:
            seen = repository.settings(organization, self.app)
            before = self._record.from_item(seen or {})
            after = decide(before)
            transaction = Transaction()
            repository.save_settings(transaction, organization, self.app, seen, after.to_item())
            extra_writes(transaction, before, after)
            transaction.commit()
            return after

        return repeat_when_stale(attempt, ConditionFailed)

    def set_problem(
        self,
        organization: str,
        problem: str | None,
        *,
        applies: Callable[[T], bool],
        extra_writes: ExtraWrites[T] = _nothing,
    ) -> None:
        """Record why the app does not do its work, or None. Writes nothing unless that is new.

        `applies` returns whether the problem is about the settings as they are by now.
        """
        seen = self.get(organization)
        if seen.problem == problem or not applies(seen):
            return

        def decide(before: T) -> T:
            return replace(before, problem=problem) if applies(before) else before

        self.change(organization, decide, extra_writes)
