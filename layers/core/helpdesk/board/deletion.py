"""Deletes posts. A deleted post is gone at once; its votes and comments follow.

One transaction deletes the post and adds the job that deletes the rest. Nobody can vote for the post or comment on it
from then on, because that requires the post. The request deletes the rest itself, so that usually nothing is left for
the job.
"""

from helpdesk.board import repository, settings_repository
from helpdesk.board.record import Post
from helpdesk.board.repository import StalePost
from helpdesk.events.outbox import Job, JobBody, JobQueue, job_item
from helpdesk.platform import clock, ids
from helpdesk.search import jobs as search
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import ExtraWrites, Transaction

_BATCH = 100
_REQUEST_MS = 2_000
"""How long a request deletes votes and comments itself. The job deletes the rest."""


class LeftoversJob(JobBody, tag_field="kind", tag="post"):
    """A deleted post whose votes and comments are to be deleted."""

    organization: str
    post_id: str


def delete(post: Post, extra_writes: ExtraWrites = lambda _: None) -> None:
    """Delete a post, with `extra_writes` in the same transaction. Raises PostNotFound, and what those raise."""
    organization = post.organization

    def attempt() -> None:
        nonlocal post
        transaction = Transaction()
        extra_writes(transaction)
        repository.remove(transaction, post)
        settings_repository.count(transaction, organization, settings_repository.changes(post, None))
        search.put(transaction, search.post(organization, post.id))
        if post.votes or post.comments:
            body = LeftoversJob(organization, post.id).to_body()
            job = Job(JobQueue.ERASE, body, post.id, ids.new("job"))
            transaction.put(job_item(organization, job), new=True)
        try:
            transaction.commit()
        except StalePost as stale:
            post = stale.post
            raise

    repeat_when_stale(attempt, StalePost)
    if post.votes or post.comments:
        finish(organization, post.id, clock.now_ms() + _REQUEST_MS)


def finish(organization: str, post_id: str, until: int) -> bool:
    """Delete the votes and comments of a deleted post until the instant `until` (ms); return whether all are gone.

    May be repeated, and at once with itself.
    """
    while repository.delete_leftovers(organization, post_id, _BATCH):
        if clock.now_ms() >= until:
            return False
    return True
