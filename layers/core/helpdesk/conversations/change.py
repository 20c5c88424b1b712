"""What a write does to a conversation, and what it requires of it."""

from typing import Any

from helpdesk.conversations.record import (
    BrowserContext,
    Conversation,
    HourTokens,
    InboxList,
    Session,
    SessionGone,
    Snapshot,
    activity_at,
    assigned_list,
    inbox_list,
)
from helpdesk.conversations.state import Handler, Speaker, State, Status, Visibility, emits_event
from helpdesk.platform import clock
from helpdesk.platform.record import Record, field
from helpdesk.storage.changes import IfMissing, above, below, other_than
from helpdesk.storage.transactions import Transaction
from helpdesk.visitor_texts.languages import Language

NOT_WAITING: dict[str, None] = {"GSI4PK": None, "GSI4SK": None}
"""Removes a conversation from those that wait."""


class NewMessage(Record):
    """A customer-visible message that a change adds, at an instant (ms).

    A `notice` is one that the organization sends unasked: nobody speaks last with it.
    """

    id: str
    at: int
    notice: bool = False


class Change(Record, kw_only=True):
    """A state over the one that was read, and what else the write sets.

    None leaves an attribute as it is. `handoff_reason` is why the agent hands the conversation to the team with its
    message. `answered_up_to` is the last message that this one answers, `gap` the last message of a question that the
    agent found nothing for. With `answers_all`, nothing that the visitor has written waits for an answer after it.
    `new_approvals` are added to those that wait. `ends_snooze` ends a snooze that the write may not know of. `now` is
    when the change is made (ms).
    """

    before: Snapshot
    state: State
    message: NewMessage | None = None
    answered_up_to: str | None = None
    handoff_reason: str | None = None
    language: Language | None = None
    gap: str | None = None
    answers_all: bool = False
    new_approvals: int = 0
    tokens: HourTokens | None = None
    context: BrowserContext | None = None
    snoozed_until: int | None = None
    ends_snooze: bool = False
    now: int = field(default_factory=clock.now_ms)

    @property
    def values(self) -> dict[str, Any]:
        """What the write sets, by field; None removes a value."""
        before, was, state, message = self.before, self.before.state, self.state, self.message
        wanted = {
            "status": state.status,
            "handled_by": state.handled_by,
            "last_speaker": state.last_speaker,
            "answered_up_to": self.answered_up_to,
            "snoozed_until": self.snoozed_until,
            "language": self.language,
            "gap": self.gap,
            "context": self.context,
            "resolved_at": self.now if self._resolves else None,
        }
        changes: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
        changes |= self._unanswered | self._placed[0]
        if self.new_approvals:
            changes |= {"approvals_since": self._approvals_since}
        if self.snoozed_until is None and (
            self.ends_snooze or (state.key != was.key and state.visibility is not Visibility.SNOOZED)
        ):
            changes |= {"snoozed_until": None}
        if self._archives is not before.archived:
            changes |= {"archived_at": self.now if self._archives else None}
        if self._changes_assigned_list and before.assignee is not None:
            theirs = (before.organization, before.assignee, assigned_list(state))
            changes |= {"GSI3PK": Conversation.partition_for(*theirs, index="GSI3")}
        if self.tokens is not None:
            changes |= self.tokens.changed
        if message is not None:
            sort_key = activity_at(message.at, before.id)
            changes |= {"GSI1SK": sort_key, "GSI3SK": sort_key}
            changes |= {"newest_message_id": message.id, "last_message_at": message.at}
            if state.last_speaker is Speaker.VISITOR and not message.notice:
                changes |= {"newest_visitor_message_id": message.id}
            if state.last_speaker is Speaker.TEAMMATE and not message.notice:
                changes |= {"team_answered": True}
            if self.handoff_reason is not None:
                # The last message is a hand-off for as long as this is the time of the last message.
                changes |= {"handed_off_at": message.at, "hand_off_reason": self.handoff_reason}
        return changes

    @property
    def counts(self) -> dict[str, int]:
        """What the write adds to the conversation's counts, by field."""
        return {
            **({} if self.tokens is None else self.tokens.added),
            "message_count": int(self.message is not None),
            "resolutions": int(self._resolves),
            "waiting_approvals": self.new_approvals,
            "state_changes": int(emits_event(self.before.state, self.state)),
        }

    @property
    def requirements(self) -> dict[str, Any]:
        """What the conversation must be for this change to be right. Callers add what their reason needs.

        Status, handler and archive must be as they were read. So must the snooze if the state's key changes, and the
        assignee if the change moves the conversation to another of their lists. A message's ID must sort after the
        newest one. Without a message, nobody may have written since: who wrote last decides whether a person is
        awaited, and the visitor's newest message is the one that the agent answers.
        """
        before = self.before
        required = as_read(before) | self._placed[1]
        if self.state.key != before.state.key:
            required |= {"snoozed_until": before.snoozed_until}
        if self._changes_assigned_list:
            required |= {"assignee": before.assignee}
        if self.message is None:
            return required | newest_unchanged(before)
        return required | {"newest_message_id": below(self.message.id)}

    @property
    def _resolves(self) -> bool:
        return self.state.status is Status.RESOLVED and self.before.state.status is not Status.RESOLVED

    @property
    def _archives(self) -> bool:
        return self.state.visibility is Visibility.ARCHIVED

    @property
    def _changes_assigned_list(self) -> bool:
        return self.state.status is not self.before.status or self._archives is not self.before.archived

    @property
    def _at(self) -> int:
        return self.now if self.message is None else self.message.at

    @property
    def _approvals_since(self) -> int:
        """Since when calls of tools wait, if any do after the write: since the message that led to the first one."""
        before = self.before
        asked = before.approvals_since if before.waiting_approvals else before.unanswered_since
        return asked or self._at

    @property
    def _unanswered(self) -> dict[str, Any]:
        """Since when the visitor has no answer after the write, if it decides that.

        A visitor's message is written without knowing whether an earlier one waits: then that one counts.
        """
        state, message = self.state, self.message
        speaks = message is not None and not message.notice
        if state.status is Status.RESOLVED or self.answers_all:
            return {"unanswered_since": None}
        if speaks and state.last_speaker is not Speaker.AGENT:
            by_visitor = state.last_speaker is Speaker.VISITOR
            return {"unanswered_since": IfMissing(self._at) if by_visitor else None}
        opens = self.before.status is Status.RESOLVED
        if state.awaiting_human or (opens and state.last_speaker is Speaker.VISITOR):
            return {"unanswered_since": IfMissing(self._at)}
        return {}

    @property
    def _placed(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The list of the inbox in which the write puts the conversation, and what makes it the right one.

        With it goes the place among what waits. Neither is given if the write leaves the conversation in its list,
        whatever that is: a snapshot may not know of the approvals that wait.
        """
        before = self.before
        which = inbox_list(self.state, approvals=False)
        without, with_approvals = (
            Conversation.partition_for(before.organization, each, index="GSI1")
            for each in (which, InboxList.WAITING)
        )
        if which is InboxList.WAITING:
            waits, required = self._waits_for_answer
            return {"GSI1PK": without, **waits}, required
        if which is not InboxList.OPEN:
            return {"GSI1PK": without, **NOT_WAITING}, {}
        if self.new_approvals:
            return {"GSI1PK": with_approvals, **self._waiting(self._approvals_since)}, {}
        if self.state.key == before.state.key and self.state.handled_by is Handler.AGENT:
            return {}, {}
        if before.waiting_approvals:
            required = {"waiting_approvals": above(0), "approvals_since": before.approvals_since}
            return {"GSI1PK": with_approvals, **self._waiting(self._approvals_since)}, required
        return {"GSI1PK": without, **NOT_WAITING}, {"waiting_approvals": below(1)}

    @property
    def _waits_for_answer(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The place among what waits of a conversation whose visitor waits for a person, and what it requires.

        One that had the same state waits already, or begins to with this message: its place says which.
        """
        before = self.before
        if self.state.key == before.state.key:
            return {name: IfMissing(value) for name, value in self._waiting(self._at).items()}, {}
        unanswered = before.unanswered_since or self._at
        since = min(unanswered, self._approvals_since) if before.waiting_approvals else unanswered
        required = {"unanswered_since": before.unanswered_since, **approvals_unchanged(before)}
        return self._waiting(since), required

    def _waiting(self, since: int) -> dict[str, Any]:
        return {
            "GSI4PK": Conversation.partition_for(self.before.organization, index="GSI4"),
            "GSI4SK": Conversation.GSI4[1].format(waiting_since=since, id=self.before.id),
        }


def as_read(before: Snapshot) -> dict[str, Any]:
    """Require that status, handler and archive are as they were read."""
    return {"status": before.status, "handled_by": before.handled_by, "archived_at": before.archived_at}


def newest_unchanged(before: Snapshot) -> dict[str, Any]:
    """Require that nobody has written since the conversation was read."""
    return {"newest_message_id": before.newest_message_id}


def awaits_agent(message_id: str) -> dict[str, Any]:
    """Require what `Conversation.awaits_agent` says, beside the state that each change requires."""
    return {"answered_up_to": below(message_id), "last_speaker": other_than(Speaker.TEAMMATE)}


def approvals_unchanged(before: Snapshot) -> dict[str, Any]:
    """Require that as many approvals wait as were read: how many may wait was decided by that."""
    return {"waiting_approvals": before.waiting_approvals or below(1)}


def forget_current(transaction: Transaction, organization: str, session_hash: str, customer_id: str) -> None:
    """Add to a transaction that a session's next message looks for the newest open conversation.

    The transaction raises SessionGone.
    """
    transaction.change(
        Session.key_for(organization, session_hash),
        set={"current": None},
        add={"openings": 1},
        require={"customer_id": customer_id},
        on_failure=SessionGone,
    )
