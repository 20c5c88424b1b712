"""Ready-made reports: queries that a support team looks at every day. A caller can take one and change it."""

from typing import Any

from helpdesk.analytics import exploring
from helpdesk.analytics.errors import ReportNotFound
from helpdesk.analytics.query_schemas import Explored, ExploreInput
from helpdesk.api.http.schemas import Answer
from helpdesk.platform.record import Record


class Report(Record):
    """A report: the bodies of POST /v1/analytics/explore that it consists of."""

    name: str
    title: str
    bodies: tuple[dict[str, Any], ...]


def _explored(query: dict[str, Any], days: int = 30) -> dict[str, Any]:
    return {"query": query, "days": days}


def _first_response(percentile: str) -> dict[str, Any]:
    return _explored(
        {
            "dataset": "conversations",
            "measure": {"op": percentile, "field": "firstResponseTime"},
            "bucket": "day",
        }
    )


_BY_AGENT = {"field": "handledBy", "op": "is", "value": "agent"}
_REPORTS = (
    Report(
        "volume-by-day",
        "New conversations by day",
        (_explored({"dataset": "conversations", "bucket": "day", "compare": True}),),
    ),
    Report(
        "first-response",
        "Time to the first response, median and 90th percentile",
        (_first_response("median"), _first_response("p90")),
    ),
    Report(
        "resolved-by-agent",
        "Share of resolved conversations that the agent handled, by day",
        (
            _explored(
                {
                    "dataset": "conversations",
                    "measure": {"op": "percent", "where": _BY_AGENT},
                    "filters": [{"field": "status", "op": "is", "value": "resolved"}],
                    "when": {"field": "resolvedAt"},
                    "bucket": "day",
                }
            ),
        ),
    ),
    Report(
        "satisfaction",
        "Average stars by week",
        (
            _explored(
                {"dataset": "ratings", "measure": {"op": "avg", "field": "stars"}, "bucket": "week"}, 90
            ),
        ),
    ),
    Report(
        "handed-off-subjects",
        "Subjects that the agent handed to the team most often",
        (
            _explored(
                {
                    "dataset": "conversations",
                    "filters": [{"field": "handedOff", "op": "is", "value": True}],
                    "groupBy": "subject",
                    "top": 10,
                    "order": "largest",
                    "other": False,
                }
            ),
        ),
    ),
    Report(
        "busiest-hours",
        "Visitors' messages by hour of the day (UTC)",
        (
            _explored(
                {
                    "dataset": "messages",
                    "filters": [{"field": "sender", "op": "is", "value": "visitor"}],
                    "bucket": "hour",
                }
            ),
        ),
    ),
)
_BY_NAME = {report.name: report for report in _REPORTS}


class ReportShape(Answer):
    """A report, without results."""

    name: str
    title: str
    queries: list[dict[str, Any]]
    """Bodies of POST /v1/analytics/explore. Send them there, changed as you like."""


class ReportsAnswer(Answer):
    """GET /analytics/reports."""

    reports: list[ReportShape]


class ReportAnswer(Answer):
    """GET /analytics/reports/{name}."""

    name: str
    title: str
    queries: list[dict[str, Any]]
    """Bodies of POST /v1/analytics/explore. Send them there, changed as you like."""
    results: list[Explored]
    """What each of the queries finds now, in their order."""


def every() -> ReportsAnswer:
    """Return the reports."""
    return ReportsAnswer(
        reports=[ReportShape.from_record(report, queries=report.bodies) for report in _REPORTS]
    )


def get(organization: str, name: str) -> ReportAnswer:
    """Return a report with its results. Raises ReportNotFound."""
    report = _BY_NAME.get(name)
    if report is None:
        raise ReportNotFound(f"No report has this name. The reports are: {', '.join(_BY_NAME)}.")
    return ReportAnswer.from_record(
        report,
        queries=report.bodies,
        results=exploring.explore_all(
            organization, [ExploreInput.model_validate(body) for body in report.bodies]
        ),
    )
