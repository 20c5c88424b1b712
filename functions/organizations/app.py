"""/v1/organization, /v1/billing and /v1/logs: an organization, its limits and its log."""

from helpdesk.accounts.hours import service as office_hours
from helpdesk.accounts.hours.schemas import Hours, HoursUpdate, Targets, TargetsUpdate
from helpdesk.accounts.organizations import settings as organization_settings
from helpdesk.accounts.organizations.errors import (
    AddressTaken,
    InvalidCode,
    InvalidSlug,
    KeyPrefixInvalid,
    SlugTaken,
    UpgradeRequired,
)
from helpdesk.accounts.organizations.schemas import (
    Branding,
    LimitsAnswer,
    OrganizationAnswer,
    OrganizationUpdate,
)
from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.pages import next_cursor, position
from helpdesk.api.http.schemas import OK, Ok
from helpdesk.api.logs import listing as logs
from helpdesk.api.logs.errors import LogNotFound
from helpdesk.api.logs.kinds import LogFilter
from helpdesk.api.logs.schemas import LogAnswer, LogsAnswer, LogsQuery
from helpdesk.api.routing.api import Api
from helpdesk.outbound.errors import InvalidUrl
from helpdesk.platform.errors import InvalidCursor
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL", "ALLOW_LOOPBACK_URLS", "INBOUND_MAIL_DOMAIN", "INVITATIONS_PER_HOUR")

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


@api.get("/v1/organization/hours", access=Access.MEMBER)
def get_office_hours(caller: Caller) -> Hours:
    """Get the office hours, in which response targets count."""
    return office_hours.hours(caller.organization)


@api.patch("/v1/organization/hours", access=Access.ADMIN)
def update_office_hours(caller: Caller, change: HoursUpdate) -> Hours:
    """Change the office hours. Only the fields and days that you send change."""
    return office_hours.change_hours(caller, change)


@api.get("/v1/organization/targets", access=Access.MEMBER)
def get_targets(caller: Caller) -> Targets:
    """Get the response targets: how long a visitor may wait for your team."""
    return office_hours.targets(caller.organization)


@api.patch("/v1/organization/targets", access=Access.ADMIN)
def update_targets(caller: Caller, change: TargetsUpdate) -> Targets:
    """Change the response targets. Conversations that wait get a new `dueAt` at once."""
    return office_hours.change_targets(caller, change)


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
