"""Gives a customer who signed in what their browser wrote before. A run can stop anywhere and be repeated.

The anonymous customer is found by the session of the browser in which somebody signed in: its cookie is the proof. The
order of the steps:

1. It is noted with the customer who signed in whom they take over, so that an erasure of theirs finds all in the search
   index.
2. The conversations move from one session to the other, so that the team can open each at every moment. Then the
   anonymous session is removed: its token opens nothing any more, and who still has it is a new visitor.
3. What was written meanwhile moves, then posts, votes, comments and reports, then what the team noted.
4. The anonymous customer is removed, unless the team has started a conversation with them meanwhile, which moves first.
   From then on nothing is added to them, and what was added until then moves.

Each move requires both customers until the anonymous one is removed. So an erasure of either wins: from its mark on
nothing moves.
"""

from helpdesk.analytics import erasure as analytics
from helpdesk.board import merging as board
from helpdesk.conversations import erasure as found_conversations
from helpdesk.conversations import service as conversations
from helpdesk.conversations.messages import visitors
from helpdesk.conversations.record import Session
from helpdesk.customers import erasure, merging
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.merging import MergeJob, Require
from helpdesk.customers.record import Customer
from helpdesk.privacy.deletion import OutOfTime, require_time
from helpdesk.privacy.erasing import Outcome
from helpdesk.search import jobs as search
from helpdesk.signals import merging as signals
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_TRACES = 25


def merge(job: MergeJob, until: int) -> Outcome:
    """Move what an anonymous customer has to another one, until it is done or the instant `until` (ms)."""
    before = merging.anonymous(job.organization, job.anonymous_id)
    after = customers.find(job.organization, job.customer_id)
    if after is None or after.session_hash is None:
        return Outcome.FINISHED_BEFORE
    session = visitors.sessions.find(job.organization, after.session_hash)
    if session is None or (before is None and not _is_removed(job)):
        return Outcome.FINISHED_BEFORE
    try:
        if before is not None:
            merging.begin(job.organization, before.id, job.customer_id)
            _move_conversations(job, before, session, until)
            visitors.close_session(job.organization, job.session_hash, before.id)
            _move(job, session, until)
        if before is None or _is_removed(job):
            _move_entries(job, _of_one(job), until)
    except CustomerNotFound:
        # One of them is being erased. What has not moved stays, and nobody's cookie opens it.
        visitors.close_session(job.organization, job.session_hash, job.anonymous_id)
        return Outcome.FINISHED
    except OutOfTime:
        transaction = Transaction()
        merging.put_job(transaction, job)
        transaction.commit()
        return Outcome.CONTINUES
    return Outcome.FINISHED


def _is_removed(job: MergeJob) -> bool:
    """Return whether the anonymous customer is gone because this job has removed them."""
    after = erasure.customers.find(job.organization, job.customer_id)
    return (
        after is not None
        and job.anonymous_id in after.merged_from
        and erasure.customers.find(job.organization, job.anonymous_id) is None
    )


def _move(job: MergeJob, session: Session, until: int) -> None:
    """Move everything, and remove the anonymous customer."""
    is_gone = False
    while not is_gone and (before := merging.anonymous(job.organization, job.anonymous_id)) is not None:
        _move_conversations(job, before, session, until)
        _move_entries(job, _of_both(job), until)
        require_time(until)
        analytics.delete_customer(job.organization, before.id)
        is_gone = merging.finish(job.organization, before, job.customer_id)


def _move_conversations(job: MergeJob, before: Customer, session: Session, until: int) -> None:
    listed = visitors.conversation_ids(job.organization, job.session_hash)
    if before.outreach_id is not None:
        listed.add(before.outreach_id)  # it is in the list of no session
    for each in found_conversations.find(job.organization, before.id, listed):
        require_time(until)
        _move_conversation(job, session, each.id)


def _move_entries(job: MergeJob, require: Require, until: int) -> None:
    """Move posts, votes and comments, reports of signals, and what the team noted."""
    organization = job.organization
    while traces := board.first(organization, job.anonymous_id, _TRACES):
        for trace in traces:
            require_time(until)
            board.give(trace, job.customer_id, require)
    while reports := signals.reports_of_customer(organization, job.anonymous_id):
        for report in reports:
            require_time(until)
            signals.give(organization, report, job.customer_id, require)
    merging.move_facts(organization, job.anonymous_id, job.customer_id, require)


def _of_both(job: MergeJob) -> Require:
    def require(transaction: Transaction) -> None:
        customers.require(transaction, job.organization, job.anonymous_id)
        customers.require(transaction, job.organization, job.customer_id)

    return require


def _of_one(job: MergeJob) -> Require:
    return lambda transaction: customers.require(transaction, job.organization, job.customer_id)


def _move_conversation(job: MergeJob, session: Session, conversation_id: str) -> None:
    transaction = Transaction()
    _of_both(job)(transaction)
    conversations.give(
        transaction,
        job.organization,
        conversation_id,
        before_id=job.anonymous_id,
        after_id=job.customer_id,
        session_hash=session.hash,
    )
    visitors.move_conversation(transaction, job.session_hash, session, conversation_id)
    search.put(transaction, search.conversation(job.organization, conversation_id))
    try:
        transaction.commit()
    except ConditionFailed:
        return  # it is being erased
