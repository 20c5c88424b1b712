"""Traces: what a customer has on the board, as items in the customer's partition, for exports and erasures."""

from collections.abc import Sequence

from helpdesk.board.record import BoardTrace, Comment, Post, PostBody, Vote
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Key
from helpdesk.storage.transactions import Transaction

POST, VOTE = "POST", "VOTE"
"""What a trace is of; that of a comment has the comment's id."""

traces = Collection(BoardTrace)


def put_trace(
    transaction: Transaction, organization: str, customer_id: str | None, post_id: str, what: str
) -> None:
    """Record in a customer's partition that something on the board is theirs; nothing for None."""
    if customer_id is not None:
        transaction.put(BoardTrace(organization, customer_id, post_id, what))


def delete_trace(
    transaction: Transaction, organization: str, customer_id: str | None, post_id: str, what: str
) -> None:
    """Remove what `put_trace` recorded."""
    if customer_id is not None:
        transaction.delete(BoardTrace.key_for(organization, customer_id, post_id, what))


def first(organization: str, customer_id: str, limit: int) -> list[BoardTrace]:
    """Return up to `limit` traces of a customer's posts, votes and comments. One read."""
    return traces.page(organization, customer_id, limit=limit, consistent=True).records


def of_traces(traces: Sequence[BoardTrace]) -> dict[BoardTrace, tuple[Post, str] | Comment | Vote]:
    """Return the posts (each with its whole text), votes and comments of traces, without those that are gone."""
    wanted = {trace: _keys_of(trace) for trace in traces}
    items = table.get_many([key for several in wanted.values() for key in several])
    found: dict[BoardTrace, tuple[Post, str] | Comment | Vote] = {}
    for trace, several in wanted.items():
        parts = [items[key] for key in several if key in items]
        if len(parts) < len(several):
            continue
        if trace.what == POST:
            found[trace] = (Post.from_item(parts[0]), PostBody.from_item(parts[1]).body)
        elif trace.what == VOTE:
            found[trace] = Vote.from_item(parts[0])
        else:
            found[trace] = Comment.from_item(parts[0])
    return found


def delete_of_deleted_post(trace: BoardTrace) -> None:
    """Delete a customer's vote or comment, and its trace, if the post is deleted. One call for both."""
    table.delete_many([trace.key, *(_keys_of(trace) if trace.what != POST else ())])


def _keys_of(trace: BoardTrace) -> tuple[Key, ...]:
    """Return the keys of what a trace is of."""
    post = (trace.organization, trace.post_id)
    if trace.what == POST:
        return Post.key_for(*post), PostBody.key_for(*post)
    if trace.what == VOTE:
        return (Vote.key_for(*post, trace.customer_id),)
    return (Comment.key_for(*post, trace.what),)
