"""/v1/analytics: figures about the organization's work."""

from helpdesk.analytics import exploring, reports
from helpdesk.analytics import service as analytics
from helpdesk.analytics.errors import InvalidQuery, ReportNotFound
from helpdesk.analytics.query_schemas import DatasetsAnswer, Explored, ExploreInput, Records
from helpdesk.analytics.reports import ReportAnswer, ReportsAnswer
from helpdesk.analytics.schemas import Satisfaction, SatisfactionQuery
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.admission.limits import RequestClass
from helpdesk.api.routing.api import Api
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL")

api = Api()


@api.get("/v1/analytics/satisfaction", access=Access.MEMBER)
def get_satisfaction(caller: Caller, query: SatisfactionQuery) -> Satisfaction:
    """Get satisfaction ratings by day and by number of stars."""
    return analytics.satisfaction(caller.organization, query)


@api.post(
    "/v1/analytics/explore", access=Access.MEMBER, request_class=RequestClass.READ, errors=(InvalidQuery,)
)
def explore(caller: Caller, body: ExploreInput) -> Explored:
    """Explore a dataset: measure its rows in groups and over time.

    At most the newest 20,000 rows of the window are read; `capped` says that there are more. Counted as a read.
    """
    return exploring.explore(caller.organization, body)


@api.post(
    "/v1/analytics/records", access=Access.MEMBER, request_class=RequestClass.READ, errors=(InvalidQuery,)
)
def list_records(caller: Caller, body: ExploreInput) -> Records:
    """List the rows behind a query, newest first unless sorted otherwise.

    It takes the body of POST /v1/analytics/explore and ignores measure, groupBy and bucket. Counted as a read.
    """
    return exploring.records(caller.organization, body)


@api.get("/v1/analytics/datasets", access=Access.MEMBER)
def list_datasets(caller: Caller) -> DatasetsAnswer:  # noqa: ARG001 - the route needs a caller, its response does not
    """List the datasets and their fields."""
    return exploring.datasets()


@api.get("/v1/analytics/reports", access=Access.MEMBER)
def list_reports(caller: Caller) -> ReportsAnswer:  # noqa: ARG001 - the route needs a caller, its response does not
    """List the ready-made reports with their queries."""
    return reports.every()


@api.get("/v1/analytics/reports/<report>", access=Access.MEMBER, errors=(ReportNotFound,))
def get_report(caller: Caller, report: str) -> ReportAnswer:
    """Get a ready-made report: its queries, and what they find now."""
    return reports.get(caller.organization, report)


handler = api.handler
