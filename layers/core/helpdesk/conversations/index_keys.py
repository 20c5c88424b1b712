"""The lists that conversations are in, the index keys that place them there, and what each list query reads.

The inbox is four lists in GSI1: conversations that wait for a person, other open ones, resolved ones and archived ones.
Each list is one query, however many conversations there are. An assigned conversation is also in one of its teammate's
three lists in GSI3. Both are sorted by the latest message.

A query is read from the most selective index: a customer's conversations, a teammate's, or the lists of the inbox. What
the index does not decide is a filter on what was read.
"""

from collections.abc import Sequence
from enum import StrEnum

from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Handler, Speaker, State, Status
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.storage import keys
from helpdesk.storage.table import Filter, Index, Item

_STATUS = {"#status": "status"}
_AWAITS = "(#status = :open AND handledBy = :team AND lastSpeaker <> :teammate)"
_AWAITS_NOT = "(#status <> :open OR handledBy <> :team OR lastSpeaker = :teammate)"
_AWAITING_VALUES: Item = {
    ":open": Status.OPEN.value,
    ":team": Handler.TEAM.value,
    ":teammate": Speaker.TEAMMATE.value,
}


class InboxList(StrEnum):
    """The lists of the inbox. A conversation is in exactly one of them."""

    WAITING = "waiting"
    """Open, and the visitor waits for a person (awaitingHuman)."""
    OPEN = "open"
    """Open, and the visitor does not wait for a person."""
    RESOLVED = "resolved"
    ARCHIVED = "archived"


class AssignedList(StrEnum):
    """The lists of one teammate's conversations.

    The open ones are one list: a visitor's message is written without knowing the assignee, so it must not have to
    change the list.
    """

    OPEN = "open"
    RESOLVED = "resolved"
    ARCHIVED = "archived"


ERASED = "erased"
"""A further list: conversations that are being erased, where the eraser finds them."""


def inbox_list(state: State, *, archived: bool) -> InboxList:
    """Return the list of the inbox that a conversation in this state is in."""
    if archived:
        return InboxList.ARCHIVED
    if state.status is Status.RESOLVED:
        return InboxList.RESOLVED
    return InboxList.WAITING if state.awaiting_human else InboxList.OPEN


def assigned_list(state: State, *, archived: bool) -> AssignedList:
    """Return the list of its assignee that a conversation in this state is in."""
    if archived:
        return AssignedList.ARCHIVED
    return AssignedList.RESOLVED if state.status is Status.RESOLVED else AssignedList.OPEN


def inbox(organization: str, state: State, *, archived: bool = False) -> Item:
    """Return the index key that puts a conversation into its list of the inbox."""
    return {"GSI1PK": keys.inbox(organization, inbox_list(state, archived=archived).value)}


def assigned(organization: str, assignee: str, state: State, *, archived: bool = False) -> Item:
    """Return the index key that puts a conversation into its assignee's list."""
    which = assigned_list(state, archived=archived)
    return {"GSI3PK": keys.assigned_conversations(organization, assignee, which.value)}


def activity(at_ms: int, conversation_id: str) -> str:
    """Return the sort key of a conversation in its lists: by its latest message."""
    return f"{at_ms:013d}#{conversation_id}"


def latest(at_ms: int, conversation_id: str) -> Item:
    """Return the sort keys of a conversation; without an assignee it is in no list of GSI3."""
    sort_key = activity(at_ms, conversation_id)
    return {"GSI1SK": sort_key, "GSI3SK": sort_key}


class Source(FrozenRecord):
    """What a list query reads: partitions of one index, all sorted alike, and a filter on their conversations."""

    index: Index
    partitions: Sequence[str]
    matching: Filter | None


class ListQuery(FrozenRecord):
    """Which conversations a list holds; None does not restrict it.

    `assignee` is a teammate's id; `unassigned` selects those that have none.
    """

    status: Status | None = None
    awaiting_human: bool | None = None
    assignee: str | None = None
    unassigned: bool = False
    customer_id: str | None = None
    archived: bool = False
    snoozed: bool | None = None

    def matches(self, conversation: Conversation) -> bool:
        """Return whether a conversation is one of these."""
        state = conversation.state
        return (
            (self.status is None or state.status is self.status)
            and (self.awaiting_human is None or state.awaiting_human is self.awaiting_human)
            and (self.assignee is None or conversation.assignee == self.assignee)
            and (not self.unassigned or conversation.assignee is None)
            and (self.customer_id is None or conversation.customer_id == self.customer_id)
            and conversation.archived is self.archived
            and (self.snoozed is None or (conversation.snoozed_until is not None) is self.snoozed)
        )

    def source(self, organization: str) -> Source:
        """Return what to read, the most recently active first (one customer's: the most recently started).

        It has no partitions if no conversation can match. Raises MalformedKey for an id that cannot be one.
        """
        if self.awaiting_human and self.status is Status.RESOLVED:
            return Source("GSI1", (), None)
        if self.snoozed and (self.archived or self.status is Status.RESOLVED):  # resolving ends the snooze
            return Source("GSI1", (), None)
        if self.customer_id is not None:
            keys.Customer(organization, self.customer_id)
            partition = keys.customer_conversations(organization, self.customer_id)
            return Source("GSI2", (partition,), self._filter(status=True, awaiting=True, archived=True))
        if self.assignee is not None:
            keys.Member(organization, self.assignee)
            lists = self._assigned_lists()
            partitions = [
                keys.assigned_conversations(organization, self.assignee, each.value) for each in lists
            ]
            return Source("GSI3", partitions, self._filter(status=self.archived, awaiting=True))
        partitions = [keys.inbox(organization, each.value) for each in self._inbox_lists()]
        return Source("GSI1", partitions, self._filter(status=self.archived, awaiting=self.archived))

    def _inbox_lists(self) -> list[InboxList]:
        if self.archived:
            return [InboxList.ARCHIVED]
        lists = []
        if self.status is not Status.RESOLVED:
            lists += [InboxList.WAITING] if self.awaiting_human is not False else []
            lists += [InboxList.OPEN] if not self.awaiting_human else []
        if self.status is not Status.OPEN and not self.awaiting_human and not self.snoozed:
            lists.append(InboxList.RESOLVED)
        return lists

    def _assigned_lists(self) -> list[AssignedList]:
        if self.archived:
            return [AssignedList.ARCHIVED]
        lists = [AssignedList.OPEN] if self.status is not Status.RESOLVED else []
        if self.status is not Status.OPEN and not self.awaiting_human and not self.snoozed:
            lists.append(AssignedList.RESOLVED)
        return lists

    def _filter(self, *, status: bool, awaiting: bool, archived: bool = False) -> Filter | None:
        """Return the filter on the partitions; a False argument says that they hold nothing else anyway."""
        clauses: list[str] = []
        values: Item = {}
        names: dict[str, str] = {}
        if status and self.status is not None:
            clauses.append("#status = :status")
            values[":status"] = self.status.value
            names = _STATUS
        if awaiting and self.awaiting_human is not None:
            clauses.append(_AWAITS if self.awaiting_human else _AWAITS_NOT)
            values |= _AWAITING_VALUES
            names = _STATUS
        absent = []
        if self.customer_id is not None and self.assignee is not None:
            clauses.append("assignee = :assignee")
            values[":assignee"] = self.assignee
        if self.unassigned:
            absent.append("assignee = :none")
        if archived:
            absent.append(f"archivedAt {'<>' if self.archived else '='} :none")
        if self.snoozed is not None:
            absent.append(f"snoozedUntil {'<>' if self.snoozed else '='} :none")
        if absent:
            clauses += absent
            values[":none"] = None
        return Filter(" AND ".join(clauses), names, values) if clauses else None
