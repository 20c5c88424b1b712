"""Votes and comments of visitors, customers and the team."""

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.board import participants, repository, votes
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.board import VISITOR, require_consistent, shown, written


def test_everyone_has_one_vote(api: Client, member: Client, organization: NewOrganization) -> None:
    post = written(api)
    at = f"/v1/board/posts/{post}/vote"
    customer = api.post("/v1/customers", {"name": "Ada"}).body["id"]
    assert api.post(at, {"session": VISITOR}).body == {"ok": True, "voted": True, "votes": 1}
    assert api.post(at, {"session": VISITOR}).body == {"ok": True, "voted": True, "votes": 1}
    assert api.post(at, {"customerId": customer}).body["votes"] == 2
    assert api.post(at).body["votes"] == 3  # the organization
    assert member.post(at, {}).body["votes"] == 4
    assert member.post(at).body["votes"] == 4
    require_consistent(organization.organization_id)
    assert api.delete(f"{at}?session={VISITOR}").body == {"ok": True, "voted": False, "votes": 3}
    assert api.request("DELETE", at, {"customerId": customer}).body["votes"] == 2
    assert api.request("DELETE", at, {"customerId": customer}).body["votes"] == 2
    assert member.delete(at).body["votes"] == 1
    assert api.delete(at).body["votes"] == 0
    assert shown(api, post)["votes"] == 0
    require_consistent(organization.organization_id)


def test_votes_of_people_who_are_known_are_counted_apart(
    api: Client, member: Client, organization: NewOrganization
) -> None:
    post = written(api)
    at = f"/v1/board/posts/{post}/vote"
    customer = api.post("/v1/customers", {"name": "Ada"}).body["id"]

    def counts() -> tuple[int, int]:
        found = shown(api, post)
        [listed] = api.get("/v1/board/posts").body["posts"]
        assert (listed["votes"], listed["verifiedVotes"]) == (found["votes"], found["verifiedVotes"])
        return found["votes"], found["verifiedVotes"]

    for number in range(3):
        api.post(at, {"session": f"{VISITOR}-{number}"})
    assert counts() == (3, 0)
    api.post(at, {"customerId": customer})
    member.post(at)
    assert counts() == (5, 2)
    api.delete(f"{at}?session={VISITOR}-0")
    api.delete(f"{at}?customerId={customer}")
    assert counts() == (3, 1)
    require_consistent(organization.organization_id)


def test_a_teammates_vote_is_not_withdrawn_as_that_of_a_customer(
    api: Client, member: Client, organization: NewOrganization
) -> None:
    at = f"/v1/board/posts/{written(api)}/vote"
    api.post(at)
    member.post(at)
    voters = [
        item["SK"].removeprefix("VOTE#")
        for item in whole_table.everything()
        if item["SK"].startswith("VOTE#")
    ]
    assert [api.delete(f"{at}?customerId={voter}").body["votes"] for voter in voters] == [2, 2]
    require_consistent(organization.organization_id)


def test_a_withdrawal_takes_the_vote_that_it_has_read_and_none_that_followed(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    post = written(api)
    at = f"/v1/board/posts/{post}/vote"
    owner, voter = organization.organization_id, participants.ORGANIZATION
    monkeypatch.setattr(clock, "now_ms", lambda: 10 * DAY_MS)
    api.post(at)
    read = repository.with_vote(owner, post, voter)
    monkeypatch.setattr(clock, "now_ms", lambda: 11 * DAY_MS)
    api.delete(at)
    api.post(at)
    assert read[1] is not None
    assert votes.remove(read[0], read[1]).votes == 1
    assert repository.posts.get(owner, post).activity.votes == {"11": 1}


def test_a_visitors_vote_is_that_of_their_customer(api: Client) -> None:
    at = f"/v1/board/posts/{written(api)}/vote"
    api.post(at, {"session": VISITOR})
    [customer] = api.get("/v1/customers").body["customers"]
    assert api.post(at, {"customerId": customer["id"]}).body["votes"] == 1


def test_an_invalid_vote_is_refused(api: Client) -> None:
    post = written(api)
    at = f"/v1/board/posts/{post}/vote"
    for sent, code in (
        ({"session": VISITOR, "customerId": "cus_1"}, "invalid_request"),
        ({"customerId": "cus_unknown"}, "customer_not_found"),
        ({"customerId": "a#b"}, "customer_not_found"),
    ):
        assert api.post(at, sent).code == code, sent
    assert api.post("/v1/board/posts/post_unknown/vote", {"session": VISITOR}).code == "post_not_found"
    assert api.request("DELETE", f"{at}?session={VISITOR}", {"session": VISITOR}).code == "invalid_request"
    for customer in ("cus_unknown", "a%23b"):
        assert api.delete(f"{at}?customerId={customer}").body["votes"] == 0
    assert api.delete(f"{at}?session={VISITOR}").body["votes"] == 0
    assert whole_table.of_kind("CUS") == []


def test_comments_are_listed_oldest_first_and_counted(
    api: Client, member: Client, organization: NewOrganization
) -> None:
    post = written(api)
    at = f"/v1/board/posts/{post}/comments"
    made = [
        api.post(at, {"body": " One ", "session": VISITOR}).body["id"],
        member.post(at, {"body": "Two"}).body["id"],
        api.post(at, {"body": "Three"}).body["id"],
    ]
    found = shown(api, post)["comments"]
    assert [comment["id"] for comment in found] == made
    assert [comment["body"] for comment in found] == ["One", "Two", "Three"]
    assert [comment["author"]["isTeam"] for comment in found] == [False, True, True]
    assert (found[0]["author"]["name"], found[1]["author"]["name"]) == ("Visitor", "Max Member")
    first = api.get(f"{at}?limit=2").body
    rest = api.get(f"{at}?limit=2&cursor={first['nextCursor']}").body
    assert (first["comments"] + rest["comments"], rest["nextCursor"]) == (found, None)
    assert api.get("/v1/board/posts").body["posts"][0]["commentCount"] == 3
    assert member.delete(f"{at}/{made[0]}").body == {"ok": True}
    assert [comment["id"] for comment in shown(api, post)["comments"]] == made[1:]
    assert api.get("/v1/board/posts").body["posts"][0]["commentCount"] == 2
    require_consistent(organization.organization_id)


def test_an_invalid_comment_is_refused(api: Client) -> None:
    post = written(api)
    at = f"/v1/board/posts/{post}/comments"
    refused = api.post(at, {"body": "Yes", "customerId": "cus_unknown"})
    assert refused.code == "customer_not_found"
    assert api.delete(f"{at}/cmt_unknown").code == "comment_not_found"
    assert api.post("/v1/board/posts/post_unknown/comments", {"body": "Yes"}).code == "post_not_found"
    assert api.get("/v1/board/posts/post_unknown/comments").code == "post_not_found"
    assert api.get(f"{at}?cursor=x").code == "invalid_cursor"
    assert shown(api, post)["comments"] == []
