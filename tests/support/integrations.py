"""Connections of organizations to the stand-ins of services, as the routes and the worker would have made them."""

from collections.abc import Mapping
from typing import Any

from helpdesk.integrations import repository, secret_repository
from helpdesk.integrations.apps import App, slot_of
from helpdesk.integrations.record import AppCredentials, Connection, ConnectionStatus, Tokens
from helpdesk.platform import clock, ids
from helpdesk.storage.transactions import Transaction


def set_app(app: App, values: Mapping[str, str]) -> None:
    """Enter an app's credentials, as the operator does."""
    secret_repository.set_app_credentials(AppCredentials(app, values))


def connect(
    organization: str,
    app: App,
    account_id: str,
    account: str,
    tokens: Tokens,
    details: Mapping[str, Any] | None = None,
) -> Connection:
    """Connect an organization to an account, in the place of an earlier connection."""
    connection = Connection(
        organization=organization,
        app=app,
        slot=slot_of(app, account_id),
        id=ids.new("conn"),
        account_id=account_id,
        account=account,
        status=ConnectionStatus.CONNECTED,
        problem=None,
        connected_at=clock.now_ms(),
        connected_by_name="Ada Admin",
        details=details or {},
    )
    transaction = Transaction()
    repository.put(transaction, connection, repository.get(organization, app, connection.slot))
    secret_repository.put_tokens(transaction, connection, tokens)
    transaction.commit()
    return connection
