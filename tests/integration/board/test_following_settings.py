"""Posts follow a change of the board's settings: at once in what is read, and soon in what is stored."""

from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.board import following
from helpdesk.signals import service as signals
from helpdesk.signals.kinds import SignalStatus
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.board import VISITOR, filed_signal, listed, require_consistent, set_status, shown, written
from tests.support.interleaving import interleaved
from tests.support.signals import jobs, work

OPEN = {"id": "open", "name": "Open", "signalStatus": "open"}
LATER = {"name": "Later", "signalStatus": "planned"}


def file(api: Client, post: str, signal: str) -> str:
    assert api.post(f"/v1/board/posts/{post}/signal", {"signalId": signal}).status == 200
    return post


def statuses(api: Client, *sent: dict[str, Any]) -> list[str]:
    """Change the statuses of the board; return their ids."""
    answer = api.patch("/v1/board", {"statuses": [{"id": "done", "name": "Done"}, *sent]})
    assert answer.status == 200, answer.body
    return [each["id"] for each in answer.body["statuses"]]


def tags(api: Client, *sent: dict[str, Any]) -> list[str]:
    """Change the tags of the board; return their ids."""
    answer = api.patch("/v1/board", {"tags": list(sent)})
    assert answer.status == 200, answer.body
    return [each["id"] for each in answer.body["tags"]]


def tagged(api: Client, *tag_ids: str) -> str:
    post = written(api)
    assert api.patch(f"/v1/board/posts/{post}", {"tagIds": list(tag_ids)}).status == 200
    return post


def stored_tags() -> set[tuple[str, ...]]:
    return {tuple(item["tagIds"]) for item in whole_table.of_kind("POST") if item["SK"] == "POST"}


def test_posts_get_the_status_that_now_follows_their_signals(
    api: Client, organization: NewOrganization
) -> None:
    home = organization.organization_id
    filed = [filed_signal(home, title) for title in ("One", "Two", "Three")]
    for signal in filed[:2]:
        set_status(home, signal, SignalStatus.IN_REVIEW)
    posts = [file(api, written(api), signal) for signal in filed]
    free = written(api)
    api.patch(f"/v1/board/posts/{posts[1]}", {"statusId": "planned"})
    every = [{"id": name, "name": name, "signalStatus": name} for name in ("open", "planned")]
    review, *_ = statuses(api, {"name": "Review", "signalStatus": "in review"}, *every)[1:]
    [job] = jobs("board")
    assert job.statuses == ("in review",)
    assert work(job) == "followed"
    found = [shown(api, post)["statusId"] for post in (*posts, free)]
    assert found == [review, review, "open", "open"]
    require_consistent(home)

    with recorded_calls() as calls:
        assert work(job) == "followed"
    assert "dynamodb:TransactWriteItems" not in calls


def test_a_change_that_concerns_no_post_leaves_no_job(api: Client) -> None:
    written(api)
    tags(api, {"name": "Unused"})
    tags(api)
    api.patch("/v1/board", {"boards": [{"id": "ideas", "name": "Renamed"}]})
    renamed = [
        {"id": each["id"], "name": f"{each['name']}!", "signalStatus": each["signalStatus"]}
        for each in api.get("/v1/board").body["statuses"]
    ]
    assert api.patch("/v1/board", {"statuses": renamed}).status == 200
    assert jobs("board") == []


def test_a_deleted_tag_is_gone_from_reads_at_once_and_from_posts_soon(
    api: Client, organization: NewOrganization
) -> None:
    first, second = tags(api, {"name": "First"}, {"name": "Second"})
    post, other = tagged(api, first, second), tagged(api, second)
    tags(api, {"id": second, "name": "Second"})

    assert shown(api, post)["tagIds"] == [second]
    assert [each["tagIds"] for each in api.get("/v1/board/posts").body["posts"]] == [[second], [second]]
    assert listed(api, f"tagId={first}") == []
    assert len(listed(api, f"tagId={second}")) == 2
    assert api.patch(f"/v1/board/posts/{post}", {"title": "Other", "tagIds": [first]}).status == 404
    assert api.patch(f"/v1/board/posts/{other}", {"tagIds": []}).status == 200

    [job] = jobs("board")
    assert work(job) == "followed"
    assert stored_tags() == {(), (second,)}
    require_consistent(organization.organization_id)


def test_a_post_with_a_deleted_tag_can_be_changed_and_deleted_before_the_worker_comes(
    api: Client, organization: NewOrganization
) -> None:
    first, second = tags(api, {"name": "First"}, {"name": "Second"})
    deleted, cleared, changed = (tagged(api, first) for _ in range(3))
    tags(api, {"id": second, "name": "Second"})
    assert api.delete(f"/v1/board/posts/{deleted}").status == 200
    assert api.patch(f"/v1/board/posts/{cleared}", {"tagIds": []}).status == 200
    assert api.patch(f"/v1/board/posts/{changed}", {"tagIds": [second], "isSpam": True}).status == 200

    assert [work(job) for job in jobs("board")] == ["followed"]
    assert api.get("/v1/board").body["tags"] == [{"id": second, "name": "Second", "posts": 1}]
    require_consistent(organization.organization_id)


def test_the_work_hands_on_and_may_be_repeated_and_done_twice_at_once(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, signal = organization.organization_id, filed_signal(organization.organization_id)
    set_status(home, signal, SignalStatus.PLANNED)
    [tag] = tags(api, {"name": "Gone"})
    posts = [file(api, tagged(api, tag), signal) for _ in range(3)]
    for post in posts:
        api.post(f"/v1/board/posts/{post}/vote", {"session": VISITOR})
    tags(api)
    later = statuses(api, OPEN, LATER, {"id": "planned", "name": "Planned"})[2]
    monkeypatch.setattr(following, "_NUMBERS", 2)
    [_, job] = jobs("board")
    assert work(job, 0) == "handed_on"
    assert work(job, 0) == "handed_on"
    [_, _, rest] = jobs("board")
    assert interleaved([partial(work, rest)] * 2, 7).all() == ["followed"] * 2
    assert {shown(api, post)["statusId"] for post in posts} == {later}
    assert stored_tags() == {()}
    require_consistent(home)


def test_a_signal_that_moves_meanwhile_takes_its_posts_where_it_goes(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, signal = organization.organization_id, filed_signal(organization.organization_id)
    set_status(home, signal, SignalStatus.PLANNED)
    post = file(api, written(api), signal)
    statuses(api, OPEN, LATER, {"id": "planned", "name": "Planned"})
    require = signals.require

    def moved_first(*values: Any, **named: Any) -> None:
        monkeypatch.setattr(signals, "require", require)
        set_status(home, signal, SignalStatus.OPEN)
        require(*values, **named)

    monkeypatch.setattr(signals, "require", moved_first)
    assert [work(job) for job in jobs("board")] == ["followed"]
    assert [work(job) for job in jobs("status")][-1] == "followed"
    assert shown(api, post)["statusId"] == "open"
    require_consistent(home)
