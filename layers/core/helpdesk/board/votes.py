"""Votes: one of each customer and teammate for a post, and one of the organization's keys."""

from helpdesk.api.admission.caller import Caller
from helpdesk.board import participants, repository
from helpdesk.board.participants import Participant
from helpdesk.board.record import Post, Vote
from helpdesk.board.repository import AlreadyVoted, NoVote, StalePost
from helpdesk.board.schemas import VoteAnswer, VoterInput, VoterQuery
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import ExtraWrites, Transaction


def add(caller: Caller, post_id: str, voter: VoterInput) -> VoteAnswer:
    """Vote for a post. A vote that counts already counts once.

    Raises PostNotFound, InvalidRequest, InvalidSession, CustomerNotFound.
    """
    return participants.retried(
        lambda: participants.find(caller, voter, named=False),
        lambda found: _add(found, post_id),
        by_session=voter.session is not None,
    )


def withdraw(caller: Caller, post_id: str, sent: VoterInput, query: VoterQuery) -> VoteAnswer:
    """Withdraw a vote; without one, nothing changes. Raises PostNotFound, InvalidRequest, InvalidSession."""
    voters = [each for each in (sent, query) if each.session is not None or each.customer_id is not None]
    if len(voters) > 1:
        raise InvalidRequest("Send the voter either in the body or as query parameters, not both.")
    try:
        found = participants.find(caller, voters[0] if voters else sent, named=False)
    except CustomerNotFound:  # no customer has such an id, so none has a vote
        return VoteAnswer(
            ok=True, voted=False, votes=repository.posts.get(caller.organization, post_id).votes
        )
    post, vote = repository.with_vote(caller.organization, post_id, found.voter_id)
    # A teammate's id as `customerId` names no customer: only the teammate withdraws their vote.
    if vote is not None and vote.is_customer == (found.customer_id is not None):
        post = remove(post, vote)
    return VoteAnswer(ok=True, voted=False, votes=post.votes)


def remove(post: Post, vote: Vote, extra_writes: ExtraWrites = lambda _: None) -> Post:
    """Delete a vote, with `extra_writes` in the same transaction; return the post without it. Raises PostNotFound."""

    def attempt() -> Post:
        nonlocal post
        changed = post.without_vote(vote)
        transaction = Transaction()
        extra_writes(transaction)
        repository.delete_vote(transaction, vote)
        repository.save(transaction, post, changed)
        try:
            transaction.commit()
        except NoVote:  # another request withdrew it; a vote that followed stays
            return repository.posts.get(post.organization, post.id)
        except StalePost as stale:
            post = stale.post
            raise
        return changed

    return repeat_when_stale(attempt, StalePost)


def _add(voter: Participant, post_id: str) -> VoteAnswer:
    post = repository.posts.get(voter.organization, post_id)

    def attempt() -> VoteAnswer:
        nonlocal post
        vote = Vote(
            voter.organization,
            post_id,
            voter.voter_id,
            voter.customer_id is not None,
            clock.now_ms(),
            voter.is_verified,
        )
        changed = post.with_vote(vote)
        transaction = Transaction()
        voter.add_to(transaction)
        repository.put_vote(transaction, vote)
        repository.save(transaction, post, changed)
        try:
            transaction.commit()
        except AlreadyVoted:
            return VoteAnswer(ok=True, voted=True, votes=post.votes)
        except StalePost as stale:
            post = stale.post
            raise
        return VoteAnswer(ok=True, voted=True, votes=changed.votes)

    return repeat_when_stale(attempt, StalePost)
