"""Posts, votes and comments as items. Times are in ms."""

from collections.abc import Mapping
from copy import replace
from enum import StrEnum

from helpdesk.board.errors import EXCERPT_CHARACTERS
from helpdesk.platform import clock
from helpdesk.platform.record import Record, field
from helpdesk.platform.text import first_words, without_hidden
from helpdesk.platform.units import DAY_MS
from helpdesk.storage.stored import Stored
from helpdesk_files import reading

ACTIVE_DAYS = 30
"""Votes and comments of these days count for what is trending."""

_VOTE_DIGITS = 9


class PostState(StrEnum):
    """Whether a post waits for moderation."""

    PENDING = "pending"
    PUBLIC = "public"


class PostList(StrEnum):
    """The lists of a board's posts. Spam is in a list of its own, whatever its state."""

    PUBLIC = "public"
    PENDING = "pending"
    SPAM = "spam"


class Activity(Record):
    """The votes and comments of the last 30 days, by day since 1970."""

    votes: Mapping[str, int] = field(default_factory=dict)
    comments: Mapping[str, int] = field(default_factory=dict)

    def since(self, at: int) -> tuple[int, int]:
        """Return the votes and comments of the last 30 days before an instant (ms)."""
        return _total(self.votes, at), _total(self.comments, at)

    def with_votes(self, number: int, at: int) -> "Activity":
        """Add to the votes of an instant's day, and forget days that are too long ago."""
        return replace(self, votes=_added(self.votes, number, at))

    def with_comments(self, number: int, at: int) -> "Activity":
        """Add to the comments of an instant's day, and forget days that are too long ago."""
        return replace(self, comments=_added(self.comments, number, at))


class Post(Stored, kw_only=True):
    """A post on the feedback board without its whole text. IDs sort by time.

    `version` counts the writes of the item; each write requires it. `customer_id` is its author's, None if the team
    wrote it; then `author_name` is who. `signal_id` is the signal that it is filed under. `verified_votes` are those of
    `votes` that are not an anonymous visitor's. In GSI1 the newest posts of a list are last, in GSI3 the most voted.
    """

    PK, SK = "ORG#{organization}#POST#{id}", "POST"
    GSI1 = "ORG#{organization}#POSTS#{board_id}#{list}", "{newest_key}"
    GSI3 = "ORG#{organization}#POSTS#{board_id}#{list}", "{votes_key}"
    organization: str
    id: str
    number: int
    title: str
    excerpt: str
    board_id: str
    status_id: str
    tag_ids: tuple[str, ...] = ()
    state: PostState = PostState.PUBLIC
    is_spam: bool = False
    pinned: bool = False
    votes: int = 0
    verified_votes: int = 0
    comments: int = 0
    created_at: int
    updated_at: int
    customer_id: str | None = None
    author_name: str | None = None
    signal_id: str | None = None
    activity: Activity = Activity()
    version: int = 1

    @property
    def list(self) -> PostList:
        """The list of its board that it is in."""
        return PostList.SPAM if self.is_spam else PostList(self.state.value)

    @property
    def newest_key(self) -> str:
        """Its place among the newest posts, the last one first."""
        return f"{int(self.pinned)}#{self.id}"

    @property
    def votes_key(self) -> str:
        """Its place among the most voted posts, the last one first."""
        return f"{int(self.pinned)}#{self.votes:0{_VOTE_DIGITS}d}#{self.id}"

    def with_vote(self, vote: "Vote") -> "Post":
        """Count a vote."""
        return self._with_votes(vote, 1)

    def without_vote(self, vote: "Vote") -> "Post":
        """Count a vote no longer."""
        return self._with_votes(vote, -1)

    def _with_votes(self, vote: "Vote", number: int) -> "Post":
        return replace(
            self,
            votes=self.votes + number,
            verified_votes=self.verified_votes + number * vote.is_verified,
            activity=self.activity.with_votes(number, vote.at),
        )

    def with_comment(self, at: int) -> "Post":
        """Count a comment of an instant (ms)."""
        return replace(self, comments=self.comments + 1, activity=self.activity.with_comments(1, at))

    def without_comment(self, at: int) -> "Post":
        """Count a comment of an instant (ms) no longer."""
        return replace(self, comments=self.comments - 1, activity=self.activity.with_comments(-1, at))


class PostBody(Stored):
    """The whole text of a post."""

    PK, SK = "ORG#{organization}#POST#{post_id}", "BODY"
    organization: str
    post_id: str
    body: str


class PostNumber(Stored):
    """The post that has a number."""

    PK, SK = "ORG#{organization}#POSTNUMBER#{number}", "POSTNUMBER"
    organization: str
    number: str
    post_id: str


class SignalPost(Stored):
    """A post that is filed under a signal."""

    PK, SK = "ORG#{organization}#SIGNAL#{signal_id}", "POST#{post_id}"
    organization: str
    signal_id: str
    post_id: str


class Vote(Stored):
    """A vote; `voter_id` is a customer's or a teammate's id, or `organization` for a secret key.

    `is_verified` is false for a visitor of whom only a session is known: a browser can have any number.
    """

    PK, SK = "ORG#{organization}#POST#{post_id}", "VOTE#{voter_id}"
    organization: str
    post_id: str
    voter_id: str
    is_customer: bool
    at: int
    is_verified: bool = False


class Comment(Stored):
    """A comment. IDs sort by time.

    `customer_id` is its author's, None if the team wrote it; then `author_name` is who.
    """

    PK, SK = "ORG#{organization}#POST#{post_id}", "COMMENT#{id}"
    organization: str
    post_id: str
    id: str
    body: str
    created_at: int
    customer_id: str | None = None
    author_name: str | None = None


class BoardTrace(Stored):
    """A post, vote or comment of a customer, so that an erasure and an export find it.

    `what` is `POST`, `VOTE` or the comment's ID.
    """

    PK, SK = "ORG#{organization}#CUS#{customer_id}", "BOARD#{post_id}#{what}"
    organization: str
    customer_id: str
    post_id: str
    what: str


def excerpt_of(body: str) -> str:
    """Return the first 200 characters that readers of a text in Markdown see, on one line and cut at a word."""
    return first_words(without_hidden(reading.plain_text(body)), EXCERPT_CHARACTERS)


def _added(days: Mapping[str, int], number: int, at: int) -> dict[str, int]:
    first = clock.now_ms() // DAY_MS - ACTIVE_DAYS
    kept = {day: count for day, count in days.items() if int(day) >= first}
    day = at // DAY_MS
    if day >= first:
        kept[str(day)] = kept.get(str(day), 0) + number
    return {day: count for day, count in kept.items() if count}


def _total(days: Mapping[str, int], at: int) -> int:
    first = at // DAY_MS - ACTIVE_DAYS
    return sum(number for day, number in days.items() if int(day) > first)
