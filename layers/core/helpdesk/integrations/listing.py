"""Jobs that list what an account has: channels, roles, teams. The list is an item of its own, the directory."""

from helpdesk.integrations import jobs, repository
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage.keys import ItemKey
from helpdesk.storage.transactions import Transaction


def ask(connection: Connection, kind: str, directory: ItemKey) -> None:
    """Queue a listing, a job of this kind, once a minute at most. `directory` is the key of what is listed."""
    if claim(directory):
        request(connection, kind)


def claim(directory: ItemKey) -> bool:
    """Return whether nobody has asked for a listing in the last minute, and note that somebody has now. One call."""
    return repository.claim_listing(directory, clock.now_ms() - MINUTE_MS)


def request(connection: Connection, kind: str) -> None:
    """Queue a listing."""
    transaction = Transaction()
    jobs.put(transaction, IntegrationJob(kind=kind, app=connection.app, organization=connection.organization))
    transaction.commit()
