"""Looking at a conversation that was resolved: whether its customer is asked by mail for a rating.

A conversation that goes by mail and was resolved by a person, or because its customer says that all is well, is looked
at some minutes later. If it's still resolved, one mail asks. It isn't worth waiting for: an empty bucket ends it.
"""

from enum import StrEnum

from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.conversations import service as conversations
from helpdesk.conversations.jobs import ResolvedJob
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Status
from helpdesk.outreach import unread
from helpdesk.outreach.jobs import RatingMail
from helpdesk.platform import clock
from helpdesk.platform.errors import RateLimited
from helpdesk.platform.queues import put_back
from helpdesk.platform.settings import settings
from helpdesk.storage.transactions import Transaction


class Outcome(StrEnum):
    """The result of looking at a resolved conversation, for the log."""

    EARLY = "early"  # it is looked at again
    NOT_ASKED = "not_asked"
    """It's open again, rated, archived or gone, there's no address, or a bucket of mails is empty."""
    QUEUED = "queued"


def look(job: ResolvedJob) -> Outcome:
    """Ask for the mail if the conversation is still resolved. Raises NotQueued."""
    if clock.now_ms() < job.due_at:
        put_back(settings().timer_queue_url, job.organization, job.to_json(), job.due_at)
        return Outcome.EARLY
    conversation = conversations.find(job.organization, job.conversation_id)
    if conversation is None or not is_to_rate(conversation, job.resolution):
        return Outcome.NOT_ASKED
    to = unread.recipient(conversation)
    if to is None:
        return Outcome.NOT_ASKED
    try:
        unread.charge(job.organization, to)
    except (BucketEmpty, RateLimited):
        return Outcome.NOT_ASKED
    transaction = Transaction()
    wanted = RatingMail(job.organization, conversation.customer_id, conversation.id, job.resolution)
    transaction.put(wanted.to_item(), new=True)
    transaction.commit()
    return Outcome.QUEUED


def is_to_rate(conversation: Conversation, resolution: int) -> bool:
    """Whether a resolution, by its number, is still to be rated, and nobody was asked for that yet."""
    rated = conversation.latest_rating
    return (
        conversation.status is Status.RESOLVED
        and not conversation.archived
        and conversation.resolutions == resolution
        and (conversation.rating_asked or 0) < resolution
        and (rated is None or rated.resolution != resolution)
    )
