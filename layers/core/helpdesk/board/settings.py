"""The feedback board's settings, with the numbers of posts, as one item.

A change of the settings requires the version that it was made from, and that no post has what it leaves out. A change
of a post's board, status or tags requires the version, too, and counts the post in the same write. So a post never has
a status that does not exist, and the counts always equal the posts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Self

from helpdesk.board.errors import BoardNotFound, StatusNotFound, TagNotFound
from helpdesk.board.record import Post, PostList
from helpdesk.platform.record import Record, field
from helpdesk.signals.kinds import SignalStatus
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import Item

COUNT = "posts_"
"""The beginning of the attributes that count posts."""


class Board(Record):
    """A board. New posts of a `moderated` one wait until the team makes them public."""

    id: str
    name: str
    moderated: bool = False

    @property
    def counts(self) -> list[str]:
        """The names of the attributes that count its posts."""
        return [count_of_board(self.id, each) for each in PostList]


class Status(Record):
    """A status. A post under a signal gets it when the signal's status becomes `signal_status`."""

    id: str
    name: str
    signal_status: SignalStatus | None = None

    @property
    def counts(self) -> list[str]:
        """The names of the attributes that count its posts."""
        return [count_of_status(self.id)]


class Tag(Record):
    """A tag."""

    id: str
    name: str

    @property
    def counts(self) -> list[str]:
        """The names of the attributes that count its posts."""
        return [count_of_tag(self.id)]


_BOARDS = (Board("ideas", "Ideas"),)
_STATUSES = (
    Status("open", "Open", SignalStatus.OPEN),
    Status("planned", "Planned", SignalStatus.PLANNED),
    Status("in_progress", "In progress", SignalStatus.IN_PROGRESS),
    Status("done", "Done", SignalStatus.DONE),
)


class BoardSettings(Stored, kw_only=True):
    """The settings. `version` is 0 until someone changes them; `counts` are numbers of posts by attribute.

    `last_number` is that of the last post, and `counted` counts the changes of `counts`.
    """

    PK, SK = "ORG#{organization}#BOARD", "BOARD"
    organization: str
    version: int = 0
    boards: tuple[Board, ...] = _BOARDS
    statuses: tuple[Status, ...] = _STATUSES
    tags: tuple[Tag, ...] = ()
    last_number: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    counted: int = 0

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read the item, which has an attribute for each count. One that only counts posts has the default settings."""
        counts = {name: number for name, number in item.items() if name.startswith(COUNT)}
        return super().from_item(item | {"counts": counts})

    def posts(self, names: Iterable[str]) -> int:
        """Return how many posts attributes count together."""
        return sum(self.counts.get(name, 0) for name in names)

    def board(self, board_id: str | None) -> Board:
        """Return a board, the first one for None. Raises BoardNotFound."""
        for board in self.boards:
            if board_id in {None, board.id}:
                return board
        raise BoardNotFound

    def status(self, status_id: str) -> Status:
        """Return a status. Raises StatusNotFound."""
        for status in self.statuses:
            if status.id == status_id:
                return status
        raise StatusNotFound

    def require_tags(self, tag_ids: Iterable[str]) -> None:
        """Raise TagNotFound unless all tags exist."""
        if not set(tag_ids) <= {tag.id for tag in self.tags}:
            raise TagNotFound

    def is_of_deleted_tag(self, name: str) -> bool:
        """Return whether an attribute counts the posts with a tag that is deleted."""
        return name.startswith(count_of_tag("")) and name not in {count_of_tag(tag.id) for tag in self.tags}

    def without_deleted_tags(self, tag_ids: Iterable[str]) -> tuple[str, ...]:
        """Return the tags of a post that are there."""
        known = {tag.id for tag in self.tags}
        return tuple(tag_id for tag_id in tag_ids if tag_id in known)

    def status_for(self, signal_status: SignalStatus) -> Status | None:
        """Return the status that posts under a signal with this status get; None if they keep theirs."""
        return next((each for each in self.statuses if each.signal_status is signal_status), None)


def settings_of(organization: str, item: Item | None) -> BoardSettings:
    """Return the settings of an item; without one, the default settings."""
    return BoardSettings(organization=organization) if item is None else BoardSettings.from_item(item)


def tally(post: Post) -> Counter[str]:
    """Return the attributes that count a post."""
    names = [count_of_board(post.board_id, post.list), count_of_status(post.status_id)]
    return Counter([*names, *map(count_of_tag, post.tag_ids)])


def count_of_board(board_id: str, post_list: PostList) -> str:
    """Return the attribute that counts one list of a board's posts."""
    return f"{COUNT}board_{board_id}_{post_list.value}"


def count_of_status(status_id: str) -> str:
    """Return the attribute that counts the posts with a status."""
    return f"{COUNT}status_{status_id}"


def count_of_tag(tag_id: str) -> str:
    """Return the attribute that counts the posts with a tag."""
    return f"{COUNT}tag_{tag_id}"
