"""Posts of the feedback board, and what must hold for them after any change."""

from collections import Counter
from typing import Any

from helpdesk.board import settings_repository
from helpdesk.board.record import Comment, Post, Vote
from helpdesk.board.settings import tally
from helpdesk.signals import filing
from helpdesk.signals.kinds import SignalKind, SignalStatus
from helpdesk.signals.schemas import SignalInput, SignalUpdate
from helpdesk.storage.actor_name import ActorName
from tests.support import table as whole_table
from tests.support.api import Client

VISITOR = "session-of-vera"


def written(api: Client, title: str = "Dark theme", **sent: Any) -> str:
    """Write a post; return its id."""
    answer = api.post("/v1/board/posts", {"title": title, "body": "My eyes hurt at night.", **sent})
    assert answer.status == 200, answer
    return str(answer.body["id"])


def shown(api: Client, post_id: str) -> Any:
    """Return a post."""
    answer = api.get(f"/v1/board/posts/{post_id}")
    assert answer.status == 200, answer
    return answer.body


def listed(api: Client, parameters: str = "") -> list[str]:
    """Return the titles of the posts in a list, on all pages of two."""
    titles: list[str] = []
    cursor = ""
    while True:
        answer = api.get(f"/v1/board/posts?limit=2&{parameters}{cursor}")
        assert answer.status == 200, answer
        titles += [post["title"] for post in answer.body["posts"]]
        if answer.body["nextCursor"] is None:
            return titles
        cursor = f"&cursor={answer.body['nextCursor']}"


def filed_signal(organization: str, title: str = "No dark theme") -> str:
    """File a signal; return its id."""
    sent = SignalInput(kind=SignalKind.SUGGESTION, title=title, body="Wanted")
    return filing.file(organization, ActorName("Olga"), sent).id


def set_status(organization: str, signal_id: str, status: SignalStatus) -> None:
    """Change a signal's status."""
    filing.update(organization, ActorName("Olga"), signal_id, SignalUpdate(status=status))


def require_consistent(organization: str) -> None:
    """Fail unless all counts equal the rows, and each row of a customer has its trace, and no other trace is there."""
    items = [item for item in whole_table.everything() if item["PK"].startswith(f"ORG#{organization}#")]
    posts = {item["PK"]: Post.from_item(item) for item in items if item["SK"] == "POST"}
    votes = Counter(item["PK"] for item in items if item["SK"].startswith("VOTE#"))
    comments = Counter(
        item["PK"] for item in items if item["SK"].startswith("COMMENT#") and "#POST#" in item["PK"]
    )
    verified = Counter(item["PK"] for item in items if item["SK"].startswith("VOTE#") and item["isVerified"])
    assert votes == Counter({key: post.votes for key, post in posts.items() if post.votes})
    assert verified == Counter(
        {key: post.verified_votes for key, post in posts.items() if post.verified_votes}
    )
    assert comments == Counter({key: post.comments for key, post in posts.items() if post.comments})
    counted = Counter[str]()
    for post in posts.values():
        counted.update(tally(post))
        assert sum(post.activity.votes.values()) == post.votes
        assert sum(post.activity.comments.values()) == post.comments
    settings = settings_repository.get(organization)
    assert {name: number for name, number in settings.counts.items() if number} == dict(counted)
    assert {post.status_id for post in posts.values()} <= {each.id for each in settings.statuses}
    assert {post.board_id for post in posts.values()} <= {each.id for each in settings.boards}
    assert {tag for post in posts.values() for tag in post.tag_ids} <= {each.id for each in settings.tags}
    bodies = {item["PK"] for item in items if item["SK"] == "BODY"}
    assert bodies == posts.keys()
    _require_traces(items, posts)


def _require_traces(items: list[dict[str, Any]], posts: dict[str, Post]) -> None:
    expected = {(post.customer_id, f"BOARD#{post.id}#POST") for post in posts.values() if post.customer_id}
    for item in items:
        if item["SK"].startswith("VOTE#") and item["isCustomer"]:
            vote = Vote.from_item(item)
            expected.add((vote.voter_id, f"BOARD#{vote.post_id}#VOTE"))
        if item["SK"].startswith("COMMENT#") and item.get("customerId") and "#POST#" in item["PK"]:
            comment = Comment.from_item(item)
            expected.add((item["customerId"], f"BOARD#{comment.post_id}#{comment.id}"))
    traces = {
        (item["PK"].rpartition("#")[2], item["SK"]) for item in items if item["SK"].startswith("BOARD#")
    }
    assert traces == expected
    customers = {item["PK"].rpartition("#")[2] for item in items if item["SK"] == "CUS"}
    assert {customer for customer, _ in traces} <= customers
    filed = {
        (item["PK"].rpartition("#")[2], item["SK"].removeprefix("POST#"))
        for item in items
        if item["SK"].startswith("POST#")
    }
    assert filed == {(post.signal_id, post.id) for post in posts.values() if post.signal_id}
    numbers = {int(item["PK"].rpartition("#")[2]) for item in items if item["SK"] == "POSTNUMBER"}
    assert numbers == {post.number for post in posts.values()}
