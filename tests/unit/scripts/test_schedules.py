"""The local scheduler: when what template.yaml schedules is due."""

from datetime import UTC, datetime

import pytest

from scripts.local.progress import Problem
from scripts.local.schedules import Cron, Rate, Scheduled, Timetable, of_template, parsed
from tests.support.template import template


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def seconds(text: str) -> float:
    return moment(text).timestamp()


def due(timetable: Timetable, text: str) -> list[str]:
    return [each.function for each in timetable.due(seconds(text))]


@pytest.mark.parametrize(
    ("expression", "every"),
    [("rate(1 minute)", 60), ("rate(5 minutes)", 300), ("rate(1 hour)", 3_600), ("rate(2 days)", 172_800)],
)
def test_a_rate_is_so_many_seconds(expression: str, every: int) -> None:
    assert parsed(expression) == Rate(every)


@pytest.mark.parametrize(
    ("expression", "yes", "no"),
    [
        ("cron(30 3 * * ? *)", "2026-11-21T03:30", "2026-11-21T03:31"),
        ("cron(0/10 2 * * ? *)", "2026-11-21T02:50", "2026-11-21T02:55"),
        ("cron(0 6-8 ? * 2-6 *)", "2026-11-20T07:00", "2026-11-21T07:00"),  # from Monday to Friday
        ("cron(0 0 1,15 * ? *)", "2026-11-15T00:00", "2026-11-14T00:00"),
        ("cron(0 0 * 12 ? 2026)", "2026-12-31T00:00", "2027-12-31T00:00"),
    ],
)
def test_a_cron_expression_matches_its_minutes(expression: str, yes: str, no: str) -> None:
    cron = parsed(expression)

    assert isinstance(cron, Cron)
    assert cron.matches(moment(yes))
    assert not cron.matches(moment(no))


@pytest.mark.parametrize(
    "expression", ["", "rate(0 minutes)", "rate(5 weeks)", "cron(0 2 * *)", "cron(0 2 L * ? *)", "at(2026)"]
)
def test_an_expression_of_another_kind_is_refused_in_one_line(expression: str) -> None:
    with pytest.raises(Problem, match="cannot read"):
        parsed(expression)


def test_what_has_a_rate_is_due_at_the_start_and_then_at_its_rate() -> None:
    timetable = Timetable([Scheduled("five", Rate(300))], seconds("2026-11-21T12:00:00"))

    assert due(timetable, "2026-11-21T12:00:00") == ["five"]
    assert due(timetable, "2026-11-21T12:04:59") == []
    assert due(timetable, "2026-11-21T12:05:00") == ["five"]
    assert due(timetable, "2026-11-21T12:05:01") == []


def test_what_was_slept_through_is_made_up_for_once() -> None:
    timetable = Timetable([Scheduled("five", Rate(300))], seconds("2026-11-21T12:00:00"))
    due(timetable, "2026-11-21T12:00:00")

    assert due(timetable, "2026-11-21T15:00:00") == ["five"]
    assert due(timetable, "2026-11-21T15:04:59") == []


def test_what_has_a_time_is_due_once_in_its_minute_and_not_at_the_start() -> None:
    timetable = Timetable([Scheduled("night", parsed("cron(0 2 * * ? *)"))], seconds("2026-11-21T02:00:30"))

    assert due(timetable, "2026-11-21T02:00:31") == []
    assert due(timetable, "2026-11-22T01:59:59") == []
    assert due(timetable, "2026-11-22T02:00:00") == ["night"]
    assert due(timetable, "2026-11-22T02:00:59") == []
    assert due(timetable, "2026-11-22T02:01:00") == []


def test_every_schedule_of_the_template_is_read_with_the_name_and_the_input_it_has_when_deployed() -> None:
    functions = {
        resource["Properties"]["FunctionName"]["Fn::Sub"].replace("${AWS::StackName}", "helpdesk-local"): [
            event["Properties"].get("Input")
            for event in resource["Properties"].get("Events", {}).values()
            if event["Type"] == "Schedule"
        ]
        for resource in template()["Resources"].values()
        if isinstance(resource, dict) and resource.get("Type") == "AWS::Serverless::Function"
    }

    found = {name: [each.event for each in of_template() if each.function == name] for name in functions}

    assert found == functions
    assert found["helpdesk-local-nightly"] == [None]
    assert found["helpdesk-local-reconciler"] == [None]
