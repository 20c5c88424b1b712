"""What the apps share in which conversations appear: Slack and Discord.

While an app is set up to show conversations, each of their events is a job for it (following.py). What cannot be shown
is recorded, and follows once the app works again (missed.py).
"""

from collections.abc import Mapping

from helpdesk.api.admission.caller import Caller
from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import missed, service
from helpdesk.integrations.adapter import Adapter, Step
from helpdesk.integrations.app_settings import AppSettings, SettingsRecord
from helpdesk.integrations.outcomes import NotConnectedNow, Revoked
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks import following
from helpdesk.webhooks import service as webhooks


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


class ChatSettings[T: ChatRecord](AppSettings[T]):
    """The settings of an app that shows conversations.

    `retry_ms` is when conversations that were missed are tried once more after a channel refused one; None for never.
    """

    def __init__(self, app: App, record: type[T], retry_ms: int | None = None) -> None:
        """Set the app, its record, and when a channel is tried again."""
        super().__init__(app, record)
        self._retry_ms = retry_ms

    def followed_account(self, organization: str) -> str | None:
        """Return the account in which an organization wants its conversations, connected or not. One call."""
        found = self.get(organization)
        return found.account_id if found.follows else None

    def add_follow(self, transaction: Transaction, connection: Connection, *, follows: bool) -> None:
        """Add that events of conversations are jobs for the app, or no longer. Raises the app's NotConnected."""
        service.require(transaction, connection)
        webhooks.follow(transaction, connection.organization, self.app.value, follows=follows)

    def resume(self, connection: Connection) -> None:
        """Follow conversations again in an account that did before, and catch up. Raises the app's NotConnected."""

        def extra_writes(transaction: Transaction, _before: T, after: T) -> None:
            follows = after.follows and after.account_id == connection.account_id
            self.add_follow(transaction, connection, follows=follows)
            jobs.put(transaction, missed.job(connection.organization, self.app))

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
                jobs.put(transaction, missed.job(organization, self.app))
            elif self._retry_ms is not None:
                jobs.put(transaction, missed.job(organization, self.app, clock.now_ms() + self._retry_ms))

        self.set_problem(organization, problem, applies=is_it, extra_writes=extra_writes)

    def disconnect(self, caller: Caller, account: str | None) -> None:
        """Remove the connection, and record for 30 days what it misses. Raises the app's NotConnected."""
        follows = self.followed_account(caller.organization) is not None

        def extra_writes(transaction: Transaction) -> None:
            webhooks.follow(
                transaction,
                caller.organization,
                self.app.value,
                follows=follows,
                for_seconds=missed.KEPT_SECONDS,
            )

        service.remove(caller.organization, self.app, account, caller.actor, extra_writes)


class ChatAdapter[T: ChatRecord](Adapter):
    """The adapter of an app that shows conversations."""

    settings: ChatSettings[T]

    def show_conversation(self, connection: Connection, conversation_id: str) -> str:
        """Show what is new in a conversation. Raises Revoked, TryLater."""
        raise NotImplementedError

    def steps(self, job: IntegrationJob, until: int) -> Mapping[str, Step]:
        """Return the jobs of every chat app: show a conversation, and catch up with those that were missed."""
        return {
            following.FOLLOW: lambda connection: self._follow(connection, following.conversation_of(job)),
            missed.CATCH_UP: lambda connection: missed.catch_up(connection, until),
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
            return missed.note_while_broken(organization, self.app, account, following.conversation_of(job))
        return self.run_step(connection, job, until)

    def _follow(self, connection: Connection, conversation_id: str) -> str:
        try:
            return self.show_conversation(connection, conversation_id)
        except Revoked:
            missed.note(connection, conversation_id)
            raise
