"""What everyone may read of the feedback board: its public posts with their comments.

Posts that wait for moderation, and spam, do not exist here. The settings are given, as a page reads them with its site.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from helpdesk.board import listing, repository
from helpdesk.board.errors import SHOWN_COMMENTS, PostNotFound
from helpdesk.board.listing import Chosen
from helpdesk.board.record import Comment, Post, PostList, PostState
from helpdesk.board.schemas import PostSort
from helpdesk.board.settings import BoardSettings
from helpdesk.customers import service as customers
from helpdesk.storage.table import Item

ROADMAP_CANDIDATES = 500
"""Of each board, so many of the most voted posts are looked through for a roadmap."""

_PLACE = re.compile(r"[01]#(?:[0-9]{9}#)?post_[0-9a-hjkmnp-tv-z]{26}")


def posts(
    organization: str,
    settings: BoardSettings,
    *,
    sort: PostSort,
    limit: int,
    board_id: str | None = None,
    status_id: str | None = None,
    tag_id: str | None = None,
    after: str | None = None,
) -> tuple[list[Post], str | None]:
    """Return a page of public posts, and the place to continue from; None at the end, and for what is trending.

    One query for each board, two for what is trending. With a status or tag up to four times as many, as posts are read
    that have others. What the settings lack, nothing has. A place that none can be counts as the beginning.
    """
    chosen = Chosen(board_id, status_id, tag_id, PostState.PUBLIC)
    boards = [board.id for board in settings.boards if board_id in {None, board.id}]
    if not boards or not _is_known(settings, status_id, tag_id):
        return [], None
    if sort is PostSort.TRENDING:
        return listing.trending_posts(organization, boards, chosen, limit, None)[0], None
    start = after if after is not None and _PLACE.fullmatch(after) else None
    found, end = listing.sorted_posts(organization, boards, chosen, sort, limit, start)
    return found, end


def search(
    organization: str,
    settings: BoardSettings,
    text: str,
    *,
    limit: int,
    board_id: str | None = None,
    status_id: str | None = None,
    tag_id: str | None = None,
) -> list[Post]:
    """Return the newest public posts that have all words of a text. One batch read of the posts, or up to four."""
    if not _is_known(settings, status_id, tag_id):
        return []
    chosen = Chosen(board_id, status_id, tag_id, PostState.PUBLIC)
    return listing.found_posts(organization, text, chosen, limit, None)[0]


def roadmap(
    organization: str, settings: BoardSettings, status_ids: Iterable[str]
) -> Mapping[str, Sequence[Post]]:
    """Return public posts by their status, the most voted first. One query for each board."""
    found: dict[str, list[Post]] = {status_id: [] for status_id in status_ids}
    for board in settings.boards:
        page, _ = repository.page(
            organization, board.id, PostList.PUBLIC, "GSI3", ROADMAP_CANDIDATES, None, None
        )
        for post in page:
            if post.status_id in found:
                found[post.status_id].append(post)
    return {
        status_id: sorted(several, key=lambda post: post.votes_key, reverse=True)
        for status_id, several in found.items()
    }


def post(organization: str, number: str, seen: Item | None) -> tuple[Post, str]:
    """Return a public post with its whole text, by its number. One batch read. Raises PostNotFound.

    `seen` is the item of the number. It is read without one: a read that does not wait may lack a post of this moment.
    """
    found, body = repository.with_body(organization, repository.numbered(organization, number, seen))
    if found.list is not PostList.PUBLIC:
        raise PostNotFound
    return found, body


def post_with_comments(organization: str, number: str, seen: Item | None) -> tuple[Post, str, list[Comment]]:
    """Return a post as `post` does, and its first 200 comments, the oldest first. One query. Raises PostNotFound."""
    post_id = repository.numbered(organization, number, seen)
    found, body, comments = repository.with_comments(organization, post_id, SHOWN_COMMENTS)
    if found.list is not PostList.PUBLIC:
        raise PostNotFound
    return found, body, comments


def authors(organization: str, customer_ids: Sequence[str]) -> Mapping[str, str | None]:
    """Return the names of the customers who wrote posts and comments, by their ids. One batch read."""
    known = customers.by_ids(organization, customer_ids)
    return {each.id: each.name for each in known.values()}


def has_voted(of: Post, voter_id: str) -> bool:
    """Return whether a customer's vote for a post counts. One batch read."""
    return repository.with_vote(of.organization, of.id, voter_id)[1] is not None


def _is_known(settings: BoardSettings, status_id: str | None, tag_id: str | None) -> bool:
    known: set[Any] = {None, *(each.id for each in settings.statuses)}
    return status_id in known and (tag_id is None or bool(settings.without_deleted_tags([tag_id])))
