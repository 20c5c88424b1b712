"""Traces: what a customer has on the board, as items in the customer's partition, for exports and erasures."""

from collections.abc import Sequence

from helpdesk.board.record import Comment, Post, Vote
from helpdesk.storage import keys, table
from helpdesk.storage.keys import BoardTrace, ItemKey
from helpdesk.storage.transactions import Transaction

POST, VOTE = "POST", "VOTE"
"""What a trace is of; that of a comment has the comment's id."""

_TRACES = "BOARD#"


def put_trace(
    transaction: Transaction, organization: str, customer_id: str | None, post_id: str, what: str
) -> None:
    """Note in a customer's partition that something on the board is theirs; nothing for None."""
    if customer_id is not None:
        key = BoardTrace(organization, customer_id, post_id, what)
        transaction.put({**key.attributes(), "postId": post_id, "what": what})


def delete_trace(
    transaction: Transaction, organization: str, customer_id: str | None, post_id: str, what: str
) -> None:
    """Remove what `put_trace` noted."""
    if customer_id is not None:
        transaction.delete(BoardTrace(organization, customer_id, post_id, what))


def traces(
    organization: str, customer_id: str, limit: int, after: BoardTrace | None = None
) -> tuple[list[BoardTrace], bool]:
    """Return what a customer has on the board after a trace, and whether there is more. One consistent query."""
    found = table.query(
        keys.Customer(organization, customer_id).pk,
        sk_prefix=_TRACES,
        limit=limit,
        after=None if after is None else after.attributes(),
        consistent=True,
    )
    parts = [BoardTrace(organization, customer_id, item["postId"], item["what"]) for item in found.items]
    return parts, found.after is not None


def of_traces(
    organization: str, traces: Sequence[BoardTrace]
) -> dict[BoardTrace, tuple[Post, str] | Comment | Vote]:
    """Return the posts (each with its whole text), votes and comments of traces, without those that are gone."""
    wanted: dict[BoardTrace, tuple[ItemKey, ...]] = {}
    for trace in traces:
        post_id = trace.post_id
        if trace.what == POST:
            wanted[trace] = (keys.Post(organization, post_id), keys.PostBody(organization, post_id))
        elif trace.what == VOTE:
            wanted[trace] = (keys.PostVote(organization, post_id, trace.customer_id),)
        else:
            wanted[trace] = (keys.PostComment(organization, post_id, trace.what),)
    items = table.get_many([key for several in wanted.values() for key in several]) if wanted else {}
    found: dict[BoardTrace, tuple[Post, str] | Comment | Vote] = {}
    for trace, several in wanted.items():
        parts = [items[key] for key in several if key in items]
        if len(parts) < len(several):
            continue
        if trace.what == POST:
            found[trace] = (Post.from_item(organization, parts[0]), parts[1]["body"])
        elif trace.what == VOTE:
            found[trace] = Vote.from_item(parts[0])
        else:
            found[trace] = Comment.from_item(parts[0])
    return found


def delete_traces(traces: Sequence[BoardTrace]) -> None:
    """Remove traces of what is gone."""
    table.delete_many(traces)


def delete_of_deleted_post(organization: str, trace: BoardTrace) -> None:
    """Delete a customer's vote or comment, and its trace, if the post is deleted. One call for both."""
    if trace.what == VOTE:
        table.delete_many([trace, keys.PostVote(organization, trace.post_id, trace.customer_id)])
    elif trace.what == POST:
        table.delete_many([trace])
    else:
        table.delete_many([trace, keys.PostComment(organization, trace.post_id, trace.what)])
