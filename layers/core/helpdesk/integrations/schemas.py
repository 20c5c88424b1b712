"""Responses of the routes of integrations that are the same for every app."""

from pydantic import ConfigDict

from helpdesk.api.http.schemas import Answer, Form, Milliseconds, Query
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import ConnectionStatus


class IntegrationAnswer(Answer):
    """An integration. One that has several accounts is listed once for each."""

    app: App
    status: ConnectionStatus
    """`broken`: the service no longer lets Helpdesk in, and `problem` says what to do."""
    account: str | None
    """The name of the account, workspace or server at the service. Null if none is connected."""
    connected_at: Milliseconds | None
    connected_by: str | None
    """The ID of the person or key."""
    connected_by_name: str | None
    problem: str | None


class IntegrationsAnswer(Answer):
    """GET /integrations."""

    integrations: list[IntegrationAnswer]


class RemoveQuery(Query):
    """The parameters of DELETE /integrations/{app}."""

    account: str | None = None
    """The account to disconnect, where several are connected. All of them if omitted."""


class ConnectQuery(Query):
    """The parameters of GET /connect/{app}."""

    organization: str = ""
    """The organization to choose on the page."""


class ConnectForm(Form):
    """The form of the page that begins a connection."""

    csrf: str = ""
    organization: str = ""
    way: str = ""
    """How to connect, where a service has several ways: the name of a button."""
    account: str = ""
    """The name of the account to connect, where the person chose one of several."""


class CallbackQuery(Query):
    """What a service's page brings back, by the service's own names."""

    model_config = ConfigDict(alias_generator=None)

    state: str = ""
    """What the service was given, once."""
    code: str = ""
    """What is exchanged for the account."""
    error: str = ""
    """Why the person denied the request."""
    installation_id: str = ""
    """The installation of the app, at a code host."""
    setup_action: str = ""
    """What happened to the installation, at a code host."""
    guild_id: str = ""
    """The server, in a chat community."""
