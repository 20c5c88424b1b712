"""Reading posts: lists in three orders, searches, and one post with its comments.

A list of several boards or states merges their pages. Each partition of an index is read up to `limit` posts at a time,
so a page costs the same whatever the number of posts. What is trending is computed from a bounded number of them.
"""

from collections.abc import Callable, Sequence
from copy import replace
from itertools import chain
from typing import Any, NamedTuple

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import fitting, next_cursor, position
from helpdesk.board import participants, repository, settings_repository
from helpdesk.board.errors import SHOWN_COMMENTS
from helpdesk.board.record import Post, PostList, PostState
from helpdesk.board.rendering import authors_of, board_answer, comment_shape, post_answer, post_summary
from helpdesk.board.schemas import BoardAnswer, PostAnswer, PostsAnswer, PostSort, PostsQuery, PostSummary
from helpdesk.customers import service as customers
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import is_blank, trimmed
from helpdesk.platform.units import HOUR_MS
from helpdesk.search import service as search
from helpdesk.signals import service as signals
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.table import Filter, Index

_ROUNDS = 4
"""How often one page reads or searches at most: posts may not match the other parameters."""

TRENDING_CANDIDATES = 200
"""Of each list, so many of the newest and of the most voted posts are compared for what is trending."""
_VOTE, _COMMENT = 5, 3
_AGING = 1.4

_INDEXES: dict[PostSort, tuple[Index, Callable[[Post], str]]] = {
    PostSort.NEWEST: ("GSI1", lambda post: post.newest_key),
    PostSort.VOTES: ("GSI3", lambda post: post.votes_key),
}


class Chosen(NamedTuple):
    """What the parameters of a list select."""

    board_id: str | None
    status_id: str | None
    tag_id: str | None
    state: PostState | None
    is_spam: bool = False

    def matches(self, post: Post) -> bool:
        """Return whether a post is selected."""
        return (
            self.board_id in {None, post.board_id}
            and self.state in {None, post.state}
            and self.is_spam == post.is_spam
            and self._matches_labels(post)
        )

    def _matches_labels(self, post: Post) -> bool:
        return self.status_id in {None, post.status_id} and (
            self.tag_id is None or self.tag_id in post.tag_ids
        )

    @property
    def lists(self) -> list[PostList]:
        """The lists of each board that have selected posts."""
        if self.is_spam:
            return [PostList.SPAM]
        return [PostList(state.value) for state in PostState if self.state in {None, state}]

    @property
    def matching(self) -> Filter | None:
        """The filter for what the lists alone do not select; None if they select everything."""
        state = self.state if self.is_spam else None
        return repository.matching(status_id=self.status_id, tag_id=self.tag_id, state=state)


def board(organization: str) -> BoardAnswer:
    """Return the settings with the numbers of posts. One read."""
    return board_answer(settings_repository.get(organization))


def posts(caller: Caller, query: PostsQuery) -> PostsAnswer:
    """Return a page of posts. Raises InvalidRequest, InvalidSession, InvalidCursor."""
    chosen = Chosen(query.board_id, query.status_id, query.tag_id, query.state, query.is_spam)
    text = _text(query)
    name = f"board/posts?{chosen!r}&{text!r}&{query.sort}"
    start = position(caller, query, name)
    organization = caller.organization
    try:
        if text is not None:
            found, end = found_posts(organization, text, chosen, query.limit, start)
        elif query.sort is PostSort.TRENDING:
            found, end = trending_posts(
                organization, _boards(organization, chosen), chosen, query.limit, start
            )
        else:
            boards = _boards(organization, chosen)
            found, end = sorted_posts(organization, boards, chosen, query.sort, query.limit, start)
    except MalformedKey:  # an id that cannot be one: nothing matches it
        return PostsAnswer(posts=[], next_cursor=None)
    found, end = _with_present_tags(organization, chosen, found, end)
    shapes = _summaries(organization, found, query.session)
    room = fitting(shapes)
    if room < len(shapes):
        # 200 of the largest posts fit; this guards a later, larger shape.
        raise AssertionError("a page of posts exceeds a response")
    return PostsAnswer(posts=shapes, next_cursor=next_cursor(caller, end, name))


def _with_present_tags(
    organization: str, chosen: Chosen, found: list[Post], end: Any
) -> tuple[list[Post], Any]:
    """Return posts without tags that are deleted, which the worker has yet to take off them. One read, if any has tags.

    A list of the posts with a deleted tag is empty.
    """
    if not any(post.tag_ids for post in found):
        return found, end
    settings = settings_repository.get(organization)
    if chosen.tag_id is not None and not settings.without_deleted_tags([chosen.tag_id]):
        return [], None
    return [replace(post, tag_ids=settings.without_deleted_tags(post.tag_ids)) for post in found], end


def get(organization: str, post_id: str) -> PostAnswer:
    """Return a post by its id or number, with its first 200 comments. Raises PostNotFound."""
    if post_id.isascii() and post_id.isdigit():
        post_id = repository.numbered(organization, post_id.lstrip("0") or "0")
    post, body, comments = repository.with_comments(organization, post_id, SHOWN_COMMENTS)
    if post.tag_ids:
        tag_ids = settings_repository.get(organization).without_deleted_tags(post.tag_ids)
        post = replace(post, tag_ids=tag_ids)
    authors = authors_of([post, *comments])
    known = customers.by_ids(organization, authors) if authors else {}
    shapes = [comment_shape(each, known) for each in comments]
    # After a merge the post is on its way to the signal that survived.
    signal = None if post.signal_id is None else signals.survivor(organization, post.signal_id)
    return post_answer(post, body, shapes[: fitting(shapes)], signal, known)


def _text(query: PostsQuery) -> str | None:
    if query.q is None:
        return None
    if is_blank(query.q):
        raise InvalidRequest("`q` must not be blank. Omit it to list all posts.")
    if query.sort is not PostSort.NEWEST:
        raise InvalidRequest("`sort` must be omitted with `q`: search results are always sorted by time.")
    return trimmed(query.q)


def _summaries(organization: str, found: Sequence[Post], session: str | None) -> list[PostSummary]:
    voter = None if session is None else participants.known_voter(organization, session)
    authors = authors_of(found)
    known = customers.by_ids(organization, authors) if authors else {}
    voted = repository.voted(organization, [post.id for post in found], voter) if voter else set()
    return [post_summary(post, known, voted=None if session is None else post.id in voted) for post in found]


def _boards(organization: str, chosen: Chosen) -> list[str]:
    if chosen.board_id is not None:
        return [chosen.board_id]
    return [board.id for board in settings_repository.get(organization).boards]


def sorted_posts(
    organization: str, boards: Sequence[str], chosen: Chosen, sort: PostSort, limit: int, start: Any
) -> tuple[list[Post], Any]:
    """Return posts of boards before a place in an index, and the place to continue from.

    All partitions are read from the same place down to where the first of them ends its page. Below that place, another
    partition may have posts that come earlier, so the page ends there.
    """
    index, place = _INDEXES[sort]
    partitions = [(board_id, each) for board_id in boards for each in chosen.lists]
    kept: list[Post] = []
    for _ in range(_ROUNDS):
        pages = [
            repository.page(organization, board_id, each, index, limit - len(kept), start, chosen.matching)
            for board_id, each in partitions
        ]
        ends = [end for _, end in pages if end is not None]
        floor = max(ends, default="")
        found = sorted(chain.from_iterable(page for page, _ in pages), key=place, reverse=True)
        found = [post for post in found if place(post) >= floor]
        room = limit - len(kept)
        kept += found[:room]
        if len(found) > room:
            return kept, place(kept[-1])
        if not ends:
            return kept, None
        start = floor
        if len(kept) == limit:
            break
    return kept, start


def trending_posts(
    organization: str, boards: Sequence[str], chosen: Chosen, limit: int, start: Any
) -> tuple[list[Post], Any]:
    """Return posts of boards by their score: those in the cursor's order at the instant of the first page."""
    at, last = start if start is not None else (clock.now_ms(), None)
    found: dict[str, Post] = {}
    for board_id, each in ((board_id, each) for board_id in boards for each in chosen.lists):
        for index, _ in _INDEXES.values():
            page, _ = repository.page(
                organization, board_id, each, index, TRENDING_CANDIDATES, None, chosen.matching
            )
            found |= {post.id: post for post in page}
    ranked = sorted(
        (([post.pinned, trending_score(post, at), post.id], post) for post in found.values()),
        key=lambda row: row[0],
        reverse=True,
    )
    rest = [row for row in ranked if last is None or row[0] < last]
    kept = [post for _, post in rest[:limit]]
    return kept, [at, rest[limit - 1][0]] if len(rest) > limit else None


def trending_score(post: Post, at: int) -> float:
    """Return a post's score at an instant (ms): higher is more trending.

    (5 votes of the last 30 days + 3 comments of the last 30 days - 1) / (age in hours + 2) ^ 1.4.
    """
    votes, comments = post.activity.since(at)
    hours = max(at - post.created_at, 0) / HOUR_MS
    return (_VOTE * votes + _COMMENT * comments - 1) / float((hours + 2) ** _AGING)


def found_posts(
    organization: str, text: str, chosen: Chosen, limit: int, after: Any
) -> tuple[list[Post], Any]:
    """Search for words, and keep what matches the other parameters."""
    kept: list[Post] = []
    for _ in range(_ROUNDS):
        hits = search.posts(organization, text, limit - len(kept), after)
        known = repository.posts.by_ids(organization, ids=hits.ids)
        kept += filter(chosen.matches, known.values())
        after = hits.after
        if after is None or len(kept) == limit:
            break
    return kept, after
