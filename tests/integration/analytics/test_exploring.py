"""The routes: explore, records, datasets, reports."""

import random
from typing import Any

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.analytics import repository
from helpdesk.analytics.datasets import DATASETS
from helpdesk.analytics.rows import Fact
from helpdesk.platform import clock, ids
from tests.integration.analytics.conftest import Desk
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.tools import connected, declaration

DAY = 86_400_000


def given(organization: str, number: int, seed: int) -> None:
    """Put ratings of the last 100 days."""
    chance = random.Random(seed)
    for _ in range(number):
        at = clock.now_ms() - chance.randrange(100 * DAY)
        values = {
            "at": at, "stars": chance.randint(1, 5), "hasNote": chance.random() < 0.5, "conversation": "conv_1",
            "customer": chance.choice(["cus_1", "cus_2", "cus_3"]), "assignee": chance.choice([None, "usr_1"]),
            "resolvedBy": chance.choice(["agent", "team"]),
        }  # fmt: skip
        row = [values[field.id] for field in DATASETS["ratings"].fields]
        repository.put(organization, Fact("ratings", f"rat_{ids.ulid(at)}", [*row, "a rating"]))


def put(dataset: str, identifier: str, organization: NewOrganization | str, **values: Any) -> None:
    """Put a row with some values."""
    row = [values.get(field.id) for field in DATASETS[dataset].fields]
    owner = organization if isinstance(organization, str) else organization.organization_id
    repository.put(owner, Fact(dataset, identifier, [*row, "A row"]))


def test_rows_of_other_months_are_found_by_another_time_and_in_all_time(desk: Desk) -> None:
    long_ago, now = clock.now_ms() - 200 * DAY, clock.now_ms()
    fields = DATASETS["knowledgeDocs"].fields
    values = {"createdAt": long_ago, "updatedAt": now, "status": "ready", "source": "written", "size": 5}
    row = [values.get(field.id) for field in fields]
    repository.put(desk.organization, Fact("knowledgeDocs", f"doc_{ids.ulid(long_ago)}", [*row, "A guide"]))

    assert desk.explore("knowledgeDocs").body["matched"] == 0
    assert desk.explore("knowledgeDocs", when={"field": "updatedAt"}).body["matched"] == 1
    assert desk.explore("knowledgeDocs", when={"field": "indexedAt"}).body["matched"] == 0
    [found] = desk.rows("knowledgeDocs", when={"scope": "all"})
    assert (found["title"], found["createdAt"]) == ("A guide", long_ago)


def test_only_the_newest_rows_are_read(api: Client, organization: NewOrganization, monkeypatch: Any) -> None:
    given(organization.organization_id, 12, seed=1)
    monkeypatch.setattr("helpdesk.analytics.reading.MAX_SCANNED", 10)

    found = api.post("/v1/analytics/records", {"query": {"dataset": "ratings"}, "days": 101}).body

    assert (found["scanned"], found["matched"], found["capped"]) == (10, 10, True)
    everything = api.post(
        "/v1/analytics/explore", {"query": {"dataset": "ratings", "when": {"scope": "all"}}}
    ).body
    assert (everything["scanned"], everything["capped"]) == (10, True)


def test_no_more_months_are_read_than_have_the_newest_rows(
    api: Client, organization: NewOrganization, monkeypatch: Any
) -> None:
    monkeypatch.setattr("helpdesk.analytics.reading.MAX_SCANNED", 10)
    start = 1_767_225_600_000  # 2026-01-01
    for month in range(6):
        for number in range(8):
            at = start + month * 31 * DAY + number
            put("logs", f"log_{ids.ulid(at)}", organization, at=at, kind="member_joined")

    with recorded_calls() as calls:
        body = {"query": {"dataset": "logs"}, "from": start, "days": 180}
        found = api.post("/v1/analytics/records", body).body

    assert (found["scanned"], found["capped"], len(found["rows"])) == (10, True, 10)
    # June, which ends the window, is empty or almost; then two months have 16 rows.
    assert calls.count("dynamodb:Query") <= 4


def test_usage_begins_where_all_of_its_sources_are_read(
    api: Client, organization: NewOrganization, monkeypatch: Any
) -> None:
    monkeypatch.setattr("helpdesk.analytics.reading.MAX_SCANNED", 10)
    now = clock.now_ms()
    for number in range(12):
        at = now - number * 1_000
        put(
            "messages",
            f"msg_{ids.ulid(at)}",
            organization,
            at=at,
            sender="visitor" if number % 2 else "agent",
        )
        put(
            "usageEvents",
            f"file_{ids.ulid(at - 1)}",
            organization,
            at=at - 1,
            kind="upload_bytes",
            quantity=1,
        )

    found = api.post("/v1/analytics/records", {"query": {"dataset": "usageEvents"}}).body

    # Ten messages were read, of which the last answer is the ninth.
    assert found["capped"]
    assert min(row["at"] for row in found["rows"]) >= now - 9_001


def test_rows_just_after_the_window_take_no_place_of_its_rows(
    api: Client, organization: NewOrganization, monkeypatch: Any
) -> None:
    monkeypatch.setattr("helpdesk.analytics.reading.MAX_SCANNED", 10)
    start = clock.now_ms() - 40 * DAY
    for at in [*(start + DAY - 1 - number for number in range(12)), *range(start + DAY, start + DAY + 3)]:
        put("logs", f"log_{ids.ulid(at)}", organization, at=at, kind="member_joined")

    found = api.post("/v1/analytics/records", {"query": {"dataset": "logs"}, "from": start, "days": 1}).body

    assert (found["scanned"], found["matched"], found["capped"]) == (10, 10, True)


def test_what_waited_for_an_approval_is_in_the_window_in_which_it_happened(desk: Desk) -> None:
    at = clock.now_ms() // DAY * DAY
    put("toolRuns", f"call_{ids.ulid(at - DAY)}", desk.organization, at=at, outcome="succeeded")
    put("signals", f"signal_{ids.ulid(at - DAY)}", desk.organization, filedAt=at, updatedAt=at)

    for dataset in ("toolRuns", "signals"):
        body = {"query": {"dataset": dataset}, "days": 1}
        assert desk.api.post("/v1/analytics/records", body).body["matched"] == 1
        assert desk.api.post("/v1/analytics/records", {**body, "from": at - DAY}).body["matched"] == 0


def test_groups_by_an_id_are_labelled_with_names_that_one_read_finds(
    desk: Desk, member: Client, organization: NewOrganization
) -> None:
    written = desk.write("ada", "Where is my parcel?", user={"name": "Ada"})["conversationId"]
    desk.stream.deliver()
    me = member.get("/v1/me").body
    folder = desk.api.post("/v1/knowledge/folders", {"name": "Returns"}).body["id"]
    endpoint = connected(organization, "https://shop.example.com/tools", declaration("refund"))[0].endpoint_id
    now = clock.now_ms()
    [customer] = [row["customer"] for row in desk.rows("conversations")]
    for assignee in (me["user"]["id"], "usr_who_left", None):
        put("ratings", f"rat_{ids.ulid(now)}", organization, at=now, assignee=assignee, customer=customer)
    put("toolRuns", f"call_{ids.ulid(now)}", organization, at=now, endpoint=endpoint, conversation=written)
    put("knowledgeDocs", f"doc_{ids.ulid(now)}", organization, createdAt=now, folder=folder)

    def labels(dataset: str, field: str) -> dict[str, str]:
        with recorded_calls() as calls:
            body = desk.explore(dataset, groupBy=field, compare=True).body
        assert calls.count("dynamodb:BatchGetItem") == 1
        assert [each["label"] for each in body["previous"]] == [each["label"] for each in body["series"]]
        return {each["key"]: each["label"] for each in body["series"]}

    assert labels("ratings", "assignee") == {
        me["user"]["id"]: me["user"]["name"], "usr_who_left": "usr_who_left", "__none": "None",
    }  # fmt: skip
    assert labels("ratings", "customer") == {customer: "Ada"}
    team = desk.api.post("/v1/teams", {"name": "Parcels"}).body["id"]
    desk.api.post(f"/v1/conversations/{written}/assign", {"teamId": team})
    desk.stream.deliver()
    assert [each["label"] for each in desk.explore("conversations", groupBy="team").body["series"]] == [
        "Parcels"
    ]
    assert labels("toolRuns", "conversation") == {written: "Where is my parcel?"}
    assert labels("toolRuns", "endpoint") == {endpoint: "https://shop.example.com/tools"}
    assert labels("knowledgeDocs", "folder") == {folder: "Returns"}


def test_a_refusal_names_the_field(api: Client) -> None:
    codes = {
        '{"query": {"dataset": "ratings", "groupBy": "colour"}}': "invalid_query",
        '{"query": {"dataset": "ratings", "top": 0}}': "invalid_request",
        "[]": "invalid_json",
    }
    for path in ("explore", "records"):
        found = {text: api.post(f"/v1/analytics/{path}", text).code for text in codes}
        assert found == codes


def test_datasets_list_their_fields_with_types(member: Client) -> None:
    found = {each["id"]: each for each in member.get("/v1/analytics/datasets").body["datasets"]}

    assert list(found) == list(DATASETS)
    assert found["ratings"]["fields"][:2] == [
        {"id": "at", "label": "At", "type": "time", "values": None},
        {"id": "stars", "label": "Stars", "type": "number", "values": None},
    ]


def test_each_report_shows_its_queries_and_what_they_find(desk: Desk) -> None:
    desk.write("ada", "Can I talk to a human?")
    desk.answer()
    names = [each["name"] for each in desk.api.get("/v1/analytics/reports").body["reports"]]
    reports = {name: desk.api.get(f"/v1/analytics/reports/{name}").body for name in names}

    assert {name: [each["matched"] for each in found["results"]] for name, found in reports.items()} == {
        "volume-by-day": [1],
        "first-response": [1, 1],
        "resolved-by-agent": [0],
        "satisfaction": [0],
        "handed-off-subjects": [1],
        "busiest-hours": [1],
    }
    [series] = reports["handed-off-subjects"]["results"][0]["series"]
    assert (series["label"], series["total"]) == ("Can I talk to a human?", 1)
    again = desk.api.post("/v1/analytics/explore", reports["volume-by-day"]["queries"][0])
    assert again.body["series"] == reports["volume-by-day"]["results"][0]["series"]


def test_queries_of_a_report_read_the_rows_that_they_share_once(desk: Desk, monkeypatch: Any) -> None:
    months_read: list[str] = []
    read = repository.read

    def counted(organization: str, dataset: str, month: str, *rest: Any, **named: Any) -> Any:
        months_read.append(month)
        return read(organization, dataset, month, *rest, **named)

    monkeypatch.setattr(repository, "read", counted)
    assert len(desk.api.get("/v1/analytics/reports/first-response").body["results"]) == 2
    assert months_read
    assert len(set(months_read)) == len(months_read)


def test_a_report_says_in_which_unit_its_figures_are(desk: Desk) -> None:
    names = [each["name"] for each in desk.api.get("/v1/analytics/reports").body["reports"]]
    units = {}
    for name in names:
        results = desk.api.get(f"/v1/analytics/reports/{name}").body["results"]
        units[name] = [each["unit"] for each in results]
    assert units == {
        "volume-by-day": ["number"], "first-response": ["milliseconds", "milliseconds"],
        "resolved-by-agent": ["percent"], "satisfaction": ["number"], "handed-off-subjects": ["number"],
        "busiest-hours": ["number"],
    }  # fmt: skip


def test_no_query_finds_rows_of_another_organization(
    api: Client, stranger: Client, organization: Any
) -> None:
    at = clock.now_ms()
    for dataset in DATASETS.values():
        times = {field.id: at for field in dataset.times}
        put(dataset.id, f"call_{ids.ulid(at)}", organization, **times)
        for when in ({}, {"scope": "all"}, {"field": dataset.times[-1].id}):
            body = {"query": {"dataset": dataset.id, "when": when, "compare": True}}
            found = [
                client.post(f"/v1/analytics/{route}", body).body["scanned"]
                for client in (api, stranger)
                for route in ("explore", "records")
            ]
            assert (min(found[:2]) >= 1, found[2:]) == (True, [0, 0])


def test_a_window_may_begin_at_either_end_of_time(api: Client) -> None:
    for start in (0, 4_102_444_800_000):
        for bucket in ("day", "week", "month", "hour", "weekday"):
            query = {"dataset": "ratings", "bucket": bucket, "compare": True}
            answer = api.post("/v1/analytics/explore", {"query": query, "from": start, "days": 366})
            assert (answer.status, answer.body["matched"]) == (200, 0)
            for series in answer.body["series"] + answer.body["previous"]:
                assert len(series["points"]) == {"day": 366, "hour": 24, "weekday": 7}.get(
                    bucket, len(series["points"])
                )
            if bucket == "day":
                [now], [before] = answer.body["series"], answer.body["previous"]
                assert (now["points"][0]["at"], before["points"][-1]["end"]) == (start, start)


def test_an_unknown_report_is_refused_with_the_names_that_there_are(api: Client) -> None:
    answer = api.get("/v1/analytics/reports/sales")

    assert (answer.status, answer.code) == (404, "report_not_found")
    assert "volume-by-day" in answer.message
