"""The lists that conversations are in: what each query of them reads, and its pages.

The inbox is four lists in GSI1: conversations that wait for a person, other open ones, resolved ones and archived ones.
Each list is one query, however many conversations there are. An assigned conversation is also in one of its teammate's
three lists in GSI3. Both are sorted by the latest message. What waits for the team is also in GSI4, by since when.

A query is read from the most selective index: a customer's conversations, a teammate's, or the lists of the inbox. What
the index does not decide is a filter on what was read. GSI2, with a customer's conversations, and GSI4 hold keys only:
the items are read behind the keys, and compared here.
"""

from collections.abc import Iterator, Sequence

from helpdesk.conversations.record import AssignedList, Channel, Conversation, InboxList
from helpdesk.conversations.repository import conversations
from helpdesk.conversations.state import Handler, Speaker, Status
from helpdesk.platform.record import Record
from helpdesk.storage import table
from helpdesk.storage.table import Filter, Index, Item, Page

EXAMINED = 500
"""How many conversations of each list one page reads, at most, if it has a filter."""
_OF_A_CUSTOMER = 100
_STATUS = {"#status": "status"}
_AWAITS = (
    "(#status = :open AND ((handledBy = :team AND lastSpeaker <> :teammate) OR waitingApprovals > :zero))"
)
_AWAITS_NOT = (
    "(#status <> :open OR ((handledBy <> :team OR lastSpeaker = :teammate) AND waitingApprovals = :zero))"
)
_AWAITING_VALUES: Item = {
    ":open": Status.OPEN.value,
    ":team": Handler.TEAM.value,
    ":teammate": Speaker.TEAMMATE.value,
    ":zero": 0,
}


class Source(Record):
    """What a list query reads: partitions of one index, all sorted alike, and a filter on their conversations.

    `wanted` is the query itself where the index can't filter.
    """

    index: Index
    partitions: Sequence[str]
    matching: Filter | None = None
    wanted: "ListQuery | None" = None
    newest_first: bool = True


class ListQuery(Record):
    """Which conversations a list holds; None does not restrict it.

    `awaiting_human` selects those that wait for the team, or the others (`Conversation.waits_for_team`). `assignee` is
    a teammate's id; `unassigned` selects those that have none. `team` is a team's id. `longest_wait_first` selects
    those that wait for the team, and sorts them.
    """

    status: Status | None = None
    awaiting_human: bool | None = None
    assignee: str | None = None
    unassigned: bool = False
    team: str | None = None
    customer_id: str | None = None
    archived: bool = False
    snoozed: bool | None = None
    channel: Channel | None = None
    tag: str | None = None
    longest_wait_first: bool = False

    def matches(self, conversation: Conversation) -> bool:
        """Return whether a conversation is one of these."""
        state = conversation.state
        return (
            (self.status is None or state.status is self.status)
            and (self.awaiting_human is None or conversation.waits_for_team is self.awaiting_human)
            and (self.assignee is None or conversation.assignee == self.assignee)
            and (not self.unassigned or conversation.assignee is None)
            and (self.team is None or conversation.team == self.team)
            and (self.customer_id is None or conversation.customer_id == self.customer_id)
            and conversation.archived is self.archived
            and (self.snoozed is None or (conversation.snoozed_until is not None) is self.snoozed)
            and (self.channel is None or conversation.channel is self.channel)
            and (self.tag is None or self.tag in conversation.tags)
        )

    def source(self, organization: str) -> Source:
        """Return what to read, in the order that is asked for.

        It has no partitions if no conversation can match. Raises MalformedKey for an id that cannot be one.
        """
        if self.awaiting_human and self.status is Status.RESOLVED:
            return Source("GSI1", ())
        if self.snoozed and (self.archived or self.status is Status.RESOLVED):  # resolving ends the snooze
            return Source("GSI1", ())
        if self.longest_wait_first:
            waits = (
                self.awaiting_human is not False and not self.archived and self.status is not Status.RESOLVED
            )
            partition = Conversation.partition_for(organization, index="GSI4")
            return Source("GSI4", (partition,) if waits else (), wanted=self, newest_first=False)
        if self.customer_id is not None:
            partition = Conversation.partition_for(organization, self.customer_id, index="GSI2")
            return Source("GSI2", (partition,), wanted=self)
        if self.assignee is not None:
            partitions = [
                Conversation.partition_for(organization, self.assignee, each, index="GSI3")
                for each in self._assigned_lists()
            ]
            return Source("GSI3", partitions, self._filter(status=self.archived, awaiting=True))
        partitions = [
            Conversation.partition_for(organization, each, index="GSI1") for each in self._inbox_lists()
        ]
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

    def _filter(self, *, status: bool, awaiting: bool) -> Filter | None:
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
        if self.unassigned:
            clauses.append("attribute_not_exists(assignee)")
        if self.team is not None:
            clauses.append("team = :team")
            values[":team"] = self.team
        if self.snoozed is not None:
            clauses.append(f"attribute_{'exists' if self.snoozed else 'not_exists'}(snoozedUntil)")
        if self.channel is not None:
            # Items of before there were channels have none.
            or_none = " OR attribute_not_exists(channel)" if self.channel is Channel.API else ""
            clauses.append(f"(channel = :channel{or_none})")
            values[":channel"] = self.channel.value
        if self.tag is not None:
            clauses.append("contains(tags, :tag)")
            values[":tag"] = self.tag
        return Filter(" AND ".join(clauses), names, values) if clauses else None


def quiet_page(organization: str, behind: str, before: int, limit: int) -> list[Conversation]:
    """Return open conversations that do not wait for the team, quiet since before an instant (ms).

    The longest quiet first, from behind a sort key in that list ("" for the first). One query.
    """
    bounds = (behind + "0" if behind else "0", f"{before:013d}")
    if bounds[0] >= bounds[1]:
        return []
    partition = Conversation.partition_for(organization, InboxList.OPEN, index="GSI1")
    page = table.query(partition, index="GSI1", sk_between=bounds, limit=limit)
    return [Conversation.from_item(item) for item in page.items]


def of_customer_from(organization: str, customer_id: str, conversation_id: str) -> Iterator[Conversation]:
    """Yield a customer's conversations from an ID on (empty: all), oldest first, without those being erased.

    Costs one read for the first one, and a query and a batch read for each hundred.
    """
    first = conversations.find(organization, conversation_id) if conversation_id else None
    if first is not None:
        yield first
    after = _start(organization, "GSI2", conversation_id or None)
    while True:
        page = conversations.page(organization, customer_id, index="GSI2", limit=_OF_A_CUSTOMER, after=after)
        yield from (each for each in page.records if not each.erasing)
        after = page.after
        if after is None:
            return


def page(
    organization: str, source: Source, limit: int, before: str | None, *, consistent: bool = False
) -> tuple[list[Conversation], str | None]:
    """Return conversations of a source in the order of its index, and the sort key that the next page starts behind.

    One query for each partition, and a batch read of a customer's. With a filter, up to `EXAMINED` conversations of
    each partition are read, so a page can hold fewer than `limit`, even none, while there is a next one. The page ends
    where the partition ends that was read least far; the next page starts there. A `consistent` page shows a customer's
    conversations as they are now.
    """
    found: dict[str, Item] = {}  # by sort key: one that is changing lists can be in two of them
    read_up_to: str | None = None
    start = _start(organization, source.index, before)
    for partition in source.partitions:
        part = _part(source, partition, limit, start, consistent=consistent)
        found |= {item[f"{source.index}SK"]: item for item in part.items}
        if part.after is not None:
            ends = part.after[f"{source.index}SK"]
            read_up_to = ends if read_up_to is None else max(read_up_to, ends)
    in_order = sorted(found, reverse=source.newest_first)
    if source.newest_first and read_up_to is not None:
        in_order = [sort_key for sort_key in in_order if sort_key >= read_up_to]
    kept = in_order[:limit]
    end = kept[-1] if len(in_order) > limit else read_up_to
    listed = [Conversation.from_item(found[sort_key]) for sort_key in kept]
    return [each for each in listed if not each.erasing], end


def _part(source: Source, partition: str, limit: int, after: Item | None, *, consistent: bool) -> Page:
    """Return up to `limit` or somewhat more conversations of one partition, in the order of the source.

    One query without a filter. With one, it reads twice `limit`, then four times as many while too few match: filtered
    items cost read units too, and the first query mostly suffices.
    """
    items: list[Item] = []
    step, left = limit, limit
    if source.matching is not None:
        step, left = 2 * limit, max(limit, EXAMINED)
    elif source.wanted is not None:  # most match, and each is paid for by itself
        left = max(limit, EXAMINED)
    while True:
        part = table.query(
            partition,
            index=source.index,
            limit=min(step, left),
            newest_first=source.newest_first,
            after=after,
            consistent=consistent,
            matching=source.matching,
        )
        items += [each for each in part.items if _is_wanted(source, each)]
        after, left, step = part.after, left - step, step * 4
        if (
            after is None
            or left <= 0
            or len(items) > limit
            or (source.matching is None and len(items) == limit)
        ):
            return Page(items, after)


def _is_wanted(source: Source, item: Item) -> bool:
    return source.wanted is None or source.wanted.matches(Conversation.from_item(item))


def _start(organization: str, index: Index, before: str | None) -> Item | None:
    """Return the key to continue from behind a sort key, in a partition that has it or not."""
    if before is None:
        return None
    key = Conversation.key_for(organization, before.rpartition("#")[2])
    return {**key.attributes(), f"{index}SK": before}
