"""What an organization set for an app, a record in one item, and the lists that it chooses from, such as channels.

A worker keeps each list, so that routes send no request. A list has an item, its directory, that says when it was
written and when it was last asked for.
"""

from collections.abc import Callable
from typing import NamedTuple, Self

from msgspec.structs import replace

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.stored import Key, Stored
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

type ExtraWrites[T] = Callable[[Transaction, T, T], None]
"""Adds the writes that a change brings, given the settings before and after it."""


class SettingsRecord(Stored, kw_only=True):
    """A record of settings, whose key a subclass has.

    `problem` is why the app does not do its work; None if it does. `version` counts writes.
    """

    organization: str
    problem: str | None = None
    version: int = 0

    def cleared(self) -> Self:
        """Return the settings of an organization that set nothing, to be written over these."""
        return type(self)(organization=self.organization, version=self.version)


def _nothing(_transaction: Transaction, _before: object, _after: object) -> None:
    pass


class AppSettings[T: SettingsRecord]:
    """The settings of one app. Organizations that set nothing have the defaults of the record."""

    def __init__(self, app: App, record: type[T]) -> None:
        """Set the app, and the record that its settings are."""
        self.app = app
        self._record = record
        self._stored = Collection(record)

    def get(self, organization: str) -> T:
        """Return an organization's settings. One call."""
        return self._stored.find(organization) or self._record(organization=organization)

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
            before = self.get(organization)
            after = decide(before)
            transaction = Transaction()
            transaction.save(before, after, on_failure=ConditionFailed)
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


class Listing(NamedTuple):
    """A kind of list: the kind of the job that writes it, and the key of its directory by organization and account."""

    kind: str
    directory: Callable[[str, str], Key]

    def key(self, connection: Connection) -> Key:
        """Return the key of an account's directory."""
        return self.directory(connection.organization, connection.account_id)

    def claim(self, connection: Connection) -> bool:
        """Return whether nobody asked for the list in the last minute, and record that somebody has now. One call."""
        now = clock.now_ms()
        try:
            table.update(
                self.key(connection),
                "SET askedAt = :now",
                condition="attribute_not_exists(askedAt) OR askedAt < :since",
                values={":now": now, ":since": now - MINUTE_MS},
            )
        except ConditionFailed:
            return False
        return True

    def request(self, connection: Connection) -> None:
        """Queue a job that writes the list."""
        organization, app = connection.organization, connection.app
        jobs.enqueue(IntegrationJob(kind=self.kind, app=app, organization=organization))

    def request_soon(self, connection: Connection) -> None:
        """Queue a job that writes the list, at most once a minute."""
        if self.claim(connection):
            self.request(connection)
