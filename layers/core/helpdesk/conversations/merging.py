"""Merging a conversation into another one of the same customer, in which it ends.

Nothing is copied. The merged conversation is archived for good and keeps its entries. Who reads the other one reads
both (`repository.with_merged`, `repository.newest_messages`). What leads to the merged one, such as a session, a reply
address or a link, goes on to the other (`repository.where_it_ended`).

The other one becomes what it would be if everything had been written in it. If either is open, it's open and the team
handles it, so no question gets lost and no agent answers half of one.
"""

from collections.abc import Iterable
from copy import replace
from typing import Any

from helpdesk.accounts.organizations.service import Actor
from helpdesk.api.admission.caller import Caller
from helpdesk.conversations import repository, thread
from helpdesk.conversations.change import approvals_unchanged, as_read, forget_current, newest_unchanged
from helpdesk.conversations.errors import (
    MAX_MERGED,
    ConversationArchived,
    ConversationMerged,
    ConversationNotFound,
    DifferentCustomers,
    DiscordNotMerged,
    MailNotMerged,
    MergeApprovalsPending,
    MergedWithItself,
    TooManyMerged,
)
from helpdesk.conversations.record import (
    Channel,
    Conversation,
    SessionConversation,
    SessionGone,
    Snooze,
    StaleConversation,
)
from helpdesk.conversations.state import Handler, Speaker, State, Status, emits_event
from helpdesk.platform import clock
from helpdesk.storage.changes import or_missing
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.transactions import Transaction

_INTO_ARCHIVED = "The conversation in `into` is archived. Unarchive it first."


def merge(caller: Caller, conversation_id: str, into: str) -> None:
    """End a conversation in another one. A repetition changes nothing.

    A line in each thread says who did it. Sends conversation.updated for the other one if it opens or passes to the
    team. Raises MergedWithItself, ConversationNotFound, ConversationMerged, ConversationArchived, DifferentCustomers,
    DiscordNotMerged, MailNotMerged, MergeApprovalsPending, TooManyMerged, Conflict.
    """
    if conversation_id == into:
        raise MergedWithItself
    who = Actor(caller)

    def attempt() -> None:
        try:
            found = repository.conversations.by_ids(caller.organization, ids=[conversation_id, into])
        except MalformedKey:
            raise ConversationNotFound from None
        if len(found) < 2:
            raise ConversationNotFound
        source, target = found[conversation_id], found[into]
        if source.merged_into == target.id:
            return
        _require_mergeable(source, target)
        transaction = Transaction()
        _write(transaction, source, target, who.name)
        transaction.commit()

    repeat_when_stale(attempt, StaleConversation, SessionGone)


def _require_mergeable(source: Conversation, target: Conversation) -> None:
    """Refuse what can't be merged. A circle is impossible: a conversation that ended in another one is archived."""
    for each in (source, target):
        if each.merged_into is not None:
            raise ConversationMerged(each.merged_into)
    _require_unarchived(source, target)
    if source.customer_id != target.customer_id:
        raise DifferentCustomers
    _require_same_way(source, target)
    if source.pending_approvals:
        raise MergeApprovalsPending
    if len(_merged_from(source, target)) > MAX_MERGED:
        raise TooManyMerged


def _require_same_way(source: Conversation, target: Conversation) -> None:
    """Refuse a merge after which answers would go another way than where the customer wrote."""
    if Channel.DISCORD in {source.channel, target.channel}:
        raise DiscordNotMerged
    if source.channel is Channel.EMAIL and target.channel is not Channel.EMAIL:
        raise MailNotMerged


def _require_unarchived(source: Conversation, target: Conversation) -> None:
    if source.archived:
        raise ConversationArchived
    if target.archived:
        raise ConversationArchived(_INTO_ARCHIVED)


def _write(transaction: Transaction, source: Conversation, target: Conversation, who: str) -> None:
    """Add a merge to a transaction, which raises StaleConversation if either has changed since, or SessionGone."""
    now = clock.now_ms()
    state = _state(source, target)
    transaction.save(
        source,
        replace(source, archived_at=now, snoozed_until=None, merged_into=target.id),
        require=_unchanged(source),
        on_failure=StaleConversation,
    )
    sends_event = emits_event(target.state, state)
    transaction.save(
        target,
        _with(target, source, state, now),
        add={"message_count": source.message_count, "state_changes": int(sends_event)},
        require=_unchanged(target),
        on_failure=StaleConversation,
    )
    for each in (source, target):
        if each.snoozed_until is not None:
            transaction.delete(Snooze.key_for(each.organization, each.id))
    _bring_session(transaction, source, target, state)
    ended = f"{who} merged this conversation into {target.id}."
    thread.add_system_line(transaction, source, ended, now, alone=True)
    joined = f"{who} merged {source.id} into this conversation."
    thread.add_system_line(transaction, target, joined, now, alone=not sends_event)
    if sends_event:
        thread.add_updated(transaction, target, state, now)


def _state(source: Conversation, target: Conversation) -> State:
    newer = max(source, target, key=lambda each: each.newest_message_id or "")
    if Status.OPEN not in {source.status, target.status}:
        return State(Status.RESOLVED, target.handled_by, newer.last_speaker)
    return State(Status.OPEN, Handler.TEAM, newer.last_speaker)


def _with(target: Conversation, source: Conversation, state: State, now: int) -> Conversation:
    """Return a conversation as it is with another one that ends in it."""
    both = (target, source)
    unanswered = [each.unanswered_since for each in both if each.unanswered_since is not None]
    if state.status is Status.RESOLVED or state.last_speaker is Speaker.TEAMMATE:
        unanswered_since = None
    else:
        unanswered_since = min(unanswered, default=now if state.awaiting_human else None)
    return replace(
        target,
        status=state.status,
        handled_by=state.handled_by,
        last_speaker=state.last_speaker,
        snoozed_until=None,
        unanswered_since=unanswered_since,
        last_message_at=max(each.last_message_at for each in both),
        newest_message_id=_newest(each.newest_message_id for each in both),
        newest_visitor_message_id=_newest(each.newest_visitor_message_id for each in both),
        answered_up_to=max(each.answered_up_to for each in both),
        session_hash=target.session_hash or source.session_hash,
        merged_from=_merged_from(source, target),
        team_answered=target.team_answered or source.team_answered,
    )


def _newest(ids: Iterable[str | None]) -> str | None:
    return max(filter(None, ids), default=None)


def _merged_from(source: Conversation, target: Conversation) -> tuple[str, ...]:
    return (*target.merged_from, source.id, *source.merged_from)


def _unchanged(seen: Conversation) -> dict[str, Any]:
    """Require that nothing has changed that decides what the merge writes."""
    names = (
        "customer_id",
        "session_hash",
        "assignee",
        "last_speaker",
        "snoozed_until",
        "unanswered_since",
        "approvals_since",
        "newest_visitor_message_id",
    )
    return {
        **as_read(seen),
        **newest_unchanged(seen),
        **approvals_unchanged(seen),
        **{name: getattr(seen, name) for name in names},
        "merged_from": or_missing(seen.merged_from),
    }


def _bring_session(
    transaction: Transaction, source: Conversation, target: Conversation, state: State
) -> None:
    """Let the visitor find the other conversation: in their list, and if it opens, with their next message."""
    organization, session_hash = target.organization, target.session_hash or source.session_hash
    if session_hash is None:
        return
    if target.session_hash is None:
        listed = SessionConversation(
            organization=organization, session_hash=session_hash, conversation_id=target.id
        )
        transaction.put(listed, new=True)
    if target.session_hash is None or (
        state.accepts_visitor_messages and not target.accepts_visitor_messages
    ):
        forget_current(transaction, organization, session_hash, target.customer_id)
