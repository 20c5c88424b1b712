"""Erasure of what a customer has on the feedback board.

Their posts are deleted with all votes and comments, their comments and votes with the counts. A customer who is being
erased adds nothing, because each write requires them. So once no trace is left, nothing of theirs is.
"""

from collections.abc import Callable

from helpdesk.board import comments, repository, service, votes
from helpdesk.board.errors import CommentNotFound, PostNotFound
from helpdesk.board.record import BoardTrace
from helpdesk.board.repository import first_traces as first
from helpdesk.storage.transactions import Transaction

__all__ = ["Count", "erase", "first", "is_there"]

type Count = Callable[[Transaction, str], None]
"""Adds to a transaction that one of a kind is erased: `posts`, `votes` or `comments`."""


def is_there(organization: str, customer_id: str) -> bool:
    """Return whether a customer has posts, votes or comments. One read."""
    return bool(first(organization, customer_id, 1))


def erase(organization: str, trace: BoardTrace, count: Count) -> None:
    """Delete what a trace is of. May be repeated, and at once with itself."""
    post_id = trace.post_id
    try:
        if trace.what == repository.POST:
            service.delete(organization, post_id, lambda each: count(each, "posts"))
        elif trace.what == repository.VOTE:
            post, vote = repository.with_vote(organization, post_id, trace.customer_id)
            if vote is None:
                repository.delete_of_deleted_post(trace)
            else:
                votes.remove(post, vote, lambda each: count(each, "votes"))
        else:
            found, comment = repository.with_comment(organization, post_id, trace.what)
            comments.remove(found, comment, lambda each: count(each, "comments"))
    except (PostNotFound, CommentNotFound):
        # The post was deleted, and its votes and comments are being deleted.
        repository.delete_of_deleted_post(trace)
