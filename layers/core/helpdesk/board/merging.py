"""Moves an anonymous customer's posts, votes and comments to the customer who signed in."""

from copy import replace

from helpdesk.board import repository, votes
from helpdesk.board.errors import CommentNotFound, PostNotFound
from helpdesk.board.record import BoardTrace, Comment, Post, Vote
from helpdesk.board.repository import AlreadyVoted, NoVote, StalePost
from helpdesk.board.repository import first_traces as first
from helpdesk.customers.merging import Require
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

__all__ = ["first", "give"]


def give(trace: BoardTrace, after_id: str, require: Require) -> None:
    """Give a customer what a trace is of. May be repeated, and at once with itself.

    Two votes of one person for a post become one, which counts as verified from now on. `require` adds to the
    transaction what it requires of the customers. Raises what that makes the transaction raise.
    """
    found = repository.of_traces([trace]).get(trace)
    transaction = Transaction()
    require(transaction)
    try:
        if found is None:
            repository.delete_of_deleted_post(trace)
        elif isinstance(found, Vote):
            _give_vote(transaction, found, after_id)
        elif isinstance(found, Comment):
            repository.change_author(transaction, found, after_id)
            transaction.commit()
        else:
            _give_post(transaction, found[0], after_id)
    except (PostNotFound, CommentNotFound, StalePost, NoVote, ConditionFailed):
        return  # it changed meanwhile: the trace, if there is one, is looked at again


def _give_vote(transaction: Transaction, vote: Vote, after_id: str) -> None:
    verified = replace(vote, voter_id=after_id, is_verified=True)
    repository.delete_vote(transaction, vote)
    repository.put_vote(transaction, verified)
    if not vote.is_verified:
        post = repository.posts.get(vote.organization, vote.post_id)
        repository.save(transaction, post, replace(post, verified_votes=post.verified_votes + 1))
    try:
        transaction.commit()
    except AlreadyVoted:
        post, seen = repository.with_vote(vote.organization, vote.post_id, vote.voter_id)
        if seen is not None:
            votes.remove(post, seen)


def _give_post(transaction: Transaction, post: Post, after_id: str) -> None:
    repository.delete_trace(transaction, post.organization, post.customer_id, post.id, repository.POST)
    repository.put_trace(transaction, post.organization, after_id, post.id, repository.POST)
    repository.save(transaction, post, replace(post, customer_id=after_id))
    transaction.commit()
