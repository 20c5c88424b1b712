"""Requests and responses of the feedback board (Specification: Feedback post)."""

from enum import StrEnum
from typing import Annotated

from pydantic import ConfigDict, Field

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, PageQuery, Query, schema_hint
from helpdesk.board.errors import (
    MAX_BODY_CHARACTERS,
    MAX_COMMENT_CHARACTERS,
    MAX_NAME_CHARACTERS,
    MAX_TAGS_OF_A_POST,
    MAX_TITLE_CHARACTERS,
)
from helpdesk.board.record import PostState
from helpdesk.conversations.messages.sessions import Session
from helpdesk.signals.kinds import SentStatus, SignalKind, SignalStatus

Name = Annotated[str, schema_hint(minLength=1, maxLength=MAX_NAME_CHARACTERS)]
PostTitle = Annotated[str, schema_hint(minLength=1, maxLength=MAX_TITLE_CHARACTERS)]
PostText = Annotated[str, schema_hint(maxLength=MAX_BODY_CHARACTERS)]
TagIds = Annotated[list[str], schema_hint(maxItems=MAX_TAGS_OF_A_POST)]


class PostSort(StrEnum):
    """The order of posts. Pinned posts come first in each."""

    NEWEST = "newest"
    VOTES = "votes"
    TRENDING = "trending"


class BoardShape(Answer):
    """A board, with the number of its posts."""

    id: str
    name: str
    moderated: bool
    """Whether new posts wait until the team makes them public."""
    public: int
    """Its public posts."""
    pending: int
    """Its posts that wait for moderation."""
    spam: int
    """Its posts that are marked as spam, whatever their state."""


class PostStatusShape(Answer):
    """A status that posts can have."""

    id: str
    name: str
    signal_status: SignalStatus | None
    """The status of a signal with which its posts get this status; null for none."""
    posts: int
    """The posts that have it, in any state."""


class PostTagShape(Answer):
    """A tag that posts can have."""

    id: str
    name: str
    posts: int
    """The posts that have it, in any state."""


class BoardAnswer(Answer):
    """GET /board and PATCH /board: the feedback board's settings, each list in its order."""

    version: int
    """Send it with a change, and the change is refused if the settings have changed meanwhile."""
    boards: list[BoardShape]
    statuses: list[PostStatusShape]
    """A new post has the first one."""
    tags: list[PostTagShape]


class BoardInput(Body):
    """A board: one that exists by its `id`, or a new one without `id`."""

    id: str | None = None
    name: Name
    moderated: bool | None = None
    """Left out, it stays as it is; false for a new board."""


class PostStatusInput(Body):
    """A status: one that exists by its `id`, or a new one without `id`."""

    id: str | None = None
    name: Name
    signal_status: SentStatus | None = None
    """The status of a signal with which the posts under it get this status. Two statuses cannot have the same."""


class PostTagInput(Body):
    """A tag: one that exists by its `id`, or a new one without `id`."""

    id: str | None = None
    name: Name


class BoardUpdate(Body):
    """The body of PATCH /board. A list that is sent replaces the former one, in its order."""

    boards: list[BoardInput] | None = None
    """1 to 10."""
    statuses: list[PostStatusInput] | None = None
    """1 to 20. The first one is that of new posts."""
    tags: list[PostTagInput] | None = None
    """Up to 100."""
    version: int | None = None
    """The `version` that the change was made for; left out, the change applies to any."""


class VoterInput(Body):
    """The person who votes: a visitor by `session`, or a customer by `customerId`; without both, the caller."""

    session: Session | None = None
    """The visitor's session token. A session that is not known makes a customer."""
    customer_id: str | None = None


class VoterQuery(Query):
    """The parameters of DELETE /board/posts/{id}/vote, in place of a body."""

    session: Session | None = None
    """The visitor's session token."""
    customer_id: str | None = None
    """The customer, if no session is sent."""


class PostInput(VoterInput):
    """The body of POST /board/posts. Without `session` and `customerId`, the author is the caller."""

    model_config = ConfigDict(json_schema_extra={"required": ["title"]})

    title: PostTitle | None = None
    """Required, up to 200 characters after trimming. The error is `title_required` if it is missing or blank."""
    body: PostText = ""
    """Plain text."""
    board_id: str | None = None
    """The first board by default."""


class PostUpdate(Body):
    """The body of PATCH /board/posts/{id}: the fields to change."""

    title: PostTitle | None = None
    body: PostText | None = None
    board_id: str | None = None
    status_id: str | None = None
    tag_ids: TagIds | None = None
    """All tags of the post, up to 10."""
    state: Annotated[PostState, Field(strict=False)] | None = None
    is_spam: bool | None = None
    pinned: bool | None = None


class PostSignalInput(Body):
    """The body of POST /board/posts/{id}/signal."""

    signal_id: str | None
    """The signal to file the post under; null takes it off any signal."""


class CommentInput(VoterInput):
    """The body of POST /board/posts/{id}/comments. Without `session` and `customerId`, the author is the caller."""

    body: Annotated[str, schema_hint(minLength=1, maxLength=MAX_COMMENT_CHARACTERS)]
    """Plain text."""


class PostsQuery(PageQuery):
    """The parameters of GET /board/posts."""

    board_id: str | None = None
    """Only posts of this board."""
    status_id: str | None = None
    """Only posts with this status."""
    tag_id: str | None = None
    """Only posts with this tag."""
    state: PostState | None = None
    """Only posts in this state; both by default."""
    is_spam: bool = False
    """True for posts that are marked as spam, which are in no other list."""
    q: str | None = None
    """Only posts whose title and text have all these words, the newest first."""
    sort: PostSort = PostSort.NEWEST
    """The order; `trending` compares the votes and comments of the last 30 days."""
    session: Session | None = None
    """A visitor's session token: `voted` says for each post whether they voted for it."""


class PostAuthorShape(Answer):
    """The author of a post or comment."""

    name: str
    """A customer without a name is "Visitor"."""
    is_team: bool
    """Whether the author is a teammate or the organization."""
    email: str | None
    """The customer's e-mail address, if it is known."""


class PostCommentShape(Answer):
    """A comment on a post."""

    id: str
    body: str
    created_at: Milliseconds
    author: PostAuthorShape


class SignalSummary(Answer):
    """The signal that a post is filed under."""

    id: str
    title: str
    status: SignalStatus
    kind: SignalKind


class PostSummary(Answer):
    """A post in a list."""

    id: str
    number: int
    path: str
    """The post's place on a help site: `/board/<number>-<title>`."""
    title: str
    excerpt: str
    """The first words of the text, without its Markdown, on one line: at most 200 characters."""
    board_id: str
    status_id: str
    tag_ids: list[str]
    state: PostState
    is_spam: bool
    pinned: bool
    has_signal: bool
    votes: int
    """All votes."""
    verified_votes: int
    """The votes of teammates, of customers whom your server names, and of visitors who signed in."""
    comment_count: int
    created_at: Milliseconds
    author: PostAuthorShape
    voted: bool | None
    """Whether the visitor of `session` voted for it; null without `session`."""


class PostAnswer(Answer):
    """GET /board/posts/{id}: the post."""

    id: str
    number: int
    path: str
    """The post's place on a help site: `/board/<number>-<title>`."""
    title: str
    excerpt: str
    """The first words of the text, without its Markdown, on one line: at most 200 characters."""
    body: str
    board_id: str
    status_id: str
    tag_ids: list[str]
    state: PostState
    is_spam: bool
    pinned: bool
    has_signal: bool
    votes: int
    """All votes."""
    verified_votes: int
    """The votes of teammates, of customers whom your server names, and of visitors who signed in."""
    comments: list[PostCommentShape]
    """The discussion, oldest first: the first 200 comments. GET /board/posts/{id}/comments has all of them."""
    created_at: Milliseconds
    author: PostAuthorShape
    signal: SignalSummary | None
    """The signal that the post is filed under; null for none."""


class PostsAnswer(Answer):
    """GET /board/posts: pinned posts first, then in the order of `sort`."""

    posts: list[PostSummary]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end. A page can be shorter than `limit`, even empty."""


class PostCreated(Answer):
    """The response of POST /board/posts."""

    id: str
    number: int


class VoteAnswer(Answer):
    """The response to a vote or its withdrawal."""

    ok: bool
    voted: bool
    """Whether the voter's vote counts now."""
    votes: int
    """The votes that the post has now."""


class CommentsAnswer(Answer):
    """GET /board/posts/{id}/comments, oldest first."""

    comments: list[PostCommentShape]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""


class CommentCreated(Answer):
    """The response of POST /board/posts/{id}/comments."""

    id: str
