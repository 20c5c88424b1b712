"""Which connected account has a repository."""

from helpdesk.integrations import service as integrations
from helpdesk.integrations.apps import App
from helpdesk.integrations.record import Connection, ConnectionStatus


def owner_of(organization: str, repo: str) -> Connection | None:
    """Return the connection to the account that has a repository, or None. One call.

    An App that was installed again has a connection of its own: one that works comes before a broken one, and a newer
    one before an older one.
    """
    owner = repo.partition("/")[0].casefold()
    found = [
        each
        for each in integrations.connections(organization, App.CODEHOST)
        if each.account.casefold() == owner
    ]
    return max(
        found, key=lambda each: (each.status is not ConnectionStatus.BROKEN, each.connected_at), default=None
    )
