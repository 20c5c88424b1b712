"""Connections of organizations to the stand-ins of services, as the routes and the worker would have made them."""

from collections.abc import Mapping
from typing import Any

from helpdesk.integrations import repository, secret_repository
from helpdesk.integrations.apps import App, slot_of
from helpdesk.integrations.record import AppCredentials, Connection, ConnectionStatus, Tokens
from helpdesk.platform import clock, ids
from helpdesk.storage.transactions import Transaction
from helpdesk.tracker import repository as teams
from helpdesk.tracker.record import State, Team


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


def connect_tracker(organization: str) -> Connection:
    """Connect an organization to a workspace of the tracker whose team ENG is listed."""
    made = connect(organization, App.TRACKER, "workspace", "Acme", Tokens())
    kinds = {"Backlog": "backlog", "Todo": "unstarted", "In Progress": "started", "In Review": "started"}
    ends = {"Done": "completed", "Canceled": "canceled"}
    teams.put_team(
        Team(
            organization=organization,
            account_id="workspace",
            id="team",
            key="ENG",
            name="Engineering",
            states=tuple(State(name.casefold(), name, kind) for name, kind in (kinds | ends).items()),
        )
    )
    return made
