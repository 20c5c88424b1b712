"""/v1/connect: the pages on which an admin connects a service."""

from typing import Any

from helpdesk.accounts.oauth.errors import CsrfError, RequestExpired
from helpdesk.accounts.oauth.pages import refusal
from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.admission.caller import Access
from helpdesk.api.http.content import BaseUrl, ClientInfo, HtmlPage, SeeOther
from helpdesk.api.routing.api import Api
from helpdesk.events.integration_jobs import App
from helpdesk.integrations import connecting
from helpdesk.integrations.adapter import Connector
from helpdesk.integrations.discord import connector as discord
from helpdesk.integrations.errors import AppNotSetUp, ConnectFailed, IntegrationNotFound, NoAdmin
from helpdesk.integrations.github import connector as github
from helpdesk.integrations.linear import connector as linear
from helpdesk.integrations.schemas import CallbackQuery, ConnectForm, ConnectQuery
from helpdesk.integrations.slack import connector as slack
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL", "SERVICES_URL")

CONNECTORS: dict[App, Connector] = {
    App.GITHUB: github,
    App.SLACK: slack,
    App.DISCORD: discord,
    App.LINEAR: linear,
}
"""The adapters, each with a module of these functions."""

api = Api()

_PAGE: dict[str, Any] = {"access": Access.PUBLIC, "limit": AddressLimit.PAGES, "refusal": refusal}


@api.get("/v1/connect/<app>", errors=(IntegrationNotFound, AppNotSetUp, NoAdmin), **_PAGE)
def show_connect(client_info: ClientInfo, app: str, query: ConnectQuery, base_url: BaseUrl) -> HtmlPage:
    """Show the page on which an admin connects a service."""
    return connecting.show(app, client_info, query.organization, base_url, CONNECTORS)


@api.post("/v1/connect/<app>", errors=(IntegrationNotFound, AppNotSetUp, NoAdmin, CsrfError), **_PAGE)
def begin_connect(
    client_info: ClientInfo, app: str, form: ConnectForm, base_url: BaseUrl
) -> HtmlPage | SeeOther:
    """Start connecting a service (page form). Redirects to the service's own page."""
    return connecting.begin(app, client_info, form, base_url, CONNECTORS)


@api.get(
    "/v1/connect/<app>/callback",
    errors=(IntegrationNotFound, AppNotSetUp, NoAdmin, RequestExpired, ConnectFailed),
    **_PAGE,
)
def finish_connect(client_info: ClientInfo, app: str, query: CallbackQuery, base_url: BaseUrl) -> HtmlPage:
    """Complete a connection (redirect from the service). `state` works once, in the browser that started."""
    return connecting.finish(app, client_info, query, base_url, CONNECTORS)


handler = api.handler
