"""What a conversation's row knows of its messages, carried forward message by message. No AWS."""

from copy import replace
from typing import TYPE_CHECKING

from helpdesk.platform.record import Record

if TYPE_CHECKING:
    from helpdesk.conversations.message_record import Message


class Thread(Record, array_like=True):
    """The messages of a conversation up to `up_to`, the id of the last one; ids sort in the order of the writes.

    `waiting_since` is when the first of the visitor's messages came that nobody has answered (ms). The response times
    (ms) are from the first message of the visitor. A row's item has the values as a JSON array, in this order.
    """

    up_to: str = ""
    by_visitor: int = 0
    by_agent: int = 0
    by_team: int = 0
    started_by_team: bool = False
    first_visitor_at: int | None = None
    last_visitor_at: int | None = None
    waiting_since: int | None = None
    first_response: int | None = None
    first_team_response: int | None = None

    @property
    def count(self) -> int:
        """How many messages there are."""
        return self.by_visitor + self.by_agent + self.by_team

    def after(self, message: "Message") -> "tuple[Thread, int | None]":
        """Return the thread after a message, and how long the visitor had waited for it: None if they did not."""
        at = message.created_at
        if message.by_visitor:
            first = at if self.first_visitor_at is None else self.first_visitor_at
            since = at if self.waiting_since is None else self.waiting_since
            return replace(
                self,
                up_to=message.id,
                by_visitor=self.by_visitor + 1,
                first_visitor_at=first,
                last_visitor_at=at,
                waiting_since=since,
            ), None
        if message.notice:  # it answers nothing
            return replace(
                self,
                up_to=message.id,
                by_team=self.by_team + 1,
                started_by_team=self.started_by_team or self.count == 0,
            ), None
        by_team = message.by_person
        waited = None if self.waiting_since is None else max(at - self.waiting_since, 0)
        after = replace(
            self,
            up_to=message.id,
            by_team=self.by_team + by_team,
            by_agent=self.by_agent + (not by_team),
            started_by_team=self.started_by_team or (self.count == 0 and by_team),
            waiting_since=None,
        )
        if self.first_visitor_at is None:
            return after, waited
        response = max(at - self.first_visitor_at, 0)
        if self.first_response is None:
            after = replace(after, first_response=response)
        if by_team and self.first_team_response is None:
            after = replace(after, first_team_response=response)
        return after, waited
