"""Office hours and response targets: what they must be, and when a conversation is due."""

from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.hours import service as office_hours
from helpdesk.accounts.hours.schemas import HoursUpdate
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller
from helpdesk.platform import clock
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved

HOURS, TARGETS = "/v1/organization/hours", "/v1/organization/targets"
ALL_DAY = [{"from": "00:00", "to": "24:00"}]
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MINUTE = 60_000


def test_until_they_are_set_the_hours_are_all_day_and_there_are_no_targets(member: Client) -> None:
    assert member.get(HOURS).body == {
        "timeZone": "UTC",
        "days": dict.fromkeys(DAYS, ALL_DAY),
        "closed": [],
    }
    assert member.get(TARGETS).body == {"firstResponseMinutes": None, "nextResponseMinutes": None}


def test_only_the_fields_and_days_that_are_sent_change(api: Client) -> None:
    short = [{"from": "09:00", "to": "12:30"}, {"from": "12:30", "to": "15:00"}]
    api.patch(HOURS, {"timeZone": "Europe/Berlin", "days": {"friday": short, "sunday": []}})
    changed = api.patch(HOURS, {"closed": ["2027-01-01", "2026-12-25", "2027-01-01"]})

    expected = {
        "timeZone": "Europe/Berlin",
        "days": {**dict.fromkeys(DAYS, ALL_DAY), "friday": short, "sunday": []},
        "closed": ["2026-12-25", "2027-01-01"],
    }
    assert changed.body == expected
    assert api.get(HOURS).body == expected

    api.patch(TARGETS, {"firstResponseMinutes": 60, "nextResponseMinutes": 240})
    assert api.patch(TARGETS, {"firstResponseMinutes": None}).body == {
        "firstResponseMinutes": None,
        "nextResponseMinutes": 240,
    }
    assert api.get(HOURS).body == expected


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"timeZone": "Berlin"}, "timeZone"),
        ({"timeZone": "../Berlin"}, "timeZone"),
        ({"closed": ["2026-02-30"]}, "closed[0]"),
        ({"closed": ["20261225"]}, "closed[0]"),
        ({"closed": [f"2026-01-{1 + n % 28:02d}" for n in range(201)]}, "closed"),
        ({"days": {"monday": [{"from": "9:00", "to": "17:00"}]}}, "days.monday[0].from"),
        ({"days": {"monday": [{"from": "24:01", "to": "24:00"}]}}, "days.monday[0].from"),
        ({"days": {"monday": [{"from": "22:00", "to": "06:00"}]}}, "days.monday[0].to"),
        ({"days": {"monday": [{"from": "09:00", "to": "09:00"}]}}, "days.monday[0].to"),
        (
            {"days": {"monday": [{"from": "09:00", "to": "12:00"}, {"from": "11:59", "to": "13:00"}]}},
            "days.monday[1].from",
        ),
        (
            {"days": {"monday": [{"from": f"0{n}:00", "to": f"0{n}:30"} for n in range(6)]}},
            "days.monday",
        ),
    ],
)
def test_hours_that_make_no_sense_are_refused(api: Client, change: dict[str, Any], named: str) -> None:
    before = api.get(HOURS).body

    answer = api.patch(HOURS, change)

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert f"`{named}`" in answer.message
    assert api.get(HOURS).body == before


@pytest.mark.parametrize("minutes", [0, -1, 43_201])
def test_a_target_is_a_minute_to_thirty_days(api: Client, minutes: int) -> None:
    answer = api.patch(TARGETS, {"nextResponseMinutes": minutes})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert "`nextResponseMinutes`" in answer.message


def test_a_member_does_not_change_hours_and_targets(member: Client) -> None:
    assert member.patch(HOURS, {"timeZone": "UTC"}).code == "forbidden"
    assert member.patch(TARGETS, {"firstResponseMinutes": 1}).code == "forbidden"


def test_a_change_that_changes_nothing_is_not_in_the_log(api: Client) -> None:
    for _ in range(2):
        api.patch(HOURS, {"timeZone": "Asia/Tokyo"})
        api.patch(TARGETS, {"firstResponseMinutes": 5})

    entries = api.get("/v1/logs?kind=settings_changed").body["logs"]
    assert [each["summary"] for each in entries] == [
        "The office hours or response targets were changed: firstResponseMinutes.",
        "The office hours or response targets were changed: timeZone.",
    ]


@pytest.mark.parametrize("seed", range(4))
def test_changes_of_different_days_at_once_are_all_kept(organization: NewOrganization, seed: int) -> None:
    caller = Caller(organization.organization_id, key_id="key_1")
    changes = [HoursUpdate.model_validate({"days": {day: []}}) for day in DAYS[:4]]

    interleaved([partial(office_hours.change_hours, caller, change) for change in changes], seed).all()

    days = office_hours.hours(caller.organization).days
    assert [getattr(days, day) == [] for day in DAYS] == [True] * 4 + [False] * 3


@pytest.fixture
def waiting(api: Client) -> str:
    """A conversation that waits for the team."""
    conversation = str(
        api.post("/v1/messages", {"session": "session-that-waits", "body": "Hello"}).body["conversationId"]
    )
    api.post(f"/v1/conversations/{conversation}/take-over")
    return conversation


def due(api: Client, conversation: str) -> tuple[int | None, bool]:
    """Return when a conversation is due, which its list says too."""
    one = api.get(f"/v1/conversations/{conversation}").body["conversation"]
    [listed] = api.get("/v1/conversations").body["conversations"]
    assert (listed["dueAt"], listed["overdue"]) == (one["dueAt"], one["overdue"])
    return (None if one["dueAt"] is None else one["dueAt"] - one["waitingSince"]), one["overdue"]


def test_a_conversation_that_waits_is_due_after_the_target_of_its_next_response(
    api: Client, waiting: str
) -> None:
    assert due(api, waiting) == (None, False)
    api.patch(TARGETS, {"firstResponseMinutes": 10, "nextResponseMinutes": 30})

    assert due(api, waiting) == (10 * MINUTE, False)
    api.post(f"/v1/conversations/{waiting}/reply", {"body": "Hi"})
    assert due(api, waiting) == (None, False)

    api.post("/v1/messages", {"session": "session-that-waits", "body": "And now?"})
    assert due(api, waiting) == (30 * MINUTE, False)
    later = clock.now_ms() + 31 * MINUTE
    with clock.frozen(lambda: later * 1_000):
        assert due(api, waiting) == (30 * MINUTE, True)


def test_the_hours_are_read_only_where_a_conversation_waits(api: Client, waiting: str) -> None:
    calls = []
    for step in ("", "resolve"):
        if step:
            api.post(f"/v1/conversations/{waiting}/{step}")
        with recorded_calls() as made:
            api.get("/v1/conversations")
        calls.append(made.count("dynamodb:GetItem"))

    assert calls == [1, 0]
