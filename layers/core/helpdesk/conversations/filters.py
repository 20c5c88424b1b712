"""What a list of conversations asks for, which index it is read from, and what is left to be left out. No AWS.

Each list is read from the most selective index there is for it: a customer's conversations, a teammate's, or the four
lists of the inbox. What the index does not decide is a filter on what was read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from helpdesk.conversations.index_keys import AssignedList, InboxList
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Handler, Speaker, Status
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


@dataclass(frozen=True, slots=True)
class Source:
    """Where a list is read: partitions of one index, all sorted alike, and what of them is left out."""

    index: Index
    partitions: Sequence[str]
    matching: Filter | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which conversations a list holds; None asks for nothing.

    `assignee` is a teammate's id; `unassigned` asks for those that have none.
    """

    status: Status | None = None
    awaiting_human: bool | None = None
    assignee: str | None = None
    unassigned: bool = False
    customer_id: str | None = None
    archived: bool = False
    snoozed: bool | None = None

    def matches(self, conversation: Conversation) -> bool:
        """Say whether a conversation is one of these."""
        state, item = conversation.state, conversation.item
        return (
            (self.status is None or state.status is self.status)
            and (self.awaiting_human is None or state.awaiting_human is self.awaiting_human)
            and (self.assignee is None or conversation.assignee == self.assignee)
            and (not self.unassigned or conversation.assignee is None)
            and (self.customer_id is None or item["customerId"] == self.customer_id)
            and conversation.archived is self.archived
            and (self.snoozed is None or (item["snoozedUntil"] is not None) is self.snoozed)
        )

    def source(self, organization: str) -> Source:
        """Return where these are read, the most recently active first (a customer's: the most recently started).

        It has no partitions where there can be none of these. Raises MalformedKey where an id is of a form that none
        has.
        """
        if self.awaiting_human and self.status is Status.RESOLVED:
            return Source("GSI1", (), None)
        if self.snoozed and (
            self.archived or self.status is Status.RESOLVED
        ):  # what settles one ends its snooze
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
        """Return what is left out of the partitions; a False argument says that they hold nothing else anyway."""
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
