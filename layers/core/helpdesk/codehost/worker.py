"""Does the work of the code host: tokens of installations, and what GitHub sent."""

from collections.abc import Mapping
from typing import Any

from helpdesk.codehost import app_identity, receiver
from helpdesk.integrations import service as integrations
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.record import AppCredentials, Connection, Tokens

HOSTS = app_identity.HOSTS


def renew(app: AppCredentials, connection: Connection, _tokens: Tokens) -> Tokens:
    """Return a new token of the installation. Raises Revoked, TryLater, Unauthorized."""
    return app_identity.installation_tokens(app, connection.account_id)


def headers(tokens: Tokens) -> Mapping[str, str]:
    """Return the headers that every request in the installation's name has."""
    return {"authorization": f"Bearer {tokens.values[app_identity.TOKEN]}", **app_identity.VERSION_HEADERS}


def take_hook(connection: Connection, event: str, data: Mapping[str, Any], _until: int) -> str:
    """Do what an event of GitHub asks for."""
    if event == receiver.REMOVED:
        what = "suspended" if data["action"] == "suspend" else "uninstalled"
        integrations.broke(
            connection, f"The GitHub App was {what} on this account. An admin connects it again."
        )
        return "broken"
    return "nothing"


def work(_job: IntegrationJob, _until: int) -> str:
    """Do a job of the code host."""
    return "nothing"


def signal_changed(_organization: str, _signal_id: str) -> str:
    """Follow a signal that was filed or changed its status."""
    return "nothing"


def connected(_connection: Connection) -> str:
    """Begin what begins with a connection."""
    return "nothing"


def removed(_app: AppCredentials | None, _connection: Connection, _tokens: Tokens | None) -> None:
    """Leave the App installed: its owner removes it at GitHub, and another organization may be connected to it."""
