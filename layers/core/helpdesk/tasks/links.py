"""Commits and pull requests that are linked to cards.

A link is a row of its own, put new in the transaction that counts it, so that the count always equals the rows.
"""

from collections.abc import Sequence
from copy import replace

from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks import repository
from helpdesk.tasks.record import LinkedCommit, LinkedPullRequest, Task
from helpdesk.tasks.schemas import PullRequestState

__all__ = ["LinkedCommit", "LinkedPullRequest"]  # and everything below

type Identity = tuple[str, str, int]


class News(Record):
    """What a report holds that a card did not have, and how many of it are new rows."""

    identities: frozenset[Identity]
    commits: int
    pull_requests: int


def identity(what: LinkedCommit | LinkedPullRequest) -> Identity:
    """Return what makes a commit or a pull request the same in two reports."""
    if isinstance(what, LinkedCommit):
        return "commit", what.sha, 0
    return "pull request", what.repo, what.number


def add(transaction: Transaction, card: Task, reported: Sequence[LinkedCommit | LinkedPullRequest]) -> News:
    """Add the links that a card does not have, or has in another state, and return what is new. One batch read.

    A commit that was linked is news once, when it reaches the default branch; a pull request with each new state that
    is no older than the one that is known; `merged` is the last. The transaction raises
    StaleTask if another report adds the same. The caller counts the links.
    """
    commits = [each for each in reported if isinstance(each, LinkedCommit)]
    pulls = [each for each in reported if isinstance(each, LinkedPullRequest)]
    known_commits, known_pulls = repository.known(card, commits, pulls)
    identities: set[Identity] = set()
    new_commits = new_pulls = 0
    for commit in commits:
        before = known_commits.get(commit.sha)
        if before is not None and (before.on_default or not commit.on_default):
            continue
        repository.put_commit(transaction, card, commit, before)
        identities.add(identity(commit))
        new_commits += before is None
    for pull in pulls:
        seen = known_pulls.get((pull.repo, pull.number))
        if seen is not None and (seen.state in {pull.state, PullRequestState.MERGED} or seen.at > pull.at):
            continue
        repository.put_pull_request(transaction, card, pull, seen)
        identities.add(identity(pull))
        new_pulls += seen is None
    return News(frozenset(identities), new_commits, new_pulls)


def add_count(transaction: Transaction, card: Task, news: News) -> Task:
    """Add the count of new links of a card that does not move, and return the card as it is then."""
    now = clock.now_ms()
    repository.count(transaction, card, now, commits=news.commits, pull_requests=news.pull_requests)
    return replace(
        card,
        updated_at=now,
        commits=card.commits + news.commits,
        pull_requests=card.pull_requests + news.pull_requests,
    )
