"""Each metric that the code counts is watched by an alarm or shown on the dashboard, whichever functions count it."""

import json
import re

from tests.architecture.deployed import ALARMS
from tests.support.template import ROOT

OWN = {"Ref": "Application"}
ON_THE_DASHBOARD_ALONE = {
    "EventsDropped",  # the receiver's failure; its organization sees it
    "AllowanceThrottled",  # the request passed
    "MailBounced",  # alarms watch the rates that SES computes
    "MailComplained",
}


def counted() -> set[str]:
    sources = [path.read_text() for path in (ROOT / "layers" / "core" / "helpdesk").rglob("*.py")]
    found = [name for source in sources for name in re.findall(r"\bmetrics\.count\((.*)\)", source)]
    return {json.loads(name) for name in found}


def test_every_metric_that_the_code_counts_has_an_alarm_or_a_place_on_the_dashboard() -> None:
    watched = {
        alarm["Properties"]["MetricName"]
        for alarm in ALARMS.values()
        if alarm["Properties"].get("Namespace") == OWN
    }
    dashboard = ALARMS["Dashboard"]["Properties"]["DashboardBody"]
    shown = {name for name in ON_THE_DASHBOARD_ALONE if f'"{name}"' in dashboard}

    assert counted() == watched | shown
    assert shown == ON_THE_DASHBOARD_ALONE


def test_an_alarm_counts_what_every_function_counts() -> None:
    dimensions = [
        alarm["Properties"]["Dimensions"]
        for alarm in ALARMS.values()
        if alarm["Properties"].get("Namespace") == OWN
    ]

    assert dimensions
    assert [each for each in dimensions if each != [{"Name": "service", "Value": "helpdesk"}]] == []
