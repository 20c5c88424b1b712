"""Requests at once: in any order of their calls, the counts equal the rows."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.board import service as board
from helpdesk.platform import clock
from helpdesk.privacy import erasing
from helpdesk.search import service as search
from helpdesk.signals.kinds import SignalStatus
from tests.support import effort
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.board import VISITOR, filed_signal, require_consistent, set_status, shown, written
from tests.support.interleaving import interleaved
from tests.support.signals import jobs, work

ORDERS = effort.of(5, 60)
type Piece = Callable[[], Any]


@pytest.fixture
def home(organization: NewOrganization) -> str:
    return organization.organization_id


def run(home: str, pieces: list[Piece], seed: int) -> list[Any]:
    """Run requests at once, and what they leave to workers; each request must be answered by a rule."""
    outcomes = interleaved(pieces, seed)
    results = outcomes.all()
    for answer in results:
        if isinstance(answer, Answer):
            assert answer.status < 500, answer
    for item in whole_table.of_kind("VOTE#") + whole_table.of_kind("COMMENT#"):
        deletion_left(home, item["PK"].rpartition("#")[2])
    for job in jobs("board"):
        work(job)
    require_consistent(home)
    return results


def deletion_left(home: str, post_id: str) -> None:
    """Do what the job of a deleted post does."""
    if not any(item["id"] == post_id for item in whole_table.of_kind("POST") if "id" in item):
        assert board.finish_deletion(home, post_id, clock.now_ms() + 60_000)


def test_votes_and_withdrawals_are_counted_exactly(api: Client, home: str) -> None:
    post = written(api)
    at = f"/v1/board/posts/{post}/vote"
    for seed in range(ORDERS):
        run(
            home,
            [
                partial(api.post, at, {"session": VISITOR}),
                partial(api.post, at, {"session": VISITOR}),  # two first requests of a session
                partial(api.delete, f"{at}?session={VISITOR}"),
                partial(api.post, at, {"session": f"visitor-number-{seed}"}),
            ],
            seed,
        )
    sessions = whole_table.of_kind("SESSION")
    assert len(sessions) == len(whole_table.of_kind("CUS")) == ORDERS + 1
    assert shown(api, post)["votes"] in {ORDERS, ORDERS + 1}


def test_a_deletion_at_the_same_time_leaves_nothing_behind(api: Client, home: str) -> None:
    signal = filed_signal(home)
    for seed in range(ORDERS):
        post = written(api, session=VISITOR)
        at = f"/v1/board/posts/{post}"
        api.post(f"{at}/vote", {"session": "a-visitor-who-votes"})
        run(
            home,
            [
                partial(api.delete, at),
                partial(api.post, f"{at}/vote", {"session": VISITOR}),
                partial(api.post, f"{at}/comments", {"session": VISITOR, "body": "Yes"}),
                partial(api.patch, at, {"statusId": "done"}),
                partial(api.post, f"{at}/signal", {"signalId": signal}),
            ],
            seed,
        )
    assert whole_table.of_kind("VOTE#") == whole_table.of_kind("COMMENT#") == []


def test_no_post_has_a_status_tag_or_board_that_was_removed_at_the_same_time(api: Client, home: str) -> None:
    for seed in range(ORDERS):
        boards = [{"id": "ideas", "name": "Ideas"}, {"name": "Bugs"}]
        settings = api.patch("/v1/board", {"boards": boards, "tags": [{"name": "T"}]}).body
        bugs, tag = settings["boards"][1]["id"], settings["tags"][0]["id"]
        post = written(api)
        run(
            home,
            [
                partial(api.patch, "/v1/board", {"boards": boards[:1], "tags": []}),
                partial(api.post, "/v1/board/posts", {"title": "New", "boardId": bugs}),
                partial(api.patch, f"/v1/board/posts/{post}", {"tagIds": [tag]}),
            ],
            seed,
        )
        for each in api.get("/v1/board/posts").body["posts"]:
            api.delete(f"/v1/board/posts/{each['id']}")


def test_posts_at_once_have_numbers_of_their_own(api: Client, home: str) -> None:
    results = run(home, [partial(api.post, "/v1/board/posts", {"title": f"{n}"}) for n in range(4)], 1)
    assert sorted(answer.body["number"] for answer in results) == [1, 2, 3, 4]


def test_a_post_that_is_filed_meanwhile_gets_the_signals_last_status(api: Client, home: str) -> None:
    for seed in range(ORDERS):
        signal, post = filed_signal(home, f"Signal {seed}"), written(api)

        def follow(status: SignalStatus, signal: str = signal) -> None:
            set_status(home, signal, status)
            board.follow(home, signal, clock.now_ms() + 60_000)

        run(
            home,
            [
                partial(api.post, f"/v1/board/posts/{post}/signal", {"signalId": signal}),
                partial(follow, SignalStatus.PLANNED),
                partial(follow, SignalStatus.DONE),
            ],
            seed,
        )
        final = api.get(f"/v1/signals/{signal}").body["signal"]["status"]
        assert shown(api, post)["statusId"] == final


def test_a_merge_leaves_no_post_under_the_duplicate(api: Client, home: str) -> None:
    for seed in range(ORDERS):
        kept, duplicate = filed_signal(home, f"Kept {seed}"), filed_signal(home, f"Duplicate {seed}")
        posts = [written(api, f"{seed} {number}") for number in range(2)]
        api.post(f"/v1/board/posts/{posts[0]}/signal", {"signalId": duplicate})
        results = run(
            home,
            [
                partial(api.post, f"/v1/signals/{kept}/merge", {"duplicateId": duplicate}),
                partial(api.post, f"/v1/board/posts/{posts[1]}/signal", {"signalId": duplicate}),
            ],
            seed,
        )
        late = shown(api, posts[1])["signal"]
        assert shown(api, posts[0])["signal"]["id"] == kept
        assert (late and late["id"]) == (kept if results[1].status == 200 else None)


def test_an_erasure_at_the_same_time_leaves_nothing_of_the_customer(
    api: Client, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "forget", lambda *_: None)  # the search index has its own tests
    post = written(api)
    at = f"/v1/board/posts/{post}"
    for seed in range(ORDERS):
        own = written(api, session=VISITOR)
        api.post(f"{at}/vote", {"session": VISITOR})
        api.post(f"{at}/comments", {"session": VISITOR, "body": "Yes"})
        [customer] = api.get("/v1/customers").body["customers"]

        def erase(customer_id: str = customer["id"]) -> None:
            api.delete(f"/v1/customers/{customer_id}")
            for item in whole_table.of_kind("ERASURE"):
                erasing.erase_customer(home, item["id"], clock.now_ms() + 600_000)

        run(
            home,
            [
                erase,
                partial(api.post, f"{at}/comments", {"customerId": customer["id"], "body": "Again"}),
                partial(api.post, f"/v1/board/posts/{own}/vote", {"customerId": customer["id"]}),
                partial(api.post, "/v1/board/posts", {"title": "New", "customerId": customer["id"]}),
                partial(api.delete, f"{at}/vote?customerId={customer['id']}"),
            ],
            seed,
        )
        left = [item for item in whole_table.everything() if customer["id"] in str(item)]
        assert {item["SK"] for item in left} <= {"ERASURE", "JOB"} | {
            item["SK"] for item in left if item["SK"].startswith(("LOG#", "IDEMPOTENCY"))
        }
