"""What a write does to a conversation, and what it requires of it."""

from collections.abc import Iterator
from typing import NamedTuple

from helpdesk.conversations import list_repository
from helpdesk.conversations.record import BrowserContext, HourTokens, Snapshot, newest_message
from helpdesk.conversations.state import Handler, Speaker, State, Status, Visibility, emits_event
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item
from helpdesk.visitor_texts.languages import Language


class NewMessage(Record):
    """A customer-visible message that a change adds, at an instant (ms).

    A `notice` is one that the organization sends unasked: nobody speaks last with it.
    """

    id: str
    at: int
    notice: bool = False


class Requirement(NamedTuple):
    """A condition on a conversation's item, and the values that it names."""

    condition: str
    values: Item


class Change(Record, kw_only=True):
    """A state over the one that was read, and what else the write sets.

    None leaves an attribute as it is. `handoff_reason` is why the agent hands the conversation to the team with its
    message. `answered_up_to` is the last message that this one answers, `gap` the last message of a question that the
    agent found nothing for. `new_approvals` are added to those that wait. `ends_snooze` ends a snooze that the write
    may not know of.
    """

    before: Snapshot
    state: State
    message: NewMessage | None = None
    answered_up_to: str | None = None
    handoff_reason: str | None = None
    language: Language | None = None
    gap: str | None = None
    new_approvals: int = 0
    tokens: HourTokens | None = None
    context: BrowserContext | None = None
    snoozed_until: int | None = None
    ends_snooze: bool = False

    @property
    def attributes(self) -> Item:
        """The attributes that the write sets."""
        was, state, message = self.before.state, self.state, self.message
        changes: Item = {
            "status": state.status.value,
            "handledBy": state.handled_by.value,
            "lastSpeaker": state.last_speaker.value,
            **self._placed[0],
            "answeredUpTo": self.answered_up_to,
            "snoozedUntil": self.snoozed_until,
            "language": self.language,
            "gap": self.gap,
            "context": self.context and self.context.to_item(),
            "resolvedAt": clock.now_ms() if self._resolves else None,
        }
        changes = {name: value for name, value in changes.items() if value is not None}
        if self.snoozed_until is None and (
            self.ends_snooze or (state.key != was.key and state.visibility is not Visibility.SNOOZED)
        ):
            changes |= {"snoozedUntil": None}
        if self._archives is not (was.visibility is Visibility.ARCHIVED):
            changes |= {"archivedAt": clock.now_ms() if self._archives else None}
        if self._changes_assigned_list and self.before.assignee is not None:
            changes |= list_repository.assigned(
                self.before.organization, self.before.assignee, state, archived=self._archives
            )
        if self.tokens is not None:
            changes |= self.tokens.changed
        if message is not None:
            by_visitor = state.last_speaker is Speaker.VISITOR and not message.notice
            changes |= newest_message(message.id, message.id if by_visitor else None)
            changes |= {"lastMessageAt": message.at, **list_repository.latest(message.at, self.before.id)}
            if self.handoff_reason is not None:
                # The last message is a hand-off for as long as this is the time of the last message.
                changes |= {"handedOffAt": message.at, "handOffReason": self.handoff_reason}
        return changes

    @property
    def counts(self) -> dict[str, int]:
        """What the write adds to the conversation's counts."""
        return {
            **({} if self.tokens is None else self.tokens.added),
            "messageCount": int(self.message is not None),
            "resolutions": int(self._resolves),
            "waitingApprovals": self.new_approvals,
            "stateChanges": int(emits_event(self.before.state, self.state)),
        }

    @property
    def requirements(self) -> Iterator[Requirement]:
        """What the conversation must be for this change to be right. Callers add what their reason needs.

        Status, handler and archive must be as they were read. So must the snooze if the state's key changes, and the
        assignee if the change moves the conversation to another of their lists. A message's ID must sort after the
        newest one. Without a message, nobody may have written since: who wrote last decides whether a person is
        awaited, and the visitor's newest message is the one that the agent answers.
        """
        was = self.before.state
        yield Requirement(
            "#status = :wasStatus AND handledBy = :wasHandledBy AND archivedAt = :wasArchivedAt",
            {
                ":wasStatus": was.status.value,
                ":wasHandledBy": was.handled_by.value,
                ":wasArchivedAt": self.before.archived_at,
            },
        )
        if (requirement := self._placed[1]) is not None:
            yield requirement
        if self.state.key != was.key:
            yield Requirement(
                "snoozedUntil = :wasSnoozedUntil", {":wasSnoozedUntil": self.before.snoozed_until}
            )
        if self._changes_assigned_list:
            yield Requirement("assignee = :wasAssignee", {":wasAssignee": self.before.assignee})
        if self.message is None:
            yield newest_unchanged(self.before)
        else:
            # `:newestMessageId` is the value that the write sets.
            yield Requirement(
                "(attribute_not_exists(newestMessageId) OR newestMessageId < :newestMessageId)", {}
            )

    @property
    def _resolves(self) -> bool:
        return self.state.status is Status.RESOLVED and self.before.state.status is not Status.RESOLVED

    @property
    def _archives(self) -> bool:
        return self.state.visibility is Visibility.ARCHIVED

    @property
    def _changes_assigned_list(self) -> bool:
        was = self.before.state
        was_archived = was.visibility is Visibility.ARCHIVED
        return self.state.status is not was.status or self._archives is not was_archived

    @property
    def _placed(self) -> tuple[Item, Requirement | None]:
        """The list of the inbox in which the write puts the conversation, and what makes it the right one.

        Neither is given if the write leaves the conversation in its list, whatever that is: a snapshot may not know of
        the approvals that wait.
        """
        without, with_approvals = (
            list_repository.inbox(
                self.before.organization, self.state, archived=self._archives, approvals=approvals
            )
            for approvals in (False, True)
        )
        if without == with_approvals:
            return without, None
        if self.new_approvals:
            return with_approvals, None
        if self.state.key == self.before.state.key and self.state.handled_by is Handler.AGENT:
            return {}, None
        none = {":noApprovals": 0}
        if self.before.waiting_approvals:
            return with_approvals, Requirement("waitingApprovals > :noApprovals", none)
        return without, Requirement(
            "(attribute_not_exists(waitingApprovals) OR waitingApprovals = :noApprovals)", none
        )


def newest_unchanged(before: Snapshot) -> Requirement:
    """Require that nobody has written since the conversation was read."""
    if before.newest_message_id is None:
        return Requirement("attribute_not_exists(newestMessageId)", {})
    return Requirement(
        "newestMessageId = :wasNewestMessageId", {":wasNewestMessageId": before.newest_message_id}
    )


def awaits_agent(message_id: str) -> Requirement:
    """Require what `Conversation.awaits_agent` says, beside the state that each change requires."""
    return Requirement(
        "(attribute_not_exists(answeredUpTo) OR answeredUpTo < :answering) AND lastSpeaker <> :teammate",
        {":answering": message_id, ":teammate": Speaker.TEAMMATE.value},
    )


def approvals_unchanged(before: Snapshot) -> Requirement:
    """Require that as many approvals wait as were read: how many may wait was decided by that."""
    waiting = "waitingApprovals = :waiting"
    if not before.waiting_approvals:
        waiting = f"(attribute_not_exists(waitingApprovals) OR {waiting})"
    return Requirement(waiting, {":waiting": before.waiting_approvals})
