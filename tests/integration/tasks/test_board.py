"""GET, POST, PATCH and DELETE /v1/tasks (Specification: Task, GET /tasks)."""

from typing import Any

import pytest

from helpdesk.accounts.members.record import Member
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk.search import indexing
from helpdesk.search.jobs import SearchJob
from helpdesk.storage import table
from helpdesk.tasks import placing
from helpdesk.tasks.record import Task
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.people import issue_token, make_person


def add(api: Client, title: str, **fields: Any) -> str:
    answer = api.post("/v1/tasks", {"title": title, **fields})
    assert answer.status == 200, answer
    return str(answer.body["id"])


def _calls(*names: str) -> list[str]:
    return [f"dynamodb:{name}" for name in names]


def titles(api: Client, query: str = "") -> list[str]:
    return [task["title"] for task in api.get(f"/v1/tasks{query}").body["tasks"]]


def test_a_card_has_every_field_of_the_specification(api: Client, organization: NewOrganization) -> None:
    max_ = make_person(organization.organization_id, role="member", name="Max", email="max@example.com")
    ada = Client(issue_token(organization.organization_id, role="member", name="Ada"))
    api.patch("/v1/organization", {"boardUrl": "https://board.example.com/cards/"})

    made = ada.post(
        "/v1/tasks",
        {
            "title": " Fix the tax ",
            "description": "*25 %* in Norway",
            "status": "in_progress",
            "priority": "high",
            "assigneeId": max_,
        },
    )
    assert made.status == 200, made
    answer = api.get(f"/v1/tasks/{made.body['id']}")

    assert made.status == 200, made
    assert made.body["key"] == "ORG-1"
    task = answer.body["task"]
    assert task == {
        "id": made.body["id"],
        "key": "ORG-1",
        "number": 1,
        "title": "Fix the tax",
        "description": "*25 %* in Norway",
        "status": "in_progress",
        "priority": "high",
        "assignee": {"userId": max_, "name": "Max", "email": "max@example.com"},
        "createdBy": task["createdBy"],
        "createdByName": "Ada",
        "createdAt": task["createdAt"],
        "updatedAt": task["createdAt"],
        "doneAt": None,
        "signalId": None,
        "tracker": None,
        "codehost": None,
        "commits": 0,
        "pullRequests": 0,
        "url": "https://board.example.com/cards/ORG-1",
    }
    assert answer.body["commits"] == answer.body["pullRequests"] == []
    assert api.get("/v1/tasks").body == {"tasks": [task], "nextCursor": None}
    assert api.get("/v1/tasks/org-1").body["task"] == task


def test_the_board_is_read_from_left_to_right_and_done_newest_first(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for title, status in (
        ("done first", "done"),
        ("planned 1", "planned"),
        ("review", "in_review"),
        ("request", "requests"),
        ("planned 2", "planned"),
        ("progress", "in_progress"),
    ):
        add(api, title, status=status)
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + 60_000)
    add(api, "done last", status="done")

    board = ["request", "planned 1", "planned 2", "progress", "review", "done last", "done first"]
    assert titles(api) == board
    assert titles(api, "?status=planned") == ["planned 1", "planned 2"]
    assert titles(api, "?status=done") == ["done last", "done first"]
    for limit in (1, 2, 3, 6):
        read, cursor = [], ""
        while True:
            page = api.get(f"/v1/tasks?limit={limit}{cursor}").body
            assert len(page["tasks"]) <= limit
            read += [task["title"] for task in page["tasks"]]
            if page["nextCursor"] is None:
                break
            cursor = f"&cursor={page['nextCursor']}"
        assert read == board


def test_a_page_costs_the_same_calls_with_a_card_and_with_many(
    api: Client, organization: NewOrganization
) -> None:
    max_ = make_person(organization.organization_id, role="member", name="Max")
    first = add(api, "one", assigneeId=max_)

    def calls(query: str) -> list[str]:
        with recorded_calls() as recorded:
            assert api.get(f"/v1/tasks{query}").status == 200
        return list(recorded)

    before = {query: calls(query) for query in ("", "?status=planned", f"?assignee={max_}")}
    for number in range(150):
        copy = table.get(Task.key_for(organization.organization_id, first))
        assert copy is not None
        task_id = f"task_{number}"
        place = f"{copy['rank']}#{task_id}"
        table.put_new(
            {
                **copy,
                **Task.key_for(organization.organization_id, task_id).attributes(),
                "id": task_id,
                "GSI1SK": place,
                "GSI3SK": place,
            }
        )

    assert before["?status=planned"] == _calls(
        "UpdateItem", "Query", "GetItem", "BatchGetItem", "BatchGetItem"
    )
    assert before[""] == _calls("UpdateItem", *["Query"] * 5, "GetItem", "BatchGetItem", "BatchGetItem")
    for query, recorded in before.items():
        assert len(calls(query)) <= len(recorded)


def test_an_assignee_is_a_member_by_id_or_address(api: Client, organization: NewOrganization) -> None:
    max_ = make_person(organization.organization_id, role="member", name="Max", email="max@example.com")
    add(api, "of Max", assigneeId=max_)
    add(api, "of nobody")

    assert titles(api, f"?assignee={max_}") == ["of Max"]
    assert titles(api, "?assignee=Max@Example.com") == ["of Max"]
    for unknown in ("usr_nobody", "nobody@example.com", "no address@", "#"):
        answer = api.get(f"/v1/tasks?assignee={unknown.replace(' ', '%20').replace('#', '%23')}")
        assert (answer.status, answer.code) == (400, "not_a_member")
    for method, path in (("POST", "/v1/tasks"), ("PATCH", "/v1/tasks/ORG-2")):
        answer = api.request(method, path, {"title": "For a stranger", "assigneeId": "usr_nobody"})
        assert (answer.status, answer.code) == (400, "not_a_member")


def test_a_card_of_a_person_who_left_has_no_assignee_until_they_come_back(
    api: Client, organization: NewOrganization
) -> None:
    max_ = make_person(organization.organization_id, role="member", name="Max")
    task = add(api, "of Max", assigneeId=max_)
    membership = Member.key_for(organization.organization_id, max_)
    item = table.get(membership)
    assert item is not None
    table.delete(membership)

    gone = api.get(f"/v1/tasks/{task}").body["task"]["assignee"]
    found = [titles(api, f"?assignee={max_}{status}") for status in ("", "&status=planned", "&status=done")]
    changed = api.patch(f"/v1/tasks/{task}", {"priority": "low"})
    table.put_new(item)

    assert gone is None
    assert found == [["of Max"], ["of Max"], []]
    assert changed.status == 200
    assert api.get(f"/v1/tasks/{task}").body["task"]["assignee"]["userId"] == max_


def test_sent_fields_change_and_null_removes(api: Client, organization: NewOrganization) -> None:
    max_ = make_person(organization.organization_id, role="member", name="Max")
    task = add(api, "Old", description="Old text", priority="low", assigneeId=max_)

    first = api.patch(f"/v1/tasks/{task}", {"title": "New"}).body["task"]
    second = api.patch(f"/v1/tasks/{task}", {"priority": None, "assigneeId": None, "description": ""})

    assert (first["title"], first["description"], first["priority"]) == ("New", "Old text", "low")
    assert second.body["task"]["assignee"] is None
    assert second.body["task"]["priority"] is None
    assert second.body["task"]["description"] == ""
    assert titles(api, f"?assignee={max_}") == []
    with recorded_calls() as calls:
        api.patch(f"/v1/tasks/{task}", {"title": "New"})
    assert "dynamodb:TransactWriteItems" not in calls


def test_a_card_moves_to_the_end_of_another_column(api: Client) -> None:
    first, second = add(api, "first"), add(api, "second")
    add(api, "third", status="in_progress")

    moved = api.patch(f"/v1/tasks/{first}", {"status": "in_progress"}).body["task"]
    done = api.patch(f"/v1/tasks/{second}", {"status": "done"}).body["task"]
    back = api.patch(f"/v1/tasks/{second}", {"status": "requests"}).body["task"]

    assert titles(api, "?status=in_progress") == ["third", "first"]
    assert moved["status"] == "in_progress"
    assert done["doneAt"] is not None
    assert back["doneAt"] is None
    assert titles(api) == ["second", "third", "first"]


def test_a_card_goes_before_or_after_another(api: Client) -> None:
    a, b, c = (add(api, title) for title in "abc")
    d = add(api, "d", status="in_review")

    api.patch(f"/v1/tasks/{c}", {"before": a})
    assert titles(api, "?status=planned") == ["c", "a", "b"]
    api.patch(f"/v1/tasks/{c}", {"after": a})
    assert titles(api, "?status=planned") == ["a", "c", "b"]
    api.patch(f"/v1/tasks/{c}", {"after": b})
    assert titles(api, "?status=planned") == ["a", "b", "c"]
    api.patch(f"/v1/tasks/{d}", {"before": "ORG-2", "status": "planned"})
    assert titles(api, "?status=planned") == ["a", "d", "b", "c"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"title": " "}, "title_required"),
        ({"before": "ORG-2", "after": "ORG-3"}, "invalid_request"),
        ({"before": "ORG-1"}, "invalid_request"),
        ({"before": "ORG-3"}, "invalid_request"),
        ({"before": "ORG-2", "status": "done"}, "invalid_request"),
        ({"after": "ORG-99"}, "task_not_found"),
        ({"after": "task_unknown"}, "task_not_found"),
        ({"assigneeId": "a#b"}, "not_a_member"),
    ],
)
def test_a_change_is_refused(api: Client, change: dict[str, Any], code: str) -> None:
    add(api, "one")
    add(api, "two")
    add(api, "three", status="in_review")
    before = whole_table.of_kind("TASK")

    answer = api.patch("/v1/tasks/ORG-1", change)

    assert answer.code == code
    assert whole_table.of_kind("TASK") == before


def test_a_new_card_needs_a_visible_title_and_a_member_as_assignee(api: Client) -> None:
    assert api.post("/v1/tasks", {"title": "\u200b"}).code == "title_required"
    assert api.post("/v1/tasks", {"title": "One", "assigneeId": ""}).code == "not_a_member"


def test_a_key_keeps_its_card_when_the_prefix_changes(api: Client, stranger: Client) -> None:
    task = add(api, "one")

    for prefix in ("SHOP", "acme"):
        api.patch("/v1/organization", {"taskKeyPrefix": prefix})

    assert api.get(f"/v1/tasks/{task}").body["task"]["key"] == "acme-1"
    for key in ("ACME-1", "shop-1", "ORG-1"):
        assert api.get(f"/v1/tasks/{key}").body["task"]["id"] == task
    for key in ("OTHER-1", "ACME-2", "ACME-01"):
        assert api.get(f"/v1/tasks/{key}").code == "task_not_found"
    assert stranger.get("/v1/tasks/ACME-1").code == "task_not_found"


def test_numbers_count_up_and_are_not_given_twice(api: Client) -> None:
    add(api, "one")
    api.delete("/v1/tasks/ORG-1")

    assert api.post("/v1/tasks", {"title": "two"}).body["key"] == "ORG-2"
    assert api.get("/v1/tasks/ORG-1").code == "task_not_found"


def test_a_deleted_card_leaves_nothing(api: Client) -> None:
    task = add(api, "one")

    answer = api.delete(f"/v1/tasks/{task}")

    assert answer.body == {"ok": True}
    assert api.delete(f"/v1/tasks/{task}").code == "task_not_found"
    assert [item for item in whole_table.everything() if "#TASK#" in item["PK"]] == []
    assert whole_table.of_kind("TASKNUMBER") == []


def test_words_and_keys_find_cards(api: Client, organization: NewOrganization) -> None:
    first = add(api, "Pack parcels faster", description="In Norway")
    later = clock.now_us() + 1_000_000  # a search sorts by the millisecond, and arbitrarily within one
    with clock.frozen(lambda: later):
        second = add(api, "Pack invoices", status="done")
    jobs = [SearchJob(organization.organization_id, task_id=task) for task in (first, second)]
    indexing.index(organization.organization_id, jobs)

    assert titles(api, "?q=pack") == ["Pack invoices", "Pack parcels faster"]
    assert titles(api, "?q=pack&status=done") == ["Pack invoices"]
    assert titles(api, "?q=norway") == ["Pack parcels faster"]
    assert titles(api, "?q=org-2") == ["Pack invoices"]
    assert titles(api, "?q=nowhere") == []


@pytest.mark.parametrize("next_rank", ["V" + "0" * 30 + "1", "V"], ids=["no room", "equal"])
def test_cards_are_spread_where_no_room_is_left(
    api: Client, organization: NewOrganization, next_rank: str
) -> None:
    cards = [add(api, title) for title in "abcd"]
    cards.sort()
    for task, rank in zip(cards, ("A", "V", next_rank, "z"), strict=True):
        table.update(
            Task.key_for(organization.organization_id, task),
            "SET #rank = :rank, GSI1SK = :place",
            names={"#rank": "rank"},
            values={":rank": rank, ":place": f"{rank}#{task}"},
        )

    answer = api.patch(f"/v1/tasks/{cards[0]}", {"after": cards[1]})

    assert answer.status == 200
    assert [task["id"] for task in api.get("/v1/tasks").body["tasks"]] == [
        cards[1],
        cards[0],
        cards[2],
        cards[3],
    ]
    stored = {item["rank"] for item in whole_table.everything() if item["SK"] == "TASK"}
    assert len(stored) == 4
    assert max(map(len, stored)) <= placing.LONGEST


def test_a_title_is_one_line_without_hidden_characters(api: Client) -> None:
    api.post("/v1/tasks", {"title": " Tax\n rates\u0000 \u202eof  Peru"})

    assert api.get("/v1/tasks/ORG-1").body["task"]["title"] == "Tax rates of Peru"
