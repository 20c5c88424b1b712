"""Lists of what an account has, such as channels or teams. A worker keeps each, so that routes need no request.

A list has an item, its directory, that says when it was written and when it was last asked for.
"""

from collections.abc import Callable
from typing import NamedTuple

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import IntegrationJob
from helpdesk.integrations import repository
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage.stored import Key


class Listing(NamedTuple):
    """A kind of list: the kind of the job that writes it, and the key of its directory by organization and account."""

    kind: str
    directory: Callable[[str, str], Key]

    def key(self, connection: Connection) -> Key:
        """Return the key of an account's directory."""
        return self.directory(connection.organization, connection.account_id)

    def claim(self, connection: Connection) -> bool:
        """Return whether nobody asked for the list in the last minute, and record that somebody has now. One call."""
        return repository.claim_listing(self.key(connection), clock.now_ms() - MINUTE_MS)

    def request(self, connection: Connection) -> None:
        """Queue a job that writes the list."""
        organization, app = connection.organization, connection.app
        jobs.enqueue(IntegrationJob(kind=self.kind, app=app, organization=organization))

    def request_soon(self, connection: Connection) -> None:
        """Queue a job that writes the list, at most once a minute."""
        if self.claim(connection):
            self.request(connection)
