"""Posts of the feedback board: writing, reading, listing, moderating and deleting them."""

from typing import Any
from urllib.parse import unquote

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.board import service
from helpdesk.board.record import Post
from helpdesk.platform import clock
from helpdesk.storage.stored import MalformedKey
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.board import VISITOR, listed, require_consistent, shown, written
from tests.support.workers import Workers

NOW_MS = 1_763_683_200_000
HOUR_US = 3_600_000_000


def test_a_post_of_a_visitor_is_shown_with_all_its_fields(api: Client) -> None:
    message = {"session": VISITOR, "body": "Hello", "user": {"name": "Vera", "email": "vera@example.com"}}
    text = "First line\nsecond line. " + "x" * 300
    sent = {"title": "  Dunkles Thema für\nalle! ", "body": text, "session": VISITOR}
    with clock.frozen(lambda: NOW_MS * 1_000):
        api.post("/v1/messages", message)
        created = api.post("/v1/board/posts", sent)
    assert created.body == {"id": created.body["id"], "number": 1}
    assert shown(api, created.body["id"]) == {
        "id": created.body["id"],
        "number": 1,
        "path": "/board/1-dunkles-thema-fur-alle",
        "title": "Dunkles Thema für alle!",
        "excerpt": ("First line second line. " + "x" * 300)[:200],
        "body": text,
        "boardId": "ideas",
        "statusId": "open",
        "tagIds": [],
        "state": "public",
        "isSpam": False,
        "pinned": False,
        "hasSignal": False,
        "votes": 0,
        "verifiedVotes": 0,
        "comments": [],
        "createdAt": NOW_MS,
        "author": {"name": "Vera", "isTeam": False, "email": "vera@example.com"},
        "signal": None,
    }
    assert shown(api, "1") == shown(api, created.body["id"])


def test_the_author_is_the_teammate_or_the_organization_where_no_customer_is_named(
    api: Client, member: Client, organization: NewOrganization
) -> None:
    by_key, by_member = shown(api, written(api)), shown(api, written(member, "退款"))
    assert by_member["author"] == {"name": "Max Member", "isTeam": True, "email": None}
    assert (by_key["author"]["isTeam"], by_key["author"]["name"][:12]) == (True, "Organization")
    assert (by_key["number"], by_member["number"], by_member["path"]) == (1, 2, "/board/2-退款")
    customer = api.post("/v1/customers", {"name": "Ada"}).body["id"]
    assert shown(api, written(api, customerId=customer))["author"] == {
        "name": "Ada",
        "isTeam": False,
        "email": None,
    }
    require_consistent(organization.organization_id)


def test_a_session_that_is_not_known_becomes_a_customer_without_a_message(api: Client) -> None:
    post, other = written(api, session=VISITOR), written(api, "Another", session=VISITOR)
    assert [shown(api, each)["author"]["name"] for each in (post, other)] == ["Visitor", "Visitor"]
    [customer] = api.get("/v1/customers").body["customers"]
    assert api.get("/v1/conversations").body["conversations"] == []
    assert api.get(f"/v1/messages?session={VISITOR}").body == {"conversations": []}
    # Their first message starts a conversation of the same customer, and says who they are.
    sent = api.post("/v1/messages", {"session": VISITOR, "body": "Hello", "user": {"name": "Vera"}})
    conversation = api.get(f"/v1/conversations/{sent.body['conversationId']}").body["conversation"]
    assert (conversation["customer"]["id"], conversation["customer"]["name"]) == (customer["id"], "Vera")
    assert shown(api, post)["author"]["name"] == "Vera"


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        ({"title": "A", "boardId": "brd_unknown"}, 404, "board_not_found"),
        ({"title": "A", "customerId": "cus_unknown"}, 404, "customer_not_found"),
        ({"title": "A", "session": VISITOR, "customerId": "cus_1"}, 400, "invalid_request"),
    ],
)
def test_an_invalid_post_is_refused_and_leaves_nothing(
    api: Client, sent: dict[str, Any], status: int, code: str
) -> None:
    refused = api.post("/v1/board/posts", sent)
    assert (refused.status, refused.code) == (status, code)
    assert whole_table.of_kind("POST") == whole_table.of_kind("CUS") == []


def test_a_moderated_board_holds_new_posts_until_the_team_makes_them_public(
    api: Client, member: Client
) -> None:
    api.patch("/v1/board", {"boards": [{"id": "ideas", "name": "Ideas", "moderated": True}]})
    post, spam = written(api, "Good", session=VISITOR), written(api, "Bad", session=VISITOR)
    assert (listed(api, "state=pending"), listed(api, "state=public")) == (["Bad", "Good"], [])
    assert member.patch(f"/v1/board/posts/{post}", {"state": "public"}).status == 200
    assert member.patch(f"/v1/board/posts/{spam}", {"isSpam": True}).status == 200
    assert (listed(api, "state=pending"), listed(api, "state=public")) == ([], ["Good"])
    assert (listed(api), listed(api, "isSpam=true"), listed(api, "isSpam=true&state=public")) == (
        ["Good"],
        ["Bad"],
        [],
    )
    assert shown(api, spam)["state"] == "pending"


def test_a_change_writes_the_fields_that_were_sent(api: Client, organization: NewOrganization) -> None:
    tag = api.patch("/v1/board", {"tags": [{"name": "A"}]}).body["tags"][0]["id"]
    post = written(api)
    before = shown(api, post)
    change = {
        "title": "New title",
        "body": "New\ntext",
        "tagIds": [tag, tag],
        "pinned": True,
        "statusId": "done",
    }
    assert api.patch(f"/v1/board/posts/{post}", change).body == {"ok": True}
    expected = {
        **before,
        **change,
        "tagIds": [tag],
        "path": "/board/1-new-title",
        "excerpt": "New text",
    }
    assert shown(api, post) == expected
    assert api.patch(f"/v1/board/posts/{post}", {}).status == 200
    for invalid, code in (
        ({"tagIds": [f"t{number}" for number in range(11)]}, "invalid_request"),
        ({"tagIds": ["unknown"]}, "board_tag_not_found"),
        ({"statusId": "unknown"}, "board_status_not_found"),
        ({"boardId": "unknown"}, "board_not_found"),
    ):
        assert api.patch(f"/v1/board/posts/{post}", invalid).code == code, invalid
    assert shown(api, post) == expected
    require_consistent(organization.organization_id)


def test_lists_are_sorted_with_pinned_posts_first_and_have_filters(api: Client) -> None:
    start = clock.now_us() - 10 * HOUR_US
    boards = [{"id": "ideas", "name": "Ideas"}, {"name": "Bugs"}]
    with clock.frozen(lambda: start):
        settings = api.patch("/v1/board", {"boards": boards, "tags": [{"name": "T"}]}).body
    bugs, tag = settings["boards"][1]["id"], settings["tags"][0]["id"]
    posts = {}
    for number, title in enumerate("ABCDEF"):
        with clock.frozen(lambda at=start + number * HOUR_US: at):  # type: ignore[misc]
            posts[title] = written(api, title, **({"boardId": bugs} if title in "BDF" else {}))
    for title, voters in (("A", 3), ("D", 2), ("F", 1)):
        for voter in range(voters):
            api.post(f"/v1/board/posts/{posts[title]}/vote", {"session": f"voter-number-{voter}"})
    api.patch(f"/v1/board/posts/{posts['B']}", {"pinned": True, "tagIds": [tag], "statusId": "planned"})
    api.patch(f"/v1/board/posts/{posts['E']}", {"state": "pending", "tagIds": [tag]})
    assert listed(api) == ["B", "F", "E", "D", "C", "A"]
    assert listed(api, "sort=votes") == ["B", "A", "D", "F", "E", "C"]
    assert listed(api, f"boardId={bugs}") == ["B", "F", "D"]
    assert listed(api, f"boardId={bugs}&sort=votes") == ["B", "D", "F"]
    assert listed(api, "state=public") == ["B", "F", "D", "C", "A"]
    assert listed(api, f"tagId={tag}") == ["B", "E"]
    assert listed(api, f"tagId={tag}&statusId=open") == ["E"]
    assert (
        listed(api, "boardId=unknown") == listed(api, "tagId=unknown") == listed(api, "boardId=a%23b") == []
    )
    assert listed(api, "sort=trending")[0] == "B"
    assert sorted(listed(api, "sort=trending")) == list("ABCDEF")


def test_a_board_that_cannot_exist_has_no_posts(api: Client) -> None:
    written(api)
    for board in ("", "a%23b", "b" * 3_000):  # a key of an index has up to 2,048 bytes
        with pytest.raises(MalformedKey):
            Post.partition_for("org_1", unquote(board), "public", index="GSI1")
        for sort in ("newest", "trending"):
            assert api.get(f"/v1/board/posts?boardId={board}&sort={sort}").body == {
                "posts": [],
                "nextCursor": None,
            }


def test_what_is_trending_weighs_recent_votes_and_comments_against_age(api: Client) -> None:
    start = NOW_MS * 1_000
    with clock.frozen(lambda: start):
        old = written(api, "Old and loved")
        for voter in range(4):
            api.post(f"/v1/board/posts/{old}/vote", {"session": f"voter-number-{voter}"})
    with clock.frozen(lambda: start + 100 * HOUR_US):
        written(api, "New and quiet")
        fresh = written(api, "New and discussed")
        api.post(f"/v1/board/posts/{fresh}/comments", {"body": "Yes"})
        # 2 / 2^1.4 = 0.76, 19 / 102^1.4 = 0.03, -1 / 2^1.4 < 0
        assert listed(api, "sort=trending") == ["New and discussed", "Old and loved", "New and quiet"]
    with clock.frozen(lambda: start + 31 * 24 * HOUR_US):
        api.post(f"/v1/board/posts/{fresh}/vote", {"session": "voter-number-9"})
        # The votes of the first day are older than 30 days.
        assert listed(api, "sort=trending")[0] == "New and discussed"
        assert listed(api, "sort=trending")[-1] == "New and quiet"


def test_a_visitors_list_says_which_posts_they_voted_for(api: Client) -> None:
    first, second = written(api, "A"), written(api, "B")
    api.post(f"/v1/board/posts/{first}/vote", {"session": VISITOR})
    found = {
        post["id"]: post["voted"] for post in api.get(f"/v1/board/posts?session={VISITOR}").body["posts"]
    }
    assert found == {first: True, second: False}
    assert {post["voted"] for post in api.get("/v1/board/posts").body["posts"]} == {None}
    unknown = api.get("/v1/board/posts?session=another-visitor").body["posts"]
    assert [post["voted"] for post in unknown] == [False, False]
    assert api.get("/v1/board/posts?session=x").code == "invalid_session"


@pytest.mark.usefixtures("ticking")
def test_a_board_without_an_index_finds_nothing(api: Client) -> None:
    assert listed(api, "q=theme") == []


def test_posts_are_found_by_their_words(api: Client) -> None:
    workers = Workers()
    dark, light = written(api, "Dark theme"), written(api, "Light theme")
    api.patch(f"/v1/board/posts/{light}", {"statusId": "planned"})
    workers.run()
    assert listed(api, "q=theme") == ["Light theme", "Dark theme"]
    assert listed(api, "q=theme&statusId=planned") == ["Light theme"]
    api.patch(f"/v1/board/posts/{dark}", {"title": "Night colours"})
    api.delete(f"/v1/board/posts/{light}")
    workers.run()
    assert (listed(api, "q=theme"), listed(api, "q=night+eyes")) == ([], ["Night colours"])
    assert api.get("/v1/board/posts?q=%20").code == "invalid_request"
    assert api.get("/v1/board/posts?q=night&sort=votes").code == "invalid_request"


def test_a_deleted_post_takes_its_votes_and_comments_along_and_its_number_is_not_used_again(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_DELETED_AT_ONCE", 3)
    monkeypatch.setattr(service, "_DELETION_MS", 0)  # the job deletes most of it
    post = written(api, session=VISITOR)
    for number in range(5):
        api.post(f"/v1/board/posts/{post}/vote", {"session": f"voter-number-{number}"})
        api.post(f"/v1/board/posts/{post}/comments", {"session": f"voter-number-{number}", "body": "Yes"})
    assert api.delete(f"/v1/board/posts/{post}").body == {"ok": True}
    assert api.get(f"/v1/board/posts/{post}").code == "post_not_found"
    assert api.get("/v1/board/posts/1").code == "post_not_found"
    Workers("search").run()
    assert whole_table.of_kind("VOTE#") == whole_table.of_kind("COMMENT#") == []
    require_consistent(organization.organization_id)
    assert api.post("/v1/board/posts", {"title": "Next"}).body["number"] == 2
