"""What Slack and Discord share: the apps that show conversations.

While an app is set up to show conversations, each of their events is a job for it (helpdesk/webhooks/following.py).
What cannot be shown is recorded for 30 days, also while the app is disconnected, and follows once the app works again
(`MissedConversation`). Messages to one channel are paced (`Pace`).
"""

from collections.abc import Mapping
from typing import Self

from msgspec.structs import replace

from helpdesk.api.admission.caller import Caller
from helpdesk.events import followers
from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import service
from helpdesk.integrations.adapter import Adapter, Step
from helpdesk.integrations.app_settings import AppSettings, SettingsRecord
from helpdesk.integrations.errors import NotConnectedNow, Revoked, TryLater
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform import clock
from helpdesk.platform.errors import AppError
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import table
from helpdesk.storage.changes import below
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks import following

CATCH_UP = "catch_up"
"""The kind of the job that looks at the conversations that were missed."""
MISSED_SECONDS = 30 * DAY_SECONDS

_AT_ONCE = 40  # two actions each, of a transaction's hundred


class MissedConversation(Stored):
    """A conversation that had something new while an app could post nothing in an account."""

    PK, SK = "ORG#{organization}#MISSED#{app}#{account_id}", "CONV#{conversation_id}"
    organization: str
    app: App
    account_id: str
    conversation_id: str
    expires_at: int


_missed = Collection(MissedConversation)


def note_missed(connection: Connection, conversation_id: str) -> None:
    """Note that a conversation has something new that cannot be posted. One call."""
    _put(connection.organization, connection.app, connection.account_id, conversation_id)


def note_missed_while_broken(organization: str, app: App, account_id: str, conversation_id: str) -> str:
    """Note a conversation while its connection is broken or removed. Raises TryLater if that works by now."""
    _put(organization, app, account_id, conversation_id)
    # Who mended it meanwhile may have looked for what was missed before this was noted.
    try:
        current = service.connection(organization, app)
    except AppError:
        return "missed"
    if current.status is not ConnectionStatus.BROKEN:
        raise TryLater("the connection works again", 1.0)
    return "missed"


def catch_up_job(organization: str, app: App, due_at: int | None = None) -> IntegrationJob:
    """Return the job that looks at what was missed, at an instant (ms) if one is given."""
    return IntegrationJob(kind=CATCH_UP, app=app, organization=organization, due_at=due_at)


def catch_up(connection: Connection, until: int) -> str:
    """Queue a job for each conversation that was missed, until an instant (ms). Raises TryLater."""
    if connection.status is ConnectionStatus.BROKEN:
        return "off"
    while _queue_some(connection):
        if clock.now_ms() > until:
            raise TryLater("more conversations were missed", 1.0)
    return "caught_up"


def _put(organization: str, app: App, account_id: str, conversation_id: str) -> None:
    key = MissedConversation.key_for(organization, app, account_id, conversation_id)
    table.change(key, set={"expires_at": clock.seconds_from_now(MISSED_SECONDS)}, or_new=True)


def _queue_some(connection: Connection) -> bool:
    """Replace some notes of conversations by their jobs; return whether others are left. One query, one transaction."""
    scope = connection.organization, connection.app, connection.account_id
    found = _missed.page(*scope, limit=_AT_ONCE + 1, consistent=True).records
    transaction = Transaction()
    for each in found[:_AT_ONCE]:
        transaction.delete(each.key)
        jobs.put(transaction, following.job(each.organization, each.app, each.conversation_id))
    if found:
        transaction.commit()
    return len(found) > _AT_ONCE


class Pace(Stored, kw_only=True):
    """When the next message may go to a channel (ms). A subclass has the key."""

    next_at: int


def next_slot(pace: type[Pace], *place: str, pace_ms: int) -> int:
    """Return the instant (ms) at which a message may go to a channel, and give that to nobody else.

    `place` are the parts of the key of its pace.
    """
    key, now = pace.key_for(*place), clock.now_ms()
    try:
        table.change(key, set={"next_at": now + pace_ms}, require={"next_at": below(now + 1)}, or_new=True)
    except ConditionFailed:
        after = table.change(key, add={"next_at": pace_ms}, or_new=True, returning="ALL_NEW")
        return pace.from_item(after).next_at - pace_ms
    return now


class ChatRecord(SettingsRecord, kw_only=True):
    """Settings of an app that shows conversations.

    channel     the name of the channel when it was chosen; `channel_id` stays the same when it is renamed
    account_id  the workspace or server that the channel is in
    since       from when (ms) what happens is shown
    """

    channel: str | None = None
    channel_id: str | None = None
    account_id: str | None = None
    enabled: bool = False
    since: int = 0

    @property
    def follows(self) -> bool:
        """Whether events of conversations are jobs for the app."""
        return self.enabled

    def within(self, account_id: str) -> Self:
        """Return the settings as they are in an account: those of another one don't count."""
        return self if self.account_id == account_id else self.cleared()


class ChatSettings[T: ChatRecord](AppSettings[T]):
    """The settings of an app that shows conversations.

    `retry_ms` is when conversations that were missed are tried once more after a channel refused one; None for never.
    """

    def __init__(self, app: App, record: type[T], retry_ms: int | None = None) -> None:
        """Set the app, its record, and when a channel is tried again."""
        super().__init__(app, record)
        self._retry_ms = retry_ms

    def in_force(self, organization: str) -> T:
        """Return the settings in the connected account, with why nothing arrives. Raises the app's NotConnected."""
        connection = service.connection(organization, self.app)
        found = self.get(organization).within(connection.account_id)
        return replace(found, problem=connection.problem or found.problem)

    def followed_account(self, organization: str) -> str | None:
        """Return the account in which an organization wants its conversations, connected or not. One call."""
        found = self.get(organization)
        return found.account_id if found.follows else None

    def add_follow(self, transaction: Transaction, connection: Connection, *, follows: bool) -> None:
        """Add that events of conversations are jobs for the app, or no longer. Raises the app's NotConnected."""
        service.require(transaction, connection)
        followers.follow(transaction, connection.organization, self.app.value, follows=follows)

    def resume(self, connection: Connection) -> None:
        """Follow conversations again in an account that did before, and catch up. Raises the app's NotConnected."""

        def extra_writes(transaction: Transaction, _before: T, after: T) -> None:
            follows = after.follows and after.account_id == connection.account_id
            self.add_follow(transaction, connection, follows=follows)
            jobs.put(transaction, catch_up_job(connection.organization, self.app))

        if self.followed_account(connection.organization) == connection.account_id:
            self.change(connection.organization, lambda seen: seen, extra_writes)

    def set_channel_problem(self, organization: str, channel_id: str, problem: str | None) -> None:
        """Record why nothing arrives in a channel, or None, unless another one was chosen since.

        When something arrives again, conversations that were missed follow.
        """

        def is_it(seen: T) -> bool:
            return seen.channel_id == channel_id

        def extra_writes(transaction: Transaction, before: T, after: T) -> None:
            if (before.problem is None) == (after.problem is None):
                return
            if problem is None:
                jobs.put(transaction, catch_up_job(organization, self.app))
            elif self._retry_ms is not None:
                jobs.put(transaction, catch_up_job(organization, self.app, clock.now_ms() + self._retry_ms))

        self.set_problem(organization, problem, applies=is_it, extra_writes=extra_writes)

    def disconnect(self, caller: Caller, account: str | None) -> None:
        """Remove the connection, and record for 30 days what it misses. Raises the app's NotConnected."""
        follows = self.followed_account(caller.organization) is not None

        def extra_writes(transaction: Transaction) -> None:
            followers.follow(
                transaction,
                caller.organization,
                self.app.value,
                follows=follows,
                for_seconds=MISSED_SECONDS,
            )

        service.remove(caller.organization, self.app, account, caller.actor, extra_writes)


class ChatAdapter[T: ChatRecord](Adapter):
    """The adapter of an app that shows conversations."""

    settings: ChatSettings[T]

    def show_conversation(self, connection: Connection, conversation_id: str) -> str:
        """Show what is new in a conversation. Raises Revoked, TryLater."""
        raise NotImplementedError

    def resume(self, connection: Connection) -> None:
        """Show conversations again where that was done before, and those that were missed. Raises NotConnectedNow."""
        try:
            self.settings.resume(connection)
        except AppError:
            raise NotConnectedNow from None

    def steps(self, job: IntegrationJob, until: int) -> Mapping[str, Step]:
        """Return the jobs of every chat app: show a conversation, and catch up with those that were missed."""
        return {
            following.FOLLOW: lambda connection: self._follow(connection, following.conversation_of(job)),
            CATCH_UP: lambda connection: catch_up(connection, until),
        }

    def run(self, job: IntegrationJob, until: int) -> str:
        """Run a job. A conversation that cannot be shown while the app is disconnected is recorded."""
        organization = job.organization or ""
        try:
            connection = self.connection_of(organization)
        except NotConnectedNow:
            if (
                job.kind != following.FOLLOW
                or (account := self.settings.followed_account(organization)) is None
            ):
                raise
            return note_missed_while_broken(organization, self.app, account, following.conversation_of(job))
        return self.run_step(connection, job, until)

    def _follow(self, connection: Connection, conversation_id: str) -> str:
        try:
            return self.show_conversation(connection, conversation_id)
        except Revoked:
            note_missed(connection, conversation_id)
            raise
