"""A conversation as it was read, and the news that it has changed since."""

from dataclasses import dataclass

from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.state import Handler, Speaker, State, Status, Visibility
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed, Item


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation's item, and the state in it."""

    item: Item

    @property
    def id(self) -> str:
        """The conversation's id."""
        return str(self.item["id"])

    @property
    def organization(self) -> str:
        """The organization's id."""
        return str(self.item["organization"])

    @property
    def state(self) -> State:
        """Status, handler, who spoke last, and whether it is put aside."""
        aside = Visibility.SNOOZED if self.snoozed_until is not None else Visibility.ACTIVE
        return State(
            Status(self.item["status"]),
            Handler(self.item["handledBy"]),
            Speaker(self.item["lastSpeaker"]),
            Visibility.ARCHIVED if self.archived else aside,
        )

    @property
    def assignee(self) -> str | None:
        """The teammate that it is assigned to, as far as the item tells."""
        assignee = self.item.get("assignee")
        return str(assignee) if assignee is not None else None

    @property
    def snoozed_until(self) -> int | None:
        """Until when it is snoozed (ms), as far as the item tells."""
        until = self.item.get("snoozedUntil")
        return int(until) if until is not None else None

    @property
    def archived(self) -> bool:
        """Whether it is archived: then it takes no writes."""
        return self.item["archivedAt"] is not None

    @property
    def being_erased(self) -> bool:
        """Whether it is on its way out of the table: it is as good as gone for everyone but the eraser."""
        return BEING_ERASED in self.item


class StaleConversation(ConditionFailed):
    """The conversation is not as it was when it was read; `conversation` is what it is now."""

    def __init__(self, item: Item | None) -> None:
        if item is None or BEING_ERASED in item:
            raise ConversationNotFound
        super().__init__(item)
        self.conversation = Conversation(item)
