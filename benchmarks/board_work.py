"""The feedback board in the benchmarks: posts to list, and the requests that are measured."""

from collections.abc import Callable, Iterator
from typing import Any

from helpdesk.board.record import Activity, Post, PostBody, PostNumber, PostState, excerpt_of
from helpdesk.board.settings import BoardSettings
from helpdesk.platform import ids
from helpdesk.platform.units import DAY_MS
from helpdesk.storage.table import Item
from tests.support.api import Client

_BODY = "When I filter the orders by country, the export still has all of them. " * 6
AT_LEAST = 450
"""More than what is compared for what is trending, so that every size reads as many."""


def posts(organization: str, number: int, at: int) -> Iterator[Item]:
    """Yield the items of posts up to an instant (ms), the newest with a few votes each."""
    for each in range(number):
        created = at - (number - each) * 1_000
        post = Post(
            organization=organization,
            id=f"post_{ids.ulid(created, each)}",
            number=each + 1,
            title=f"Export only what I filter {each:07d}",
            excerpt=excerpt_of(_BODY),
            board_id="ideas",
            status_id="open",
            state=PostState.PUBLIC if each % 2 else PostState.PENDING,
            votes=3,
            comments=1,
            created_at=created,
            updated_at=created,
            customer_id=None,
            author_name="Olga",
            activity=Activity({str(created // DAY_MS): 3}, {str(created // DAY_MS): 1}),
        )
        yield post.to_item()
        yield PostBody(organization, post.id, _BODY).to_item()
        yield PostNumber(organization, str(post.number), post.id).to_item()
    yield {**BoardSettings.key_for(organization).attributes(), "lastNumber": number}


def reads[Asked](api: Client, get: Callable[..., Asked]) -> Iterator[Asked]:
    """Yield a request to every route that reads the board, and to every list."""
    route = "/v1/board/posts"
    yield get("/v1/board")
    lists = (
        "",
        "sort=votes",
        "sort=trending",
        "state=public",
        "state=public&sort=votes",
        "statusId=open",
        "q=orders",
    )
    for values in (*lists, "session=a-visitor-who-votes"):
        yield get(f"{route}{'?' if values else ''}{values}", values=values)
    post = str(api.get(f"{route}?limit=1").body["posts"][0]["id"])
    yield get(f"{route}/<post_id>", f"{route}/{post}")
    yield get(f"{route}/<post_id>/comments", f"{route}/{post}/comments")


def costs[Request](api: Client, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests of the feedback board."""
    route = "/v1/board/posts"
    one = f"{route}/<post_id>"
    visitor = {"session": "a-visitor-who-votes"}
    sent = {"title": "Export only what I filter", "body": _BODY}
    yield to("GET", "/v1/board")
    yield to("PATCH", "/v1/board", {"tags": [{"name": "Export"}]})
    yield to("POST", route, {**sent, **visitor}, shown=f"POST {route}, the first of a session")
    yield to("POST", route, {**sent, **visitor})
    yield to("POST", route, sent, shown=f"POST {route}, by the team")
    for values in ("", "?sort=trending", "?session=a-visitor-who-votes"):
        yield to("GET", f"{route}{values}", route=route, shown=f"GET {route}{values}")
    post = str(api.get(f"{route}?limit=1").body["posts"][0]["id"])
    signal = str(
        api.post("/v1/signals", {"kind": "suggestion", "title": "Export ignores filters"}).body["id"]
    )
    yield to("GET", f"{route}/{post}", route=one)
    yield to("PATCH", f"{route}/{post}", {"statusId": "planned"}, route=one)
    yield to("POST", f"{route}/{post}/signal", {"signalId": signal}, route=f"{one}/signal")
    yield to("POST", f"{route}/{post}/vote", visitor, route=f"{one}/vote")
    yield to("DELETE", f"{route}/{post}/vote", visitor, route=f"{one}/vote")
    yield to("POST", f"{route}/{post}/comments", {"body": "Yes!", **visitor}, route=f"{one}/comments")
    comments: list[dict[str, Any]] = api.get(f"{route}/{post}/comments").body["comments"]
    yield to("GET", f"{route}/{post}/comments", route=f"{one}/comments")
    comment = f"{route}/{post}/comments/{comments[0]['id']}"
    yield to("DELETE", comment, route=f"{one}/comments/<comment_id>")
    yield to("DELETE", f"{route}/{post}", route=one)
