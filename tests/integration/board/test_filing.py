"""Posts that are filed under signals, and follow them."""

from typing import Any

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.board import service as board
from helpdesk.platform import clock
from helpdesk.progress import worker
from helpdesk.signals.jobs import JobKind, SignalJob
from helpdesk.signals.kinds import SignalStatus
from tests.support.api import Client
from tests.support.board import VISITOR, filed_signal, require_consistent, set_status, shown, written


def file(api: Client, post: str, signal: str | None) -> None:
    answer = api.post(f"/v1/board/posts/{post}/signal", {"signalId": signal})
    assert (answer.status, answer.body) == (200, {"ok": True})


def place(post: Any) -> tuple[bool, str | None, str]:
    return post["hasSignal"], post["signal"] and post["signal"]["id"], post["statusId"]


def follow(home: str, signal: str) -> None:
    """Do the job that a change of a signal's status leaves."""
    job = SignalJob(kind=JobKind.STATUS, organization=home, signal_id=signal)
    assert worker.work(job, clock.now_ms() + 60_000) == "followed"


def test_a_post_shows_its_signal_and_follows_its_status(api: Client, organization: NewOrganization) -> None:
    home, post = organization.organization_id, written(api, session=VISITOR)
    signal = filed_signal(home)
    set_status(home, signal, SignalStatus.PLANNED)
    file(api, post, signal)
    assert place(shown(api, post)) == (True, signal, "planned")
    assert shown(api, post)["signal"] == {
        "id": signal,
        "title": "No dark theme",
        "status": "planned",
        "kind": "suggestion",
    }
    for status, expected in (
        (SignalStatus.IN_PROGRESS, "in_progress"),
        (SignalStatus.IN_REVIEW, "in_progress"),  # no status follows it
        (SignalStatus.DONE, "done"),
        (SignalStatus.OPEN, "open"),
    ):
        set_status(home, signal, status)
        follow(home, signal)
        assert shown(api, post)["statusId"] == expected
        assert api.get("/v1/board/posts").body["posts"][0]["hasSignal"] is True
    file(api, post, None)
    set_status(home, signal, SignalStatus.DONE)
    follow(home, signal)
    assert place(shown(api, post)) == (False, None, "open")
    require_consistent(home)


def test_a_merge_takes_the_posts_to_the_signal_that_stays(api: Client, organization: NewOrganization) -> None:
    home = organization.organization_id
    posts = [written(api, f"Post {number}") for number in range(3)]
    kept, duplicate = filed_signal(home, "Kept"), filed_signal(home, "Duplicate")
    set_status(home, kept, SignalStatus.PLANNED)
    for post in posts:
        file(api, post, duplicate)
    assert api.post(f"/v1/signals/{kept}/merge", {"duplicateId": duplicate}).status == 200
    follow(home, kept)
    assert [place(shown(api, post)) for post in posts] == [(True, kept, "planned")] * 3
    assert api.post(f"/v1/board/posts/{posts[0]}/signal", {"signalId": duplicate}).code == "signal_not_found"
    require_consistent(home)


def test_following_and_moving_go_on_where_they_stopped(api: Client, organization: NewOrganization) -> None:
    home = organization.organization_id
    first, second = filed_signal(home, "First"), filed_signal(home, "Second")
    for number in range(3):
        file(api, written(api, f"Post {number}"), first)
    assert board.move_posts(home, first, second, until=0) is False
    assert board.move_posts(home, first, second, until=clock.now_ms() + 60_000) is True
    assert board.move_posts(home, first, second, until=0) is True
    set_status(home, second, SignalStatus.DONE)
    assert board.follow(home, second, until=0) is False
    assert board.follow(home, second, until=clock.now_ms() + 60_000) is True
    assert {post["statusId"] for post in api.get("/v1/board/posts").body["posts"]} == {"done"}
    require_consistent(home)


def test_a_signal_that_is_not_there_is_refused(
    api: Client, other_organization: NewOrganization, organization: NewOrganization
) -> None:
    post, theirs = written(api), filed_signal(other_organization.organization_id)
    at = f"/v1/board/posts/{post}/signal"
    for signal in (theirs, "signal_unknown", "a#b", ""):
        assert (api.post(at, {"signalId": signal}).status, api.post(at, {"signalId": signal}).code) == (
            404,
            "signal_not_found",
        )
    assert api.post(at, {}).code == "invalid_request"
    assert place(shown(api, post)) == (False, None, "open")
    require_consistent(organization.organization_id)
