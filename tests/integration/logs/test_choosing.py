"""GET /v1/logs with filters by kind and period."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan, RequestClass
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform import clock
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.aws import recorded_calls

BEGIN = 1_900_000_020_000  # ms, a whole minute; what the fixtures write themselves is older
MINUTE = 60_000


@pytest.fixture
def hourly(organization: NewOrganization) -> list[str]:
    """Twelve entries, one per minute, every third one of a webhook; returns their summaries, oldest first."""
    summaries = []
    for number in range(12):
        kind = LogKind.WEBHOOK_CREATED if number % 3 == 0 else LogKind.SETTINGS_CHANGED
        at = (BEGIN + number * MINUTE) * 1_000
        with clock.frozen(lambda at=at: at):  # type: ignore[misc] # the instant of this round
            entry = logs.entry(
                organization.organization_id, kind, actor="Ada", summary=f"Entry {number}.", number=number
            )
        table.put_new(entry)
        summaries.append(f"Entry {number}.")
    return summaries


def numbers(client: Client, query: str) -> list[int]:
    answer = client.get(f"/v1/logs?{query}")
    assert answer.status == 200, answer
    return [entry["detail"]["number"] for entry in answer.body["logs"] if "number" in entry["detail"]]


@pytest.mark.usefixtures("hourly")
def test_one_kind_is_listed_newest_first(api: Client) -> None:
    assert numbers(api, "kind=webhook_created") == [9, 6, 3, 0]
    assert numbers(api, "kind=settings_changed") == [11, 10, 8, 7, 5, 4, 2, 1]
    assert api.get("/v1/logs?kind=key_revoked").body == {"logs": [], "nextCursor": None}


@pytest.mark.usefixtures("hourly")
def test_from_is_inclusive_and_to_is_exclusive(api: Client) -> None:
    third, fifth = BEGIN + 3 * MINUTE, BEGIN + 5 * MINUTE
    assert numbers(api, f"from={third}&to={fifth}") == [4, 3]
    assert numbers(api, f"from={third}&to={fifth + 1}") == [5, 4, 3]
    assert numbers(api, f"from={third + 1}&to={fifth}") == [4]
    assert numbers(api, f"from={BEGIN + 10 * MINUTE}") == [11, 10]
    assert numbers(api, f"to={BEGIN + MINUTE}") == [0]
    assert numbers(api, "to=0") == numbers(api, "to=1") == []


@pytest.mark.usefixtures("hourly")
def test_kind_and_period_can_be_combined(api: Client) -> None:
    third, ninth = BEGIN + 3 * MINUTE, BEGIN + 9 * MINUTE
    assert numbers(api, f"kind=webhook_created&from={third}&to={ninth}") == [6, 3]
    assert numbers(api, f"kind=webhook_created&to={ninth}") == [6, 3, 0]
    assert numbers(api, f"kind=settings_changed&from={third}&to={third + 1}") == []


@pytest.mark.parametrize("limit", [1, 2, 3, 8])
@pytest.mark.usefixtures("hourly")
def test_the_pages_of_a_filtered_list_contain_every_match(api: Client, limit: int) -> None:
    chosen = f"kind=settings_changed&from={BEGIN}&to={BEGIN + 11 * MINUTE}"
    found: list[int] = []
    url = f"/v1/logs?{chosen}&limit={limit}"
    answer = api.get(url)
    while True:
        found += [entry["detail"]["number"] for entry in answer.body["logs"]]
        if answer.body["nextCursor"] is None:
            break
        answer = api.get(f"{url}&cursor={answer.body['nextCursor']}")
    assert found == [10, 8, 7, 5, 4, 2, 1]


@pytest.mark.usefixtures("hourly")
def test_another_organization_finds_nothing_by_kind_or_time(stranger: Client) -> None:
    assert stranger.get("/v1/logs?kind=webhook_created").body["logs"] == []
    assert stranger.get(f"/v1/logs?from={BEGIN}").body["logs"] == []


@pytest.mark.parametrize(("start", "end"), [(5, 5), (6, 5), (1, 0)])
def test_a_period_that_ends_before_it_starts_is_rejected(api: Client, start: int, end: int) -> None:
    answer = api.get(f"/v1/logs?from={start}&to={end}")
    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.message == "`to` must be after `from`."


@pytest.mark.parametrize("query", ["", "kind=settings_changed", f"from={BEGIN}", "kind=key_created&to=5"])
@pytest.mark.usefixtures("hourly")
def test_a_page_is_two_calls_with_any_filter(api: Client, query: str) -> None:
    with recorded_calls() as calls:
        api.get(f"/v1/logs?{query}")
    assert calls == ["dynamodb:UpdateItem", "dynamodb:Query"]


def test_counted_rate_limit_errors_are_listed_once_by_their_kind(
    make_organization: Callable[..., NewOrganization],
) -> None:
    made = make_organization(Plan.EXPLORE, api_limits=False)
    with clock.frozen(lambda: (BEGIN + 30_000) * 1_000):
        for _ in range(3):
            logs.record_limit_reached(made.organization_id, RequestClass.WRITE)
        logs.record_bucket_empty(made.organization_id, "manifest_syncs", "manifest syncs")

        (one, other) = sorted(
            Client(made.secret_key).get("/v1/logs?kind=api_limit_reached").body["logs"],
            key=lambda entry: str(entry["detail"]["subject"]),
        )
    assert (one["detail"], one["count"]) == ({"subject": "manifest_syncs"}, 1)
    assert one["summary"] == "API limit reached: no more manifest syncs for the moment."
    assert (other["detail"], other["count"]) == ({"subject": "write"}, 3)
    assert (other["actor"], other["at"], other["lastAt"]) == ("system", BEGIN + 30_000, BEGIN + 30_000)


@pytest.fixture
def refusals(organization: NewOrganization) -> None:
    """One entry for writes, refused at 10, 20 and 50 s of a minute; a single entry at 15 s; writes a minute later."""
    home = organization.organization_id
    for second in (10, 20, 50, 65):
        with clock.frozen(lambda second=second: (BEGIN + second * 1_000) * 1_000):  # type: ignore[misc] # as above
            logs.record_limit_reached(home, RequestClass.WRITE)
    with clock.frozen(lambda: (BEGIN + 15_000) * 1_000):
        table.put_new(logs.entry(home, LogKind.SETTINGS_CHANGED, actor="Ada", summary="Changed."))


@pytest.mark.usefixtures("refusals")
def test_an_entry_that_counts_has_its_first_and_its_last_time(api: Client) -> None:
    later, counted = api.get("/v1/logs?kind=api_limit_reached").body["logs"]

    assert (counted["at"], counted["lastAt"], counted["count"]) == (BEGIN + 10_000, BEGIN + 50_000, 3)
    assert (later["at"], later["lastAt"], later["count"]) == (BEGIN + 65_000, BEGIN + 65_000, 1)
    (single,) = api.get(f"/v1/logs?kind=settings_changed&from={BEGIN}").body["logs"]
    assert (single["at"], single["lastAt"], single["count"]) == (BEGIN + 15_000, BEGIN + 15_000, 1)


@pytest.mark.parametrize("kind", ["", "kind=api_limit_reached&"])
@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        (10, 11, [3]),  # its first instant alone
        (30, 40, [3]),  # between its times
        (50, 51, [3]),  # its last instant alone
        (50.001, 60, []),
        (0, 10, []),
        (0, 10.001, [3]),
        (40, 66, [1, 3]),
        (60, 65, []),
    ],
)
@pytest.mark.usefixtures("refusals")
def test_an_entry_that_counts_is_found_by_every_period_that_it_meets(
    api: Client, kind: str, start: float, end: float, found: list[int]
) -> None:
    period = f"from={BEGIN + round(start * 1_000)}&to={BEGIN + round(end * 1_000)}"

    entries = api.get(f"/v1/logs?{kind}{period}").body["logs"]

    limits = [entry for entry in entries if entry["kind"] == "api_limit_reached"]
    assert [entry["count"] for entry in limits] == found


@pytest.mark.usefixtures("refusals")
def test_the_pages_of_a_period_that_begins_within_a_minute_hold_every_match_once(api: Client) -> None:
    url, found = f"/v1/logs?from={BEGIN + 18_000}&limit=1", []
    answer = api.get(url)
    while True:
        found += [entry["count"] for entry in answer.body["logs"]]
        if answer.body["nextCursor"] is None:
            break
        answer = api.get(f"{url}&cursor={answer.body['nextCursor']}")

    assert found == [1, 3]


def test_every_entry_is_listed_by_its_kind(api: Client, admin: Client) -> None:
    admin.patch("/v1/agent", {"name": "Robin"})
    api.get("/v1/logs")
    entries: list[dict[str, Any]] = whole_table.of_kind("LOG#")
    assert entries
    for entry in entries:
        organization = entry["PK"].split("#")[1]
        assert entry["GSI1PK"] == f"ORG#{organization}#LOG#{entry['kind']}"
        assert entry["GSI1SK"] == entry["id"] == entry["SK"].removeprefix("LOG#")


def test_each_entry_names_the_actor(api: Client, admin: Client) -> None:
    admin.patch("/v1/agent", {"name": "Robin"})
    api.patch("/v1/agent", {"name": "Grace"})
    by_key, by_person = api.get("/v1/logs?kind=settings_changed").body["logs"]
    assert by_person["actor"] == "Ada Admin"
    assert by_key["actor"] == "First key"
