"""Gives a customer who signed in what their browser wrote before. A run can stop anywhere and be repeated.

The anonymous customer is found by the session of the browser in which somebody signed in: its cookie is the proof. The
order of the steps:

1. It is noted with the customer who signed in whom they take over, so that an erasure of theirs finds all in the search
   index. Then the session is removed: its token opens nothing any more, and who still has it is a new visitor.
2. The conversations move with their session, then posts, votes, comments and reports, then what the team noted. Each
   move requires the customer who signed in, so nothing is added to one who is being erased.
3. The anonymous customer is removed. An erasure of theirs wins: from its mark on nothing moves.
"""

from helpdesk.analytics import erasure as analytics
from helpdesk.board import merging as board
from helpdesk.conversations import erasure as found_conversations
from helpdesk.conversations import merging as conversations
from helpdesk.customers import jobs, merging
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.jobs import MergeJob
from helpdesk.customers.record import Customer
from helpdesk.messages import erasure as messages
from helpdesk.messages import merging as sessions
from helpdesk.messages.merging import Session
from helpdesk.privacy.erasing import Outcome
from helpdesk.privacy.thread_deletion import OutOfTime, require_time
from helpdesk.search import jobs as search
from helpdesk.signals import merging as signals
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_TRACES = 25


def merge(job: MergeJob, until: int) -> Outcome:
    """Move what an anonymous customer has to another one, until it is done or the instant `until` (ms)."""
    before = merging.anonymous(job.organization, job.anonymous_id)
    after = customers.by_ids(job.organization, [job.customer_id]).get(job.customer_id)
    if before is None or after is None or after.session_hash is None:
        return Outcome.FINISHED_BEFORE
    session = sessions.session(job.organization, after.session_hash)
    if session is None:
        return Outcome.FINISHED_BEFORE
    try:
        merging.begin(job.organization, before.id, job.customer_id)
        sessions.close(job.organization, job.session_hash, before.id)
        _move(job, before, session, until)
    except CustomerNotFound:
        return Outcome.FINISHED
    except OutOfTime:
        transaction = Transaction()
        jobs.put(transaction, job)
        transaction.commit()
        return Outcome.CONTINUES
    return Outcome.FINISHED


def _move(job: MergeJob, before: Customer, session: Session, until: int) -> None:
    organization = job.organization
    listed = messages.conversation_ids(organization, job.session_hash)
    for each in found_conversations.find(organization, before.id, listed):
        require_time(until)
        _move_conversation(job, session, each.id)
    _move_board_entries(job, until)
    while reports := signals.reports_of(organization, before.id):
        for report in reports:
            require_time(until)
            signals.give(organization, report, job.customer_id)
    merging.move_facts(organization, before, job.customer_id)
    require_time(until)
    analytics.delete_customer(organization, before.id)
    merging.finish(organization, before.id, job.customer_id)
    # A vote that was under way when the session closed required the customer, so none follows now.
    _move_board_entries(job, until)


def _move_board_entries(job: MergeJob, until: int) -> None:
    while traces := board.first(job.organization, job.anonymous_id, _TRACES):
        for trace in traces:
            require_time(until)
            board.give(job.organization, trace, job.customer_id)


def _move_conversation(job: MergeJob, session: Session, conversation_id: str) -> None:
    transaction = Transaction()
    customers.require(transaction, job.organization, job.customer_id)
    conversations.give(
        transaction,
        job.organization,
        conversation_id,
        before_id=job.anonymous_id,
        after_id=job.customer_id,
        session_hash=session.hash,
    )
    sessions.move(transaction, job.session_hash, session, conversation_id)
    search.put(transaction, search.conversation(job.organization, conversation_id))
    try:
        transaction.commit()
    except ConditionFailed:
        return  # it is being erased
