"""The inbox: reading conversations, and changing their state.

Specification: States and transitions, Conversation. A transition reads the conversation, applies the table of
transitions, and writes on the condition that the conversation has not changed since. After a conflict it tries again
with the current conversation. A transition that changes nothing returns ok and sends nothing.
"""

from collections.abc import Callable, Iterable, Sequence

from helpdesk.accounts.organizations.service import Actor
from helpdesk.api.admission.caller import Caller
from helpdesk.conversations import approvals, jobs, list_repository, repository, thread
from helpdesk.conversations.change import Change, forget_current
from helpdesk.conversations.errors import ConversationArchived, ConversationMerged, ConversationNotFound
from helpdesk.conversations.list_repository import ListQuery, of_customer_from, quiet_page
from helpdesk.conversations.message_record import IncomingMail, Message
from helpdesk.conversations.record import (
    Conversation,
    SessionGone,
    Snapshot,
    Snooze,
    StaleConversation,
)
from helpdesk.conversations.repository import (
    conversations,
    entries_by_key,
    entries_onward,
    messages_after,
    messages_onward,
    newest_messages,
    notes,
    where_it_ended,
    where_they_ended,
)
from helpdesk.conversations.state import (
    Handler,
    Speaker,
    State,
    Status,
    Transition,
    Visibility,
    apply,
    emits_event,
)
from helpdesk.events.outbox import Job
from helpdesk.platform import clock
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

__all__ = [
    "entries_by_key",
    "entries_onward",
    "messages_after",
    "messages_onward",
    "newest_messages",
    "notes",
    "of_customer_from",
    "quiet_page",
    "where_it_ended",
    "where_they_ended",
]  # and everything below

_LINES = {
    Transition.RESOLVE: "{who} resolved this conversation.",
    Transition.CLOSE: "{who} resolved this conversation.",
    Transition.REOPEN: "{who} reopened this conversation.",
    Transition.TAKE_OVER: "{who} took this conversation over from the agent.",
    Transition.HAND_BACK: "{who} handed this conversation back to the agent.",
    Transition.ARCHIVE: "{who} archived this conversation.",
    Transition.UNARCHIVE: "{who} restored this conversation from the archive.",
}
_TOOK_OVER_RESOLVED = "{who} reopened this conversation and took it over."


find, get, by_ids = conversations.find, conversations.get, conversations.by_ids


def require(transaction: Transaction, conversation: Conversation, *, closes_gap: bool = False) -> None:
    """Require that a conversation is not being erased; with `closes_gap`, its question is in a suggestion now.

    The transaction raises ConversationNotFound, or StaleConversation if the gap is another one by now.
    """
    if closes_gap:
        require = {"erasing": None, "gap": conversation.gap}
        transaction.change(conversation.key, set={"gap": None}, require=require, on_failure=StaleConversation)
    else:
        transaction.require(conversation.key, {"erasing": None}, on_failure=StaleConversation)


def note_mail(conversation: Conversation, text: str, mail: IncomingMail) -> None:
    """Write a line for the team about a mail that is no message. Raises AlreadyReceived, ConversationNotFound."""
    transaction = Transaction()
    require(transaction, conversation)
    line = thread.add_system_line(transaction, conversation, text, clock.now_ms(), alone=True)
    repository.put_mail_entry(transaction, line, mail)
    transaction.commit()


def give(
    transaction: Transaction,
    organization: str,
    conversation_id: str,
    *,
    before_id: str,
    after_id: str,
    session_hash: str,
) -> None:
    """Add to a transaction that a conversation is another customer's, in their session.

    The transaction raises ConditionFailed if it is no longer the first customer's, or is being erased.
    """
    transaction.change(
        Conversation.key_for(organization, conversation_id),
        set={
            "customer_id": after_id,
            "session_hash": session_hash,
            "GSI2PK": Conversation.partition_for(organization, after_id, index="GSI2"),
        },
        require={"customer_id": before_id, "erasing": None},
        on_failure=ConditionFailed,
    )


def newest_open_of_customer(organization: str, customer_id: str, known_id: str | None) -> Conversation | None:
    """Return a customer's newest open conversation that is not archived.

    `known_id` is one that the customer is known to have: it's read too if it's newer than all that the index has yet.
    Two calls as a rule.
    """
    query = ListQuery(status=Status.OPEN, customer_id=customer_id)
    found, _ = list_repository.page(organization, query.source(organization), 1, None, consistent=True)
    newest = found[0] if found else None
    if known_id is None or (newest is not None and newest.id >= known_id):
        return newest
    known = conversations.find(organization, known_id)
    return known if known is not None and query.matches(known) else newest


def after_messages(read: Sequence[Conversation], messages: Iterable[Message]) -> list[Conversation]:
    """Return conversations as they are after messages that were read later than they, without those that are gone.

    So a reader who sees a message sees the state after it. No call, unless there is a message newer than its
    conversation: then one.
    """
    known = {each.id: each for each in read}
    passed = {
        message.conversation_id
        for message in messages
        if message.conversation_id in known  # nobody writes in one that has ended in one of these
        and message.id > (known[message.conversation_id].newest_message_id or "")
    }
    if not passed:
        return list(read)
    now = conversations.by_ids(read[0].organization, ids=sorted(passed))
    return [now.get(each.id, each) for each in read if each.id not in passed or each.id in now]


def presumed_open(organization: str, conversation_id: str, handled_by: str) -> Snapshot:
    """Return an open conversation as another item remembers it; a write with it proves or refutes that."""
    return Snapshot(
        organization=organization,
        id=conversation_id,
        status=Status.OPEN,
        handled_by=Handler(handled_by),
        last_speaker=Speaker.VISITOR,
    )


def transition(caller: Caller, conversation_id: str, chosen: Transition) -> None:
    """Apply a transition; send conversation.updated if it resolves, opens or changes the handler.

    A system line of the thread says who did it; a key acts as the organization. Raises ConversationNotFound,
    ConversationArchived, NotArchived.
    """
    who = Actor(caller)

    def write(transaction: Transaction, conversation: Conversation) -> None:
        state = apply(conversation.state, chosen)
        if state == conversation.state:
            return
        write_transition(transaction, conversation, state)
        opens = conversation.state.status is Status.RESOLVED and state.status is Status.OPEN
        line = _TOOK_OVER_RESOLVED if opens and chosen is Transition.TAKE_OVER else _LINES[chosen]
        thread.add_system_line(transaction, conversation, line.format(who=who.name), clock.now_ms())

    retry_on_conflict(caller.organization, conversation_id, write, also_archived=True)


def close_for_visitor(organization: str, conversation_id: str, line: str) -> bool:
    """Close a conversation whose visitor asks for it; return whether it was open. The team reads the line.

    Raises ConversationNotFound, ConversationArchived.
    """

    def write(transaction: Transaction, conversation: Conversation) -> bool:
        state = apply(conversation.state, Transition.CLOSE)
        if state == conversation.state:
            return False
        write_transition(transaction, conversation, state)
        thread.add_system_line(transaction, conversation, line, clock.now_ms())
        return True

    return retry_on_conflict(organization, conversation_id, write)


def add_line(transaction: Transaction, conversation: Conversation, line: str, *, alone: bool = False) -> None:
    """Add a line that only the team reads; `alone` as in `thread.add_system_line`.

    The transaction raises ConversationNotFound if the conversation is being erased.
    """
    require(transaction, conversation)
    thread.add_system_line(transaction, conversation, line, clock.now_ms(), alone=alone)


def write_transition(
    transaction: Transaction,
    before: Conversation,
    state: State,
    *,
    snoozed_until: int | None = None,
    by_itself: bool = False,
) -> None:
    """Add to a transaction the state after a transition, with all that follows from it.

    With `by_itself` nobody asked for it, and no customer is asked how it was.

    The transaction also raises StaleConversation if anyone has written since.
    """
    hands_back = before.handled_by is Handler.TEAM and state.handled_by is Handler.AGENT
    answers_all = hands_back and not before.unanswered
    change = Change(before=before, state=state, snoozed_until=snoozed_until, answers_all=answers_all)
    repository.save(transaction, change)
    if before.state.visibility is Visibility.SNOOZED and state.visibility is not Visibility.SNOOZED:
        transaction.delete(Snooze.key_for(before.organization, before.id))
    forget_hint(transaction, before, state)
    has_event = emits_event(before.state, state)
    unanswered = _left_to_the_agent(before, state) if has_event or before.archived else None
    if has_event:
        resolves = state.status is Status.RESOLVED and before.state.status is Status.OPEN
        follow_up = _after_resolution(before) if resolves else ()
        if resolves and not by_itself:
            follow_up += jobs.resolved_jobs(before)
        thread.add_updated(transaction, before, state, clock.now_ms(), unanswered, jobs=follow_up)
    elif unanswered is not None:
        thread.add_agent_job(transaction, before, unanswered)


def retry_on_conflict[T](
    organization: str,
    conversation_id: str,
    write: Callable[[Transaction, Conversation], T],
    *,
    also_archived: bool = False,
) -> T:
    """Read a conversation, let `write` fill a transaction, commit it; again if the conversation changed meanwhile.

    A transaction left empty is not sent. Raises ConversationNotFound, ConversationMerged, Conflict, and
    ConversationArchived unless `also_archived`.
    """
    conversation = conversations.get(organization, conversation_id)

    def attempt() -> T:
        nonlocal conversation
        if conversation.merged_into is not None:
            raise ConversationMerged(conversation.merged_into)
        if conversation.archived and not also_archived:
            raise ConversationArchived
        transaction = Transaction()
        outcome = write(transaction, conversation)
        if not transaction:
            return outcome
        try:
            transaction.commit()
        except StaleConversation as stale:
            conversation = stale.conversation
            raise
        except SessionGone:
            conversation = _in_another_session(conversation)
            raise
        return outcome

    return repeat_when_stale(attempt, StaleConversation, SessionGone)


def _in_another_session(seen: Conversation) -> Conversation:
    """Return a conversation whose session is gone as it is now. Raises ConversationNotFound unless it has another."""
    now = conversations.get(seen.organization, seen.id)
    if now.session_hash == seen.session_hash:
        raise ConversationNotFound  # its customer is being erased
    return now


def _after_resolution(before: Conversation) -> tuple[Job, ...]:
    """Return the jobs of a resolution: learn from the conversation, and end the approvals that wait in it."""
    learns = jobs.learn_job(before.organization, before.id)
    return (
        (learns, approvals.end_job(before.organization, before.id)) if before.waiting_approvals else (learns,)
    )


def _left_to_the_agent(before: Conversation, state: State) -> str | None:
    """Return the visitor's message that the agent has to answer after a transition, None if there is none.

    The visitor wrote it while the team handled the conversation, or before the agent could answer it. It is the newest
    one even when the transition is written, because a message that is written meanwhile makes the transition stale. An
    older one would not do: the agent leaves it to the job of the newest.
    """
    return before.newest_visitor_message_id if state.agent_may_answer and before.unanswered else None


def forget_hint(transaction: Transaction, before: Conversation, state: State) -> None:
    """If the visitor can write in it again, let the session look for its newest open conversation.

    The transaction raises SessionGone.
    """
    reopens = not before.accepts_visitor_messages and state.accepts_visitor_messages
    # The team starts one without a session with a customer who has an email address only.
    if reopens and before.session_hash is not None:
        forget_current(transaction, before.organization, before.session_hash, before.customer_id)
