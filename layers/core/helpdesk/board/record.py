"""Posts, votes and comments as items. Times are in ms."""

from collections.abc import Mapping
from copy import replace
from enum import StrEnum
from typing import Self

from helpdesk.board.errors import EXCERPT_CHARACTERS
from helpdesk.board.state import PostState
from helpdesk.platform import clock
from helpdesk.platform.record import Record, field
from helpdesk.platform.text import first_words, without_hidden
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import keys
from helpdesk.storage.table import Item
from helpdesk_files import reading

ACTIVE_DAYS = 30
"""Votes and comments of these days count for what is trending."""

_VOTE_DIGITS = 9


class PostList(StrEnum):
    """The lists of a board's posts. Spam is in a list of its own, whatever its state."""

    PUBLIC = "public"
    PENDING = "pending"
    SPAM = "spam"


class Activity(Record):
    """The votes and comments of the last 30 days, by day since 1970."""

    votes: Mapping[int, int] = field(default_factory=dict)
    comments: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a post's activity."""
        votes, comments = (
            {int(day): int(number) for day, number in item[name].items()} for name in ("votes", "comments")
        )
        return cls(votes, comments)

    def to_item(self) -> Item:
        """Return the activity as an attribute of a post's item."""
        return {
            "votes": {str(day): number for day, number in self.votes.items()},
            "comments": {str(day): number for day, number in self.comments.items()},
        }

    def since(self, at: int) -> tuple[int, int]:
        """Return the votes and comments of the last 30 days before an instant (ms)."""
        return _total(self.votes, at), _total(self.comments, at)

    def with_votes(self, number: int, at: int) -> "Activity":
        """Add to the votes of an instant's day, and forget days that are too long ago."""
        return replace(self, votes=_added(self.votes, number, at))

    def with_comments(self, number: int, at: int) -> "Activity":
        """Add to the comments of an instant's day, and forget days that are too long ago."""
        return replace(self, comments=_added(self.comments, number, at))


class Post(Record, kw_only=True):
    """A post without its whole text.

    `version` counts the writes of the item; each write requires it. `customer_id` is its author's, None if the team
    wrote it; then `author_name` is who. `signal_id` is the signal that it is filed under. `verified_votes` are those of
    `votes` that are not an anonymous visitor's.
    """

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
    customer_id: str | None
    author_name: str | None
    signal_id: str | None = None
    activity: Activity = Activity()
    version: int = 1

    @property
    def key(self) -> keys.Post:
        """The key of its item."""
        return keys.Post(self.organization, self.id)

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

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read a post's item."""
        return cls(
            organization=organization,
            id=item["id"],
            number=int(item["number"]),
            title=item["title"],
            excerpt=item["excerpt"],
            board_id=item["boardId"],
            status_id=item["statusId"],
            tag_ids=tuple(item["tagIds"]),
            state=PostState(item["state"]),
            is_spam=item["isSpam"],
            pinned=item["pinned"],
            votes=int(item["votes"]),
            verified_votes=int(item.get("verifiedVotes", 0)),
            comments=int(item["comments"]),
            created_at=int(item["createdAt"]),
            updated_at=int(item["updatedAt"]),
            customer_id=item["customerId"],
            author_name=item["authorName"],
            signal_id=item["signalId"],
            activity=Activity.from_item(item["activity"]),
            version=int(item["version"]),
        )

    def to_item(self) -> Item:
        """Return the post as an item."""
        partition = keys.posts(self.organization, self.board_id, self.list.value)
        return {
            **self.key.attributes(),
            "GSI1PK": partition,
            "GSI1SK": self.newest_key,
            "GSI2PK": partition,
            "GSI2SK": self.votes_key,
            "id": self.id,
            "number": self.number,
            "title": self.title,
            "excerpt": self.excerpt,
            "boardId": self.board_id,
            "statusId": self.status_id,
            "tagIds": list(self.tag_ids),
            "state": self.state.value,
            "isSpam": self.is_spam,
            "pinned": self.pinned,
            "votes": self.votes,
            "verifiedVotes": self.verified_votes,
            "comments": self.comments,
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
            "customerId": self.customer_id,
            "authorName": self.author_name,
            "signalId": self.signal_id,
            "activity": self.activity.to_item(),
            "version": self.version,
        }

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


class Vote(Record):
    """A vote; `voter_id` is a customer's or a teammate's id, or `organization` for a secret key.

    `is_verified` is false for a visitor of whom only a session is known: a browser can have any number.
    """

    post_id: str
    voter_id: str
    is_customer: bool
    at: int
    is_verified: bool

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a vote's item."""
        is_verified = item.get("isVerified", False)
        return cls(item["postId"], item["voterId"], item["isCustomer"], int(item["at"]), is_verified)

    def to_item(self, organization: str) -> Item:
        """Return the vote as an item."""
        return {
            **keys.PostVote(organization, self.post_id, self.voter_id).attributes(),
            "postId": self.post_id,
            "voterId": self.voter_id,
            "isCustomer": self.is_customer,
            "at": self.at,
            "isVerified": self.is_verified,
        }


class Comment(Record):
    """A comment. `customer_id` is its author's, None if the team wrote it; then `author_name` is who."""

    post_id: str
    id: str
    body: str
    created_at: int
    customer_id: str | None
    author_name: str | None

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a comment's item."""
        return cls(
            item["postId"],
            item["id"],
            item["body"],
            int(item["createdAt"]),
            item["customerId"],
            item["authorName"],
        )

    def to_item(self, organization: str) -> Item:
        """Return the comment as an item."""
        return {
            **keys.PostComment(organization, self.post_id, self.id).attributes(),
            "postId": self.post_id,
            "id": self.id,
            "body": self.body,
            "createdAt": self.created_at,
            "customerId": self.customer_id,
            "authorName": self.author_name,
        }


def excerpt_of(body: str) -> str:
    """Return the first 200 characters that readers of a text in Markdown see, on one line and cut at a word."""
    return first_words(without_hidden(reading.plain_text(body)), EXCERPT_CHARACTERS)


def _added(days: Mapping[int, int], number: int, at: int) -> dict[int, int]:
    first = clock.now_ms() // DAY_MS - ACTIVE_DAYS
    kept = {day: count for day, count in days.items() if day >= first}
    day = at // DAY_MS
    if day >= first:
        kept[day] = kept.get(day, 0) + number
    return {day: count for day, count in kept.items() if count}


def _total(days: Mapping[int, int], at: int) -> int:
    first = at // DAY_MS - ACTIVE_DAYS
    return sum(number for day, number in days.items() if day > first)
