"""Items of posts, votes and comments.

A post is written on the condition that its version is the one that was read; a refused write brings the present item
along, so that a retry needs no other read. Votes and comments are items of the post's partition. Those of a customer
leave a trace in the customer's partition, in the same transaction.
"""

from collections.abc import Sequence
from copy import replace

from helpdesk.board.errors import CommentNotFound, PostNotFound
from helpdesk.board.record import Comment, Post, PostList, Vote
from helpdesk.board.state import PostState
from helpdesk.board.trace_repository import POST, VOTE, delete_trace, put_trace
from helpdesk.storage import keys, table
from helpdesk.storage.keys import BoardTrace, ItemKey
from helpdesk.storage.table import EXISTS, ConditionFailed, Filter, Index, Item
from helpdesk.storage.transactions import Transaction

_COMMENTS, _SIGNAL_POSTS = "COMMENT#", "POST#"


class StalePost(ConditionFailed):
    """The post has changed since it was read."""

    def post(self, organization: str) -> Post:
        """Return the post as it is now. Raises PostNotFound."""
        if self.item is None:
            raise PostNotFound
        return Post.from_item(organization, self.item)


class AlreadyVoted(ConditionFailed):
    """The voter's vote counts already."""


class NoVote(ConditionFailed):
    """The voter has no vote that counts."""


def get(organization: str, post_id: str) -> Post:
    """Return a post. Raises PostNotFound."""
    item = table.get(keys.Post(organization, post_id))
    if item is None:
        raise PostNotFound
    return Post.from_item(organization, item)


def numbered(organization: str, number: str, seen: Item | None = None) -> str:
    """Return the id of the post with a number, without a read if its item was `seen`. Raises PostNotFound."""
    item = seen or table.get(keys.PostNumber(organization, number))
    if item is None:
        raise PostNotFound
    return str(item["postId"])


def ids_of_numbers(organization: str, numbers: Sequence[int]) -> list[str]:
    """Return the ids of the posts that have these numbers. One call for up to 100."""
    found = table.get_many([keys.PostNumber(organization, str(number)) for number in numbers])
    return [str(item["postId"]) for item in found.values()]


def with_body(organization: str, post_id: str) -> tuple[Post, str]:
    """Return a post with its whole text. One batch read. Raises PostNotFound."""
    post, body = keys.Post(organization, post_id), keys.PostBody(organization, post_id)
    found = table.get_many([post, body])
    if found.keys() != {post, body}:
        raise PostNotFound
    return Post.from_item(organization, found[post]), found[body]["body"]


def with_comments(organization: str, post_id: str, limit: int) -> tuple[Post, str, list[Comment]]:
    """Return a post with its whole text and its first comments. One query, three calls if they exceed 1 MB.

    Raises PostNotFound. The text, the comments and the post follow each other in the partition, before the votes.
    """
    found = table.query(
        keys.Post(organization, post_id).pk, sk_between=("BODY", POST), limit=limit + 2, consistent=True
    )
    items = {item["SK"]: item for item in found.items}
    if POST not in items or "BODY" not in items:
        first = comments(organization, post_id, limit)[0]
        return *with_body(organization, post_id), first
    listed = [Comment.from_item(item) for name, item in items.items() if name.startswith(_COMMENTS)]
    return Post.from_item(organization, items[POST]), items["BODY"]["body"], listed


def with_vote(organization: str, post_id: str, voter_id: str) -> tuple[Post, Vote | None]:
    """Return a post and the vote of a voter for it, if there is one. One batch read. Raises PostNotFound."""
    post, vote = keys.Post(organization, post_id), keys.PostVote(organization, post_id, voter_id)
    found = table.get_many([post, vote])
    if post not in found:
        raise PostNotFound
    return Post.from_item(organization, found[post]), Vote.from_item(found[vote]) if vote in found else None


def with_comment(organization: str, post_id: str, comment_id: str) -> tuple[Post, Comment]:
    """Return a post and a comment on it. One batch read. Raises PostNotFound, CommentNotFound."""
    post, comment = keys.Post(organization, post_id), keys.PostComment(organization, post_id, comment_id)
    found = table.get_many([post, comment])
    if post not in found:
        raise PostNotFound
    if comment not in found:
        raise CommentNotFound
    return Post.from_item(organization, found[post]), Comment.from_item(found[comment])


def get_many(organization: str, post_ids: Sequence[str]) -> dict[str, Post]:
    """Return posts by id, without those that are gone. One call per hundred."""
    wanted = [keys.Post(organization, each) for each in dict.fromkeys(post_ids)]
    found = table.get_many(wanted).values() if wanted else ()
    return {item["id"]: Post.from_item(organization, item) for item in found}


def voted(organization: str, post_ids: Sequence[str], voter_id: str) -> set[str]:
    """Return the posts that a voter voted for, out of those given. One call per hundred."""
    wanted = [keys.PostVote(organization, each, voter_id) for each in dict.fromkeys(post_ids)]
    found = table.get_many(wanted, consistent=False).values() if wanted else ()
    return {item["postId"] for item in found}


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
    partition = keys.posts(organization, board_id, post_list.value)
    after: Item | None = None
    if before is not None:
        key = keys.Post(organization, before.rpartition("#")[2])
        after = {**key.attributes(), f"{index}PK": partition, f"{index}SK": before}
    found = table.query(
        partition, index=index, limit=limit, newest_first=True, after=after, matching=matching
    )
    end = None if found.after is None else str(found.after[f"{index}SK"])
    return [Post.from_item(organization, item) for item in found.items], end


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
    transaction.put(post.to_item(), new=True)
    put_body(transaction, post, body)
    number = keys.PostNumber(post.organization, str(post.number))
    transaction.put({**number.attributes(), "postId": post.id}, new=True)
    put_trace(transaction, post.organization, post.customer_id, post.id, POST)


def put_body(transaction: Transaction, post: Post, body: str) -> None:
    """Write the whole text of a post."""
    transaction.put({**keys.PostBody(post.organization, post.id).attributes(), "body": body})


def save(transaction: Transaction, seen: Post, changed: Post) -> None:
    """Write a post over the one that was read. The transaction raises StalePost if it has changed since."""
    before = seen.to_item()
    written = replace(changed, version=seen.version + 1).to_item()
    values = {name: value for name, value in written.items() if value != before[name]}
    transaction.set(
        seen.key, values, condition="#version = :seen", values={":seen": seen.version}, on_failure=StalePost
    )


def remove(transaction: Transaction, seen: Post) -> None:
    """Delete a post with its text, number, trace and place under a signal. Its votes and comments stay.

    The transaction raises StalePost if it has changed since it was read.
    """
    transaction.delete(
        seen.key,
        condition="#version = :seen",
        names={"#version": "version"},
        values={":seen": seen.version},
        on_failure=StalePost,
    )
    transaction.delete(keys.PostBody(seen.organization, seen.id))
    transaction.delete(keys.PostNumber(seen.organization, str(seen.number)))
    delete_trace(transaction, seen.organization, seen.customer_id, seen.id, POST)
    if seen.signal_id is not None:
        transaction.delete(keys.SignalPost(seen.organization, seen.signal_id, seen.id))


def file_under(transaction: Transaction, post: Post, signal_id: str | None) -> None:
    """Note under which signal a post is filed, in place of the signal that it is filed under."""
    if post.signal_id is not None:
        transaction.delete(keys.SignalPost(post.organization, post.signal_id, post.id))
    if signal_id is not None:
        key = keys.SignalPost(post.organization, signal_id, post.id)
        transaction.put({**key.attributes(), "postId": post.id})


def filed_under(organization: str, signal_id: str, limit: int, after: str | None = None) -> list[str]:
    """Return the ids of up to `limit` posts under a signal, oldest first, those after an id. One query."""
    partition = keys.SignalPost(organization, signal_id, "-").pk
    start = None if after is None else keys.SignalPost(organization, signal_id, after).attributes()
    found = table.query(partition, sk_prefix=_SIGNAL_POSTS, limit=limit, after=start, consistent=True)
    return [str(item["postId"]) for item in found.items]


def put_vote(transaction: Transaction, organization: str, vote: Vote) -> None:
    """Add a vote with its trace. The transaction raises AlreadyVoted."""
    transaction.put(vote.to_item(organization), new=True, on_failure=AlreadyVoted)
    put_trace(transaction, organization, vote.voter_id if vote.is_customer else None, vote.post_id, VOTE)


def delete_vote(transaction: Transaction, organization: str, vote: Vote) -> None:
    """Delete a vote with its trace. The transaction raises NoVote if it is gone, or another one has followed."""
    transaction.delete(
        keys.PostVote(organization, vote.post_id, vote.voter_id),
        condition="#at = :at",
        names={"#at": "at"},
        values={":at": vote.at},
        on_failure=NoVote,
    )
    delete_trace(transaction, organization, vote.voter_id if vote.is_customer else None, vote.post_id, VOTE)


def put_comment(transaction: Transaction, organization: str, comment: Comment) -> None:
    """Add a comment with its trace."""
    transaction.put(comment.to_item(organization), new=True)
    put_trace(transaction, organization, comment.customer_id, comment.post_id, comment.id)


def delete_comment(transaction: Transaction, organization: str, comment: Comment) -> None:
    """Delete a comment with its trace. The transaction raises CommentNotFound if it is gone."""
    transaction.delete(
        keys.PostComment(organization, comment.post_id, comment.id),
        condition=EXISTS,
        on_failure=lambda _: CommentNotFound(),
    )
    delete_trace(transaction, organization, comment.customer_id, comment.post_id, comment.id)


def change_author(transaction: Transaction, organization: str, seen: Comment, customer_id: str) -> None:
    """Write that a comment is another customer's, with its trace. The transaction raises CommentNotFound."""
    transaction.update(
        keys.PostComment(organization, seen.post_id, seen.id),
        "SET customerId = :after",
        condition="customerId = :before",
        values={":after": customer_id, ":before": seen.customer_id},
        on_failure=lambda _: CommentNotFound(),
    )
    delete_trace(transaction, organization, seen.customer_id, seen.post_id, seen.id)
    put_trace(transaction, organization, customer_id, seen.post_id, seen.id)


def comments(
    organization: str, post_id: str, limit: int, after: str | None = None
) -> tuple[list[Comment], str | None]:
    """Return comments after a comment's id, oldest first, and the id to continue from (None at the end).

    One query for each megabyte.
    """
    partition = keys.Post(organization, post_id).pk
    found: list[Comment] = []
    start: Item | None = (
        None if after is None else keys.PostComment(organization, post_id, after).attributes()
    )
    while True:
        part = table.query(
            partition, sk_prefix=_COMMENTS, limit=limit - len(found), after=start, consistent=True
        )
        found += map(Comment.from_item, part.items)
        start = part.after
        if start is None or len(found) >= limit:
            return found, found[-1].id if found and start is not None else None


def delete_leftovers(organization: str, post_id: str, limit: int) -> bool:
    """Delete up to `limit` votes and comments of a deleted post; return whether there may be more.

    The traces go first, so that an interruption leaves no trace of what is gone.
    """
    found = table.query(keys.Post(organization, post_id).pk, limit=limit, consistent=True)
    rows: list[ItemKey] = []
    marks: list[ItemKey] = []
    for item in found.items:
        if vote := keys.PostVote.parse(item["PK"], item["SK"]):
            rows.append(vote)
            if item["isCustomer"]:
                marks.append(BoardTrace(organization, vote.voter_id, post_id, VOTE))
        elif comment := keys.PostComment.parse(item["PK"], item["SK"]):
            rows.append(comment)
            if item["customerId"] is not None:
                marks.append(BoardTrace(organization, item["customerId"], post_id, comment.comment_id))
    table.delete_many(marks)
    table.delete_many(rows)
    return bool(rows) and found.after is not None
