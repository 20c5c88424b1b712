"""Finding out what the team is to be notified of in a conversation.

The fan-out asks for a look two minutes after a conversation began to wait for the team, changed hands, or was assigned.
What happened meanwhile becomes one mail. A notice in the conversation's partition says what the team was notified of
last, so any number of looks notify once.
"""

from enum import StrEnum

from helpdesk.accounts.members.record import NotificationKind
from helpdesk.conversations import service as conversations
from helpdesk.conversations.record import Conversation, TeamNotice
from helpdesk.conversations.state import Status
from helpdesk.notifications.jobs import TeamNews
from helpdesk.platform import clock
from helpdesk.platform.queues import put_back
from helpdesk.platform.settings import settings
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks.following import TeamJob

_notices = Collection(TeamNotice)


class Outcome(StrEnum):
    """The result of a look, for the log."""

    EARLY = "early"  # it is looked at again
    NOTHING_NEW = "nothing_new"
    QUEUED = "queued"
    GONE = "gone"  # the conversation was erased
    BY_ANOTHER = "by_another"  # another look was faster


def look(job: TeamJob) -> Outcome:
    """Ask for mails about a conversation, if the team was not notified of its state. Raises NotQueued."""
    if clock.now_ms() < job.due_at:
        put_back(settings().timer_queue_url, job.organization, job.to_json(), job.due_at)
        return Outcome.EARLY
    conversation = conversations.find(job.organization, job.conversation_id)
    if conversation is None:
        return Outcome.GONE
    before = _notices.find(job.organization, job.conversation_id)
    of_all, of_assignee = _news(conversation, before)
    if not of_all and not of_assignee:
        return Outcome.NOTHING_NEW
    transaction = Transaction()
    _note(transaction, conversation, before)
    news = TeamNews(
        job.organization, job.conversation_id, sorted(of_all), conversation.assignee, sorted(of_assignee)
    )
    transaction.put(news.to_item(), new=True)
    try:
        transaction.commit()
    except ConditionFailed:
        return Outcome.BY_ANOTHER
    return Outcome.QUEUED


def _news(
    conversation: Conversation, before: TeamNotice | None
) -> tuple[set[NotificationKind], set[NotificationKind]]:
    """Return what is new for everyone, and what is new for the assignee."""
    of_all: set[NotificationKind] = set()
    of_assignee: set[NotificationKind] = set()
    if conversation.archived or conversation.state.status is Status.RESOLVED:
        return of_all, of_assignee
    # It began to wait after the last answer; one mail for all that the visitor writes until the next.
    is_new = before is None or (before.message_id or "") < conversation.answered_up_to
    if conversation.state.awaiting_human and is_new:
        if conversation.assignee is None:
            of_all.add(NotificationKind.WAITING)
        else:
            of_assignee.add(NotificationKind.REPLY)
    if conversation.pending_approvals > (before.approvals if before else 0):
        of_all.add(NotificationKind.APPROVAL)
    was = before.assignee if before else None
    if conversation.assignee not in (None, was) and not conversation.assigned_to_self:
        of_assignee.add(NotificationKind.ASSIGNED)
    return of_all, of_assignee


def _note(transaction: Transaction, conversation: Conversation, before: TeamNotice | None) -> None:
    """Add what the team is notified of. The transaction raises ConditionFailed if another look was faster."""
    after = TeamNotice(
        organization=conversation.organization,
        conversation_id=conversation.id,
        message_id=conversation.newest_visitor_message_id,
        assignee=conversation.assignee,
        approvals=conversation.pending_approvals,
        looks=before.looks + 1 if before else 1,
    )
    if before is None:
        transaction.put(after, new=True, on_failure=ConditionFailed)
    else:
        transaction.save(before, after, require={"looks": before.looks}, on_failure=ConditionFailed)
    conversations.require(transaction, conversation)
