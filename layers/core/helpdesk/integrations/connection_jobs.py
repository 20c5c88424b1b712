"""What the workers of the apps share: jobs for a connection, which breaks if the service rejects its credentials."""

from collections.abc import Callable, Mapping

from helpdesk.admission.caller import Caller
from helpdesk.integrations import following, missed, service
from helpdesk.integrations.apps import App
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.outcomes import NotConnectedNow, Revoked, UnknownJob
from helpdesk.integrations.record import Connection
from helpdesk.platform.errors import AppError
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks import service as webhooks

type Step = Callable[[Connection], str]
"""Does a job for a connection; returns the outcome."""


def do(
    job: IntegrationJob,
    app: App,
    steps: Mapping[str, Step],
    followed: Callable[[str], str | None] | None = None,
) -> str:
    """Do a job with the step of its kind; return the outcome. Raises NotConnectedNow, TryLater, UnknownJob.

    `followed` returns the account in which an organization wants its conversations to appear. A conversation that
    cannot appear there is noted.
    """
    organization = job.organization or ""
    try:
        connection = service.connection(organization, app)
    except AppError:
        if job.kind == following.FOLLOW and followed is not None:
            return _missed(job, app, followed(organization))
        raise NotConnectedNow from None
    if job.kind not in steps:
        raise UnknownJob(job.kind)
    try:
        return steps[job.kind](connection)
    except Revoked as problem:
        if job.kind == following.FOLLOW:
            missed.note(connection, following.conversation_of(job))
        service.broke(connection, str(problem))
        return "broken"


def _missed(job: IntegrationJob, app: App, account_id: str | None) -> str:
    if account_id is None:
        raise NotConnectedNow
    return missed.note_while_broken(job.organization or "", app, account_id, following.conversation_of(job))


def disconnect(caller: Caller, app: App, account: str | None, *, follows: bool) -> None:
    """Remove a connection. If its app follows conversations, it does for a while, and notes what it misses.

    Raises the app's NotConnected.
    """

    def also(transaction: Transaction) -> None:
        webhooks.follow(
            transaction, caller.organization, app.value, follows=follows, for_seconds=missed.KEPT_SECONDS
        )

    service.remove(caller.organization, app, account, caller.actor, also)


def leaves_signals(_organization: str, _signal_id: str, _filed: bool) -> str:  # noqa: FBT001 - the protocol's
    """Leave signals to other apps: `signal_changed` of an app that shows conversations alone."""
    return "nothing"
