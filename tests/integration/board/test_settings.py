"""The boards, statuses and tags of the feedback board."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.storage.transactions import Transaction
from tests.support.api import Client
from tests.support.board import require_consistent, shown, written


def board(api: Client) -> Any:
    return api.get("/v1/board").body


def named(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: entry[key] for key in ("id", "name")} for entry in entries]


def test_a_new_organization_has_one_board_and_four_statuses(api: Client) -> None:
    assert board(api) == {
        "version": 0,
        "boards": [
            {"id": "ideas", "name": "Ideas", "moderated": False, "public": 0, "pending": 0, "spam": 0}
        ],
        "statuses": [
            {"id": "open", "name": "Open", "signalStatus": "open", "posts": 0},
            {"id": "planned", "name": "Planned", "signalStatus": "planned", "posts": 0},
            {"id": "in_progress", "name": "In progress", "signalStatus": "in progress", "posts": 0},
            {"id": "done", "name": "Done", "signalStatus": "done", "posts": 0},
        ],
        "tags": [],
    }


def test_entries_are_added_renamed_ordered_and_removed_and_keep_their_ids(api: Client) -> None:
    changed = api.patch(
        "/v1/board",
        {
            "boards": [{"name": "Bugs", "moderated": True}, {"id": "ideas", "name": "Wishes"}],
            "tags": [{"name": "Mobile"}],
        },
    )
    assert changed.status == 200
    assert changed.body == board(api)
    bugs, wishes = changed.body["boards"]
    assert (bugs["name"], bugs["moderated"], wishes["id"], wishes["name"]) == (
        "Bugs",
        True,
        "ideas",
        "Wishes",
    )
    assert len(changed.body["statuses"]) == 4
    again = api.patch("/v1/board", {"boards": [{"id": bugs["id"], "name": "Bugs"}], "tags": []}).body
    assert (named(again["boards"]), again["boards"][0]["moderated"]) == (named([bugs]), True)
    assert (again["tags"], again["version"]) == ([], 2)
    statuses = {"statuses": [{"id": "done", "name": "Done"}, {"name": "New", "signalStatus": "declined"}]}
    kept = api.patch("/v1/board", statuses).body["statuses"]
    assert [(each["name"], each["signalStatus"]) for each in kept] == [("Done", None), ("New", "declined")]


def test_posts_are_counted_by_board_state_status_and_tag(api: Client) -> None:
    settings = api.patch(
        "/v1/board",
        {"boards": [{"id": "ideas", "name": "Ideas", "moderated": True}], "tags": [{"name": "A"}]},
    ).body
    tag = settings["tags"][0]["id"]
    public, spam, _ = (written(api, f"Post {number}") for number in range(3))
    api.patch(f"/v1/board/posts/{public}", {"state": "public", "tagIds": [tag], "statusId": "planned"})
    api.patch(f"/v1/board/posts/{spam}", {"isSpam": True})
    found = board(api)
    assert [found["boards"][0][name] for name in ("public", "pending", "spam")] == [1, 1, 1]
    assert [each["posts"] for each in found["statuses"]] == [2, 1, 0, 0]
    assert found["tags"][0]["posts"] == 1
    api.delete(f"/v1/board/posts/{public}")
    found = board(api)
    assert [found["boards"][0][name] for name in ("public", "pending", "spam")] == [0, 1, 1]
    assert found["tags"][0]["posts"] == 0


def test_what_posts_have_is_not_removed_until_they_have_it_no_more(
    api: Client, organization: NewOrganization
) -> None:
    settings = api.patch("/v1/board", {"boards": [{"id": "ideas", "name": "Ideas"}, {"name": "Bugs"}]})
    bugs = settings.body["boards"][1]["id"]
    post = written(api, boardId=bugs)
    api.patch(f"/v1/board/posts/{post}", {"state": "pending"})
    removals: list[dict[str, Any]] = [
        {"boards": [{"id": "ideas", "name": "Ideas"}]},
        {"statuses": [{"id": "done", "name": "Done"}]},
    ]
    for removal, name in zip(removals, ("Bugs", "Open"), strict=True):
        refused = api.patch("/v1/board", removal)
        assert (refused.status, refused.code) == (409, "still_used")
        assert f"`{name}`" in refused.message
    change = {"boardId": "ideas", "statusId": "done"}
    assert api.patch(f"/v1/board/posts/{post}", change).status == 200
    for removal in removals:
        assert api.patch("/v1/board", removal).status == 200
    assert shown(api, post)["boardId"] == "ideas"
    require_consistent(organization.organization_id)


def test_everything_is_removed_at_once_within_the_length_of_an_expression(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = api.patch(
        "/v1/board",
        {
            "boards": [{"name": f"Board {number}"} for number in range(10)],
            "statuses": [{"name": f"Status {number}"} for number in range(20)],
            "tags": [{"name": f"Tag {number}"} for number in range(100)],
        },
    ).body
    sent: list[dict[str, Any]] = []
    original = Transaction.update

    def update(self: Transaction, key: Any, expression: str, **rest: Any) -> None:
        sent.append({"update": expression, **rest})
        original(self, key, expression, **rest)

    monkeypatch.setattr(Transaction, "update", update)
    kept = {name: [{"id": made[name][0]["id"], "name": "Kept"}] for name in ("boards", "statuses")}
    assert api.patch("/v1/board", {**kept, "tags": []}).status == 200
    for each in sent:  # DynamoDB's limit: 4 KB
        assert max(len(each["update"]), len(each["condition"] or "")) <= 4_096


def test_a_change_for_an_older_version_is_refused(api: Client) -> None:
    assert api.patch("/v1/board", {"tags": [{"name": "A"}], "version": 0}).status == 200
    refused = api.patch("/v1/board", {"tags": [{"name": "B"}], "version": 0})
    assert (refused.status, refused.code) == (409, "board_changed")
    assert api.patch("/v1/board", {"version": 1}).body["tags"][0]["name"] == "A"


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"boards": []}, 400, "invalid_request"),
        ({"boards": [{"name": f"B{number}"} for number in range(11)]}, 400, "invalid_request"),
        ({"statuses": [{"name": f"S{number}"} for number in range(21)]}, 400, "invalid_request"),
        ({"tags": [{"name": f"T{number}"} for number in range(101)]}, 400, "invalid_request"),
        ({"tags": [{"name": "Same"}, {"name": "same "}]}, 400, "invalid_request"),
        ({"statuses": [{"id": "open", "name": "A"}, {"id": "open", "name": "B"}]}, 400, "invalid_request"),
        (
            {"statuses": [{"name": "A", "signalStatus": "done"}, {"name": "B", "signalStatus": "done"}]},
            400,
            "invalid_request",
        ),
        ({"boards": [{"id": "brd_unknown", "name": "A"}]}, 404, "board_not_found"),
        ({"statuses": [{"id": "unknown", "name": "A"}]}, 404, "board_status_not_found"),
        ({"tags": [{"id": "unknown", "name": "A"}]}, 404, "board_tag_not_found"),
    ],
)
def test_an_invalid_change_is_refused(api: Client, change: dict[str, Any], status: int, code: str) -> None:
    refused = api.patch("/v1/board", change)
    assert (refused.status, refused.code) == (status, code)
    assert board(api)["version"] == 0


def test_only_admins_change_the_settings_and_another_organization_has_its_own(
    api: Client, admin: Client, member: Client, stranger: Client
) -> None:
    change = {"tags": [{"name": "A"}]}
    assert member.patch("/v1/board", change).code == "forbidden"
    tag = admin.patch("/v1/board", change).body["tags"][0]["id"]
    assert member.get("/v1/board").body["tags"][0]["id"] == tag
    assert stranger.get("/v1/board").body["tags"] == []
    assert stranger.patch("/v1/board", {"tags": [{"id": tag, "name": "B"}]}).code == "board_tag_not_found"
    assert board(api)["tags"][0]["name"] == "A"
