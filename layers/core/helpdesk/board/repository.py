"""Items of posts, votes and comments, and of the traces that lead from a customer to them.

A post is written on the condition that its version is the one that was read; a refused write brings the present item
along, so that a retry needs no other read. Votes and comments are items of the post's partition. Those of a customer
leave a trace in the customer's partition, in the same transaction, for exports and erasures.
"""

from collections.abc import Sequence

from helpdesk.board.errors import CommentNotFound, PostNotFound
from helpdesk.board.record import (
    BoardTrace,
    Comment,
    Post,
    PostBody,
    PostList,
    PostNumber,
    PostState,
    SignalPost,
    Vote,
)
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Key
from helpdesk.storage.table import ConditionFailed, Filter, Index, Item
from helpdesk.storage.transactions import Transaction

POST, VOTE = "POST", "VOTE"
"""What a trace is of; that of a comment has the comment's id."""

posts = Collection(Post, missing=PostNotFound)
_numbers = Collection(PostNumber, missing=PostNotFound)
_comments = Collection(Comment)
traces = Collection(BoardTrace)


class StalePost(ConditionFailed):
    """The post has changed since it was read."""

    @property
    def post(self) -> Post:
        """The post as it is now. Raises PostNotFound."""
        if self.item is None:
            raise PostNotFound
        return Post.from_item(self.item)


class AlreadyVoted(ConditionFailed):
    """The voter's vote counts already."""


class NoVote(ConditionFailed):
    """The voter has no vote that counts."""


def numbered(organization: str, number: str, seen: Item | None = None) -> str:
    """Return the id of the post with a number, without a read if its item was `seen`. Raises PostNotFound."""
    found = _numbers.get(organization, number) if seen is None else PostNumber.from_item(seen)
    return found.post_id


def ids_of_numbers(organization: str, numbers: Sequence[int]) -> list[str]:
    """Return the ids of the posts that have these numbers. One call for up to 100."""
    return [each.post_id for each in _numbers.by_ids(organization, ids=map(str, numbers)).values()]


def with_body(organization: str, post_id: str) -> tuple[Post, str]:
    """Return a post with its whole text. One batch read. Raises PostNotFound."""
    post, body = Post.key_for(organization, post_id), PostBody.key_for(organization, post_id)
    found = table.get_many([post, body])
    if found.keys() != {post, body}:
        raise PostNotFound
    return Post.from_item(found[post]), PostBody.from_item(found[body]).body


def with_comments(organization: str, post_id: str, limit: int) -> tuple[Post, str, list[Comment]]:
    """Return a post with its whole text and its first comments. One query, three calls if they exceed 1 MB.

    Raises PostNotFound. The text, the comments and the post follow each other in the partition, before the votes.
    """
    found = table.query(
        Post.partition_for(organization, post_id),
        sk_between=(PostBody.SK, Post.SK),
        limit=limit + 2,
        consistent=True,
    )
    items = {item["SK"]: item for item in found.items}
    if Post.SK not in items or PostBody.SK not in items:
        first = comments(organization, post_id, limit)[0]
        return *with_body(organization, post_id), first
    listed = [Comment.from_item(item) for name, item in items.items() if name.startswith(Comment.sk_prefix())]
    return Post.from_item(items[Post.SK]), PostBody.from_item(items[PostBody.SK]).body, listed


def with_vote(organization: str, post_id: str, voter_id: str) -> tuple[Post, Vote | None]:
    """Return a post and the vote of a voter for it, if there is one. One batch read. Raises PostNotFound."""
    post, vote = Post.key_for(organization, post_id), Vote.key_for(organization, post_id, voter_id)
    found = table.get_many([post, vote])
    if post not in found:
        raise PostNotFound
    return Post.from_item(found[post]), Vote.from_item(found[vote]) if vote in found else None


def with_comment(organization: str, post_id: str, comment_id: str) -> tuple[Post, Comment]:
    """Return a post and a comment on it. One batch read. Raises PostNotFound, CommentNotFound."""
    post, comment = Post.key_for(organization, post_id), Comment.key_for(organization, post_id, comment_id)
    found = table.get_many([post, comment])
    if post not in found:
        raise PostNotFound
    if comment not in found:
        raise CommentNotFound
    return Post.from_item(found[post]), Comment.from_item(found[comment])


def voted(organization: str, post_ids: Sequence[str], voter_id: str) -> set[str]:
    """Return the posts that a voter voted for, out of those given. One call per hundred."""
    wanted = [Vote.key_for(organization, each, voter_id) for each in dict.fromkeys(post_ids)]
    return {Vote.from_item(item).post_id for item in table.get_many(wanted, consistent=False).values()}


def page(
    organization: str,
    board_id: str,
    post_list: PostList,
    index: Index,
    limit: int,
    before: str | None,
    matching: Filter | None,
) -> tuple[list[Post], str | None]:
    """Return posts of one list before a place in an index, the last place first, and the place to continue from.

    The place is None at the end. One query, which reads up to `limit` posts; with `matching` it returns some of them.
    """
    scope = (organization, board_id, post_list.value)
    after: Item | None = None
    if before is not None:
        after = Post.key_for(organization, before.rpartition("#")[2]).attributes() | {f"{index}SK": before}
    found = posts.page(*scope, index=index, limit=limit, newest_first=True, after=after, matching=matching)
    return found.records, None if found.after is None else str(found.after[f"{index}SK"])


def matching(*, status_id: str | None, tag_id: str | None, state: PostState | None) -> Filter | None:
    """Return the filter of a query for posts with a status, a tag and a state, as far as given; None without any."""
    wanted = {
        "#statusId = :statusId": ("statusId", status_id),
        "contains(#tagIds, :tagIds)": ("tagIds", tag_id),
        "#state = :state": ("state", None if state is None else state.value),
    }
    sent = {condition: pair for condition, pair in wanted.items() if pair[1] is not None}
    if not sent:
        return None
    return Filter(
        " AND ".join(sent),
        {f"#{name}": name for name, _ in sent.values()},
        {f":{name}": value for name, value in sent.values()},
    )


def put(transaction: Transaction, post: Post, body: str) -> None:
    """Add a post with its text, its number and its trace."""
    transaction.put(post, new=True)
    put_body(transaction, post, body)
    transaction.put(PostNumber(post.organization, str(post.number), post.id), new=True)
    put_trace(transaction, post.organization, post.customer_id, post.id, POST)


def put_body(transaction: Transaction, post: Post, body: str) -> None:
    """Write the whole text of a post."""
    transaction.put(PostBody(post.organization, post.id, body))


def save(transaction: Transaction, seen: Post, changed: Post) -> None:
    """Write a post over the one that was read. The transaction raises StalePost if it has changed since."""
    transaction.save(seen, changed, on_failure=StalePost)


def remove(transaction: Transaction, seen: Post) -> None:
    """Delete a post with its text, number, trace and place under a signal. Its votes and comments stay.

    The transaction raises StalePost if it has changed since it was read.
    """
    transaction.delete(seen.key, require={"version": seen.version}, on_failure=StalePost)
    transaction.delete(PostBody.key_for(seen.organization, seen.id))
    transaction.delete(PostNumber.key_for(seen.organization, str(seen.number)))
    delete_trace(transaction, seen.organization, seen.customer_id, seen.id, POST)
    if seen.signal_id is not None:
        transaction.delete(SignalPost.key_for(seen.organization, seen.signal_id, seen.id))


def file_under(transaction: Transaction, post: Post, signal_id: str | None) -> None:
    """Record under which signal a post is filed, in place of the signal that it is filed under."""
    if post.signal_id is not None:
        transaction.delete(SignalPost.key_for(post.organization, post.signal_id, post.id))
    if signal_id is not None:
        transaction.put(SignalPost(post.organization, signal_id, post.id))


def filed_under(organization: str, signal_id: str, limit: int, after: str | None = None) -> list[str]:
    """Return the ids of up to `limit` posts under a signal, oldest first, those after an id. One query."""
    start = None if after is None else SignalPost.key_for(organization, signal_id, after).attributes()
    filed = Collection(SignalPost).page(organization, signal_id, limit=limit, after=start, consistent=True)
    return [each.post_id for each in filed.records]


def put_vote(transaction: Transaction, vote: Vote) -> None:
    """Add a vote with its trace. The transaction raises AlreadyVoted."""
    transaction.put(vote, new=True, on_failure=AlreadyVoted)
    put_trace(transaction, vote.organization, vote.voter_id if vote.is_customer else None, vote.post_id, VOTE)


def delete_vote(transaction: Transaction, vote: Vote) -> None:
    """Delete a vote with its trace. The transaction raises NoVote if it is gone, or another one has followed."""
    transaction.delete(vote.key, require={"at": vote.at}, on_failure=NoVote)
    delete_trace(
        transaction, vote.organization, vote.voter_id if vote.is_customer else None, vote.post_id, VOTE
    )


def put_comment(transaction: Transaction, comment: Comment) -> None:
    """Add a comment with its trace."""
    transaction.put(comment, new=True)
    put_trace(transaction, comment.organization, comment.customer_id, comment.post_id, comment.id)


def delete_comment(transaction: Transaction, comment: Comment) -> None:
    """Delete a comment with its trace. The transaction raises CommentNotFound if it is gone."""
    transaction.delete(comment.key, require={}, on_failure=CommentNotFound())
    delete_trace(transaction, comment.organization, comment.customer_id, comment.post_id, comment.id)


def change_author(transaction: Transaction, seen: Comment, customer_id: str) -> None:
    """Write that a comment is another customer's, with its trace. The transaction raises CommentNotFound."""
    transaction.change(
        seen.key,
        set={"customer_id": customer_id},
        require={"customer_id": seen.customer_id},
        on_failure=CommentNotFound(),
    )
    delete_trace(transaction, seen.organization, seen.customer_id, seen.post_id, seen.id)
    put_trace(transaction, seen.organization, customer_id, seen.post_id, seen.id)


def comments(
    organization: str, post_id: str, limit: int, after: str | None = None
) -> tuple[list[Comment], str | None]:
    """Return comments after a comment's id, oldest first, and the id to continue from (None at the end).

    One query for each megabyte.
    """
    found: list[Comment] = []
    start = None if after is None else Comment.key_for(organization, post_id, after).attributes()
    while True:
        part, start = _comments.page(
            organization, post_id, limit=limit - len(found), after=start, consistent=True
        )
        found += part
        if start is None or len(found) >= limit:
            return found, found[-1].id if found and start is not None else None


def delete_leftovers(organization: str, post_id: str, limit: int) -> bool:
    """Delete up to `limit` votes and comments of a deleted post; return whether there may be more.

    The traces go first, so that an interruption leaves no trace of what is gone.
    """
    found = table.query(Post.partition_for(organization, post_id), limit=limit, consistent=True)
    rows: list[Key] = []
    traces: list[Key] = []
    for item in found.items:
        if Vote.parse(item["PK"], item["SK"]):
            vote = Vote.from_item(item)
            rows.append(vote.key)
            if vote.is_customer:
                traces.append(BoardTrace.key_for(organization, vote.voter_id, post_id, VOTE))
        elif Comment.parse(item["PK"], item["SK"]):
            comment = Comment.from_item(item)
            rows.append(comment.key)
            if comment.customer_id is not None:
                traces.append(BoardTrace.key_for(organization, comment.customer_id, post_id, comment.id))
    table.delete_many(traces)
    table.delete_many(rows)
    return bool(rows) and found.after is not None


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


def first_traces(organization: str, customer_id: str, limit: int) -> list[BoardTrace]:
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
