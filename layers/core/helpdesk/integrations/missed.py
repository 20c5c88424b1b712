"""What an app missed: conversations that had something new while nothing could be posted.

They are looked at once that works again. A note is kept for 30 days. While an app is disconnected, what it misses is
noted for as long.
"""

from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import missed_repository
from helpdesk.integrations import service as integrations
from helpdesk.integrations.outcomes import TryLater
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform import clock
from helpdesk.platform.errors import AppError
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks import following

CATCH_UP = "catch_up"
"""The kind of the job that looks at the conversations that were missed."""
KEPT_SECONDS = 30 * DAY_SECONDS

_AT_ONCE = 40  # two actions each, of a transaction's hundred


def note(connection: Connection, conversation_id: str) -> None:
    """Note that a conversation has something new that cannot be posted. One call."""
    missed_repository.put(
        connection.organization, connection.app, connection.account_id, conversation_id, KEPT_SECONDS
    )


def note_while_broken(organization: str, app: App, account_id: str, conversation_id: str) -> str:
    """Note a conversation while its connection is broken or removed. Raises TryLater if that works by now."""
    missed_repository.put(organization, app, account_id, conversation_id, KEPT_SECONDS)
    # Who mended it meanwhile may have looked for what was missed before this was noted.
    try:
        current = integrations.connection(organization, app)
    except AppError:
        return "missed"
    if current.status is not ConnectionStatus.BROKEN:
        raise TryLater("the connection works again", 1.0)
    return "missed"


def job(organization: str, app: App, due_at: int | None = None) -> IntegrationJob:
    """Return the job that looks at what was missed, at an instant (ms) if one is given."""
    return IntegrationJob(kind=CATCH_UP, app=app, organization=organization, due_at=due_at)


def catch_up(connection: Connection, until: int) -> str:
    """Queue a job for each conversation that was missed, until an instant (ms). Raises TryLater."""
    if connection.status is ConnectionStatus.BROKEN:
        return "off"
    organization, app = connection.organization, connection.app

    def job_of(conversation_id: str) -> IntegrationJob:
        return following.job(organization, app, conversation_id)

    while missed_repository.replace_by_jobs(organization, app, connection.account_id, job_of, _AT_ONCE):
        if clock.now_ms() > until:
            raise TryLater("more conversations were missed", 1.0)
    return "caught_up"


def forget(
    transaction: Transaction, organization: str, app: App, account_id: str, conversation_id: str
) -> None:
    """Delete the note of a conversation, if there is one."""
    missed_repository.delete(transaction, organization, app, account_id, conversation_id)
