"""What an app missed: conversations that had something new while nothing could be posted.

They are looked at once that works again. A note is kept for 30 days. While an app is disconnected, what it misses is
noted for as long.
"""

from helpdesk.integrations import following, jobs
from helpdesk.integrations import service as integrations
from helpdesk.integrations.apps import App
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.outcomes import TryLater
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform import clock
from helpdesk.platform.errors import AppError
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.transactions import Transaction

CATCH_UP = "catch_up"
"""The kind of the job that looks at the conversations that were missed."""
KEPT_SECONDS = 30 * DAY_SECONDS

_AT_ONCE = 40  # two actions each, of a transaction's hundred


def note(connection: Connection, conversation_id: str) -> None:
    """Note that a conversation has something new that cannot be posted. One call."""
    _note(connection.organization, connection.app, connection.account_id, conversation_id)


def note_while_broken(organization: str, app: App, account_id: str, conversation_id: str) -> str:
    """Note a conversation while its connection is broken or removed. Raises TryLater if that works by now."""
    _note(organization, app, account_id, conversation_id)
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
    while _follow(connection):
        if clock.now_ms() > until:
            raise TryLater("more conversations were missed", 1.0)
    return "caught_up"


def forget(
    transaction: Transaction, organization: str, app: App, account_id: str, conversation_id: str
) -> None:
    """Delete the note of a conversation, if there is one."""
    transaction.delete(keys.MissedConversation(organization, app.value, account_id, conversation_id))


def _note(organization: str, app: App, account_id: str, conversation_id: str) -> None:
    table.update(
        keys.MissedConversation(organization, app.value, account_id, conversation_id),
        "SET expiresAt = :end",
        values={":end": clock.seconds_from_now(KEPT_SECONDS)},
    )


def _follow(connection: Connection) -> bool:
    """Queue jobs for some conversations, and forget that they were missed; return whether others are left.

    One query, and one transaction for all of them.
    """
    organization, app = connection.organization, connection.app
    pk = keys.MissedConversation(organization, app.value, connection.account_id, "-").pk
    page = table.query(pk, sk_prefix="CONV#", limit=_AT_ONCE + 1, consistent=True)
    transaction = Transaction()
    for item in page.items[:_AT_ONCE]:
        key = keys.MissedConversation.parse(item["PK"], item["SK"])
        if key is not None:
            transaction.delete(key)
            jobs.put(transaction, following.job(organization, app, key.conversation_id))
    if page.items:
        transaction.commit()
    return len(page.items) > _AT_ONCE
