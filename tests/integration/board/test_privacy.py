"""Erasure, retention and export of what customers have on the feedback board."""

from typing import Any

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.board import VISITOR, filed_signal, listed, require_consistent, shown, written
from tests.support.workers import Workers


def customer_of(api: Client) -> str:
    [customer] = api.get("/v1/customers").body["customers"]
    return str(customer["id"])


def test_an_erased_customer_leaves_no_post_comment_or_vote(
    api: Client, organization: NewOrganization
) -> None:
    home = organization.organization_id
    theirs, other = written(api, "Xylophone", session=VISITOR), written(api, "Other")
    customer = customer_of(api)
    api.post(f"/v1/board/posts/{theirs}/signal", {"signalId": filed_signal(home)})
    for voter in ({"session": VISITOR}, {}):
        for post in (theirs, other):
            api.post(f"/v1/board/posts/{post}/vote", voter)
            api.post(f"/v1/board/posts/{post}/comments", {**voter, "body": "Xylophone" if voter else "Yes"})
    workers = Workers("signal")
    workers.run()
    assert listed(api, "q=xylophone") == ["Xylophone"]
    receipt = api.delete(f"/v1/customers/{customer}").body["receipt"]
    workers.run()
    counts = api.get(f"/v1/erasures/{receipt['id']}").body["receipt"]["counts"]
    assert {kind: counts[kind] for kind in ("posts", "votes", "comments")} == {
        "posts": 1,
        "votes": 1,
        "comments": 1,
    }
    assert api.get(f"/v1/board/posts/{theirs}").code == "post_not_found"
    left = shown(api, other)
    assert (left["votes"], [comment["author"]["isTeam"] for comment in left["comments"]]) == (1, [True])
    assert listed(api, "q=xylophone") == []
    assert not [item for item in whole_table.everything() if "ylophone" in str(item)]
    require_consistent(home)
    assert api.post("/v1/board/posts", {"title": "Next"}).body["number"] == 3


def test_an_export_has_posts_votes_and_comments_in_pages(api: Client) -> None:
    posts = [written(api, f"Mine {number}", session=VISITOR) for number in range(2)]
    other = written(api, "Other")
    api.post(f"/v1/board/posts/{other}/vote", {"session": VISITOR})
    comment = api.post(f"/v1/board/posts/{other}/comments", {"session": VISITOR, "body": "Yes"}).body["id"]
    customer = customer_of(api)
    api.post(f"/v1/customers/{customer}/facts", {"text": "A fact"})
    api.post("/v1/messages", {"session": VISITOR, "body": "Hello"})
    found: dict[str, list[Any]] = {
        name: [] for name in ("facts", "posts", "votes", "comments", "conversations")
    }
    cursor = ""
    for _ in range(10):
        page = api.get(f"/v1/customers/{customer}/export?limit=1{cursor}").body
        for name in found:
            found[name] += page[name]
        if page["nextCursor"] is None:
            break
        cursor = f"&cursor={page['nextCursor']}"
    assert [post["id"] for post in found["posts"]] == posts
    assert found["posts"][0] == {
        "id": posts[0],
        "number": 1,
        "title": "Mine 0",
        "body": "My eyes hurt at night.",
        "createdAt": shown(api, posts[0])["createdAt"],
    }
    assert [vote["postId"] for vote in found["votes"]] == [other]
    assert [(each["id"], each["postId"], each["body"]) for each in found["comments"]] == [
        (comment, other, "Yes")
    ]
    assert (len(found["facts"]), len(found["conversations"])) == (1, 1)
