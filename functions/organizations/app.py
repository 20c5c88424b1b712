"""/v1/organization, /v1/billing and /v1/logs: an organization, its limits and its log."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.http.pages import next_cursor, position
from helpdesk.http.schemas import OK, Ok
from helpdesk.logs import listing as logs
from helpdesk.logs.errors import LogNotFound
from helpdesk.logs.kinds import LogFilter
from helpdesk.logs.schemas import LogAnswer, LogsAnswer, LogsQuery
from helpdesk.organizations import settings as organization_settings
from helpdesk.organizations.errors import (
    AddressTaken,
    InvalidCode,
    InvalidSlug,
    KeyPrefixInvalid,
    SlugTaken,
    UpgradeRequired,
)
from helpdesk.organizations.schemas import Branding, LimitsAnswer, OrganizationAnswer, OrganizationUpdate
from helpdesk.outbound.errors import InvalidUrl
from helpdesk.people.errors import InvalidEmail
from helpdesk.platform.errors import InvalidCursor
from helpdesk.platform.settings import declare
from helpdesk.routing.api import Api

NEEDS = declare("BASE_URL", "ALLOW_LOOPBACK_URLS", "INVITATIONS_PER_HOUR")

api = Api()


@api.get("/v1/organization", access=Access.MEMBER)
def get_organization(caller: Caller) -> OrganizationAnswer:
    """Get the organization with its settings, plan and publishable key."""
    return organization_settings.get(caller.organization)


@api.patch(
    "/v1/organization",
    access=Access.ADMIN,
    errors=(InvalidSlug, SlugTaken, KeyPrefixInvalid, InvalidUrl, InvalidEmail, AddressTaken, InvalidCode),
)
def update_organization(caller: Caller, change: OrganizationUpdate) -> OrganizationAnswer:
    """Update the organization's settings. Only the fields you send change.

    A new `supportEmail` is pending until you send the code that is mailed to it as `supportEmailCode`.
    """
    return organization_settings.change(caller, change)


@api.post("/v1/billing/branding", access=Access.ADMIN, errors=(UpgradeRequired,))
def set_branding(caller: Caller, branding: Branding) -> Ok:
    """Show or hide the attribution mark on the widget and the help site. Hiding it requires the Pro plan."""
    organization_settings.set_branding(caller, shown=branding.show_branding)
    return OK


@api.get("/v1/billing/limits", access=Access.MEMBER)
def get_limits(caller: Caller) -> LimitsAnswer:
    """Get the organization's limits: its tier, its allowance for each class of request, and the quotas of its plan."""
    return organization_settings.limits(caller.organization)


@api.get("/v1/logs", access=Access.MEMBER, errors=(InvalidCursor,))
def list_logs(caller: Caller, query: LogsQuery) -> LogsAnswer:
    """List log entries, newest first. Filter by kind or time."""
    name = f"logs {query.kind} {query.start} {query.end}"
    wanted = LogFilter(query.kind, query.start, query.end)
    entries, end = logs.newest(caller.organization, query.limit, position(caller, query, name), wanted)
    return LogsAnswer(logs=entries, next_cursor=next_cursor(caller, end, name))


@api.get("/v1/logs/<log_id>", access=Access.MEMBER, errors=(LogNotFound,))
def get_log(caller: Caller, log_id: str) -> LogAnswer:
    """Get a log entry."""
    return LogAnswer(log=logs.get(caller.organization, log_id))


handler = api.handler
