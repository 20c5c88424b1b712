"""A signal and its card move together, both ways: adopting, declining, moving, deleting, applying a commit."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.cards import PAIRS, adopt, column_of, file, require_agreement, status_of, updates


def test_a_request_is_listed_until_it_is_adopted(api: Client, organization: NewOrganization) -> None:
    first = file(api, "Exports stop")
    second = file(api, "Imports stop")
    listed = api.get("/v1/tasks/requests").body

    task = adopt(api, first)

    filed = api.get(f"/v1/signals/{second}").body["signal"]
    assert [each["signalId"] for each in listed["requests"]] == [second, first]
    assert listed["requests"][0] == {
        "signalId": second,
        "kind": "bug",
        "title": "Imports stop",
        "body": "At 1,000 rows.",
        "priority": "medium",
        "reporterCount": 0,
        "filedAt": filed["filedAt"],
        "updatedAt": filed["updatedAt"],
    }
    assert [each["signalId"] for each in api.get("/v1/tasks/requests").body["requests"]] == [second]
    card = api.get(f"/v1/tasks/{task}").body["task"]
    assert (card["title"], card["description"], card["status"]) == (
        "Exports stop",
        "At 1,000 rows.",
        "planned",
    )
    assert (card["signalId"], card["priority"]) == (first, "medium")
    assert status_of(api, first) == "planned"
    assert updates() == ["planned"]
    assert api.post("/v1/tasks/adopt", {"signalId": first}).code == "already_a_task"
    require_agreement(organization)


def test_a_page_of_requests_has_a_limit_and_a_cursor(api: Client) -> None:
    for number in range(3):
        file(api, f"Signal {number}")

    page = api.get("/v1/tasks/requests?limit=2").body
    rest = api.get(f"/v1/tasks/requests?limit=2&cursor={page['nextCursor']}").body

    assert [each["title"] for each in page["requests"] + rest["requests"]] == [
        "Signal 2",
        "Signal 1",
        "Signal 0",
    ]


def test_a_move_of_the_card_moves_the_signal_and_the_other_way_round(
    api: Client, organization: NewOrganization
) -> None:
    signal = file(api)
    task = adopt(api, signal)
    for column, status in [*PAIRS[2:], *PAIRS[:2]]:
        api.patch(f"/v1/tasks/{task}", {"status": column})
        assert status_of(api, signal) == status
    for column, status in [*PAIRS[2:], *PAIRS[:2]]:
        api.patch(f"/v1/signals/{signal}", {"status": status})
        assert column_of(api, task) == column
    every = [status for _, status in [*PAIRS[2:], *PAIRS[:2]]]

    api.patch(f"/v1/tasks/{task}", {"title": "Another title"})
    api.patch(f"/v1/signals/{signal}", {"priority": "low"})

    assert updates() == ["planned", *every, *every, "planned"]
    assert api.get(f"/v1/tasks/{task}").body["task"]["priority"] == "medium"
    require_agreement(organization)


def test_a_declined_signal_loses_its_card(api: Client, organization: NewOrganization) -> None:
    signal = file(api)
    task = adopt(api, signal)
    api.post(
        f"/v1/tasks/{task}/commits", {"repo": "acme/shop", "commits": [{"sha": "a" * 40, "message": "x"}]}
    )

    api.patch(f"/v1/signals/{signal}", {"status": "declined"})

    assert api.get(f"/v1/tasks/{task}").code == "task_not_found"
    assert [item for item in whole_table.everything() if f"#TASK#{task}" in item["PK"]] == []
    again = adopt(api, signal)
    assert status_of(api, signal) == "planned"
    assert again != task
    require_agreement(organization)


def test_only_a_card_in_requests_can_be_declined(api: Client, organization: NewOrganization) -> None:
    signal = file(api)
    task = adopt(api, signal)

    refused = api.post(f"/v1/tasks/{task}/decline")
    api.patch(f"/v1/tasks/{task}", {"status": "requests"})
    listed = api.get("/v1/tasks/requests").body["requests"]
    declined = api.post(f"/v1/tasks/{task}/decline")

    assert (refused.status, refused.code) == (409, "not_a_request")
    assert refused.message == (
        "This card is in `planned`. Only a card in `requests` can be declined. Move it there first, or delete it."
    )
    assert listed == []
    assert declined.body == {"ok": True}
    assert status_of(api, signal) == "declined"
    assert api.get("/v1/tasks").body["tasks"] == []
    assert updates() == ["planned", "open", "declined"]
    assert api.post(f"/v1/tasks/{task}/decline").code == "task_not_found"
    own = api.post("/v1/tasks", {"title": "An idea", "status": "requests"}).body["key"]
    assert api.post(f"/v1/tasks/{own}/decline").status == 200
    require_agreement(organization)


def test_a_request_is_declined_by_its_signal(api: Client, organization: NewOrganization) -> None:
    signal, adopted = file(api, "One"), file(api, "Two")
    adopt(api, adopted)

    assert api.post(f"/v1/tasks/{signal}/decline").body == {"ok": True}
    assert status_of(api, signal) == "declined"
    again = api.post(f"/v1/tasks/{signal}/decline")
    assert (again.code, again.message) == ("not_a_request", "This signal is already declined.")
    api.patch(f"/v1/signals/{signal}", {"status": "in review"})
    assert api.post(f"/v1/tasks/{signal}/decline").message == (
        "This signal is `in review`, so it isn't waiting for a decision. To decline it anyway, set its status with "
        "PATCH /v1/signals/{id}."
    )
    assert api.post(f"/v1/tasks/{adopted}/decline").code == "not_a_request"
    assert api.post("/v1/tasks/signal_unknown/decline").code == "task_not_found"
    require_agreement(organization)


@pytest.mark.parametrize(
    ("column", "status", "events"),
    [("planned", "open", ["planned", "open"]), ("done", "done", ["planned", "done"])],
)
def test_a_signal_whose_card_is_deleted_is_a_request_again_unless_it_is_done(
    api: Client, organization: NewOrganization, column: str, status: str, events: list[str]
) -> None:
    signal = file(api)
    task = adopt(api, signal)
    api.patch(f"/v1/tasks/{task}", {"status": column})

    api.delete(f"/v1/tasks/{task}")

    requests = api.get("/v1/tasks/requests").body["requests"]
    assert status_of(api, signal) == status
    assert [each["signalId"] for each in requests] == ([signal] if status == "open" else [])
    assert updates() == events
    require_agreement(organization)


def test_an_applied_commit_moves_signal_and_card_to_done(api: Client, organization: NewOrganization) -> None:
    signal = file(api)
    task = adopt(api, signal)
    commit = {"sha": "9fceb02d0ae5", "message": "Fix", "url": "https://git.example.com/1", "author": "Ada"}
    added = api.post(f"/v1/signals/{signal}/commits", commit).body["id"]
    path = f"/v1/signals/{signal}/commits/{added}/apply"

    first = api.post(path)
    second = api.post(path)

    assert first.body["signal"]["status"] == second.body["signal"]["status"] == "done"
    assert column_of(api, task) == "done"
    assert api.get(f"/v1/signals/{signal}").body["commits"][0]["applied"] is True
    assert updates() == ["planned", "done"]
    assert api.post(f"/v1/signals/{signal}/commits/commit_unknown/apply").code == "commit_not_found"
    assert api.post("/v1/signals/signal_unknown/commits/commit_x/apply").code == "signal_not_found"
    require_agreement(organization)


def test_done_queues_the_notices_once_from_each_side(api: Client) -> None:
    """From either side, the transaction that does so holds the job that notifies the reporters."""

    def notices() -> list[dict[str, Any]]:
        return [job["body"] for job in whole_table.jobs("signal") if job["body"].get("notify")]

    by_card, by_signal = file(api, "One"), file(api, "Two")
    card = adopt(api, by_card)
    adopt(api, by_signal)

    api.patch(f"/v1/tasks/{card}", {"status": "done"})
    api.patch(f"/v1/signals/{by_signal}", {"status": "done", "notify": False})

    assert [job["signalId"] for job in notices()] == [by_card]


def test_a_signal_of_another_organization_is_not_found(api: Client, stranger: Client) -> None:
    signal = file(api)

    assert stranger.post("/v1/tasks/adopt", {"signalId": signal}).code == "signal_not_found"
    assert stranger.post(f"/v1/tasks/{signal}/decline").code == "task_not_found"
    assert stranger.get("/v1/tasks/requests").body["requests"] == []
    assert api.post("/v1/tasks/adopt", {"signalId": "#"}).code == "signal_not_found"


def test_a_card_moves_its_signal_also_where_a_replica_lags(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = adopt(api, file(api))
    read = table.get_many
    monkeypatch.setattr(
        table,
        "get_many",
        lambda wanted, *, consistent=True: read(wanted, consistent=True) if consistent else {},
    )

    assert api.patch(f"/v1/tasks/{task}", {"status": "in_review"}).status == 200
    require_agreement(organization)
