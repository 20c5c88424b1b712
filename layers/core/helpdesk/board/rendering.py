"""Posts and comments as responses."""

from collections.abc import Iterable, Mapping, Sequence

from helpdesk.board.record import Comment, Post, PostList
from helpdesk.board.schemas import (
    BoardAnswer,
    BoardShape,
    PostAnswer,
    PostAuthorShape,
    PostCommentShape,
    PostStatusShape,
    PostSummary,
    PostTagShape,
)
from helpdesk.board.settings import BoardSettings, count_of_board
from helpdesk.customers.record import Customer
from helpdesk.knowledge.slugs import slug_of
from helpdesk.signals.record import Signal

NAMELESS = "Visitor"
_SLUG_CHARACTERS = 60


def board_answer(settings: BoardSettings) -> BoardAnswer:
    """Return the settings with the numbers of posts."""
    return BoardAnswer(
        version=settings.version,
        boards=[
            BoardShape.from_record(
                board,
                public=settings.posts([count_of_board(board.id, PostList.PUBLIC)]),
                pending=settings.posts([count_of_board(board.id, PostList.PENDING)]),
                spam=settings.posts([count_of_board(board.id, PostList.SPAM)]),
            )
            for board in settings.boards
        ],
        statuses=[
            PostStatusShape.from_record(status, posts=settings.posts(status.counts))
            for status in settings.statuses
        ],
        tags=[PostTagShape.from_record(tag, posts=settings.posts(tag.counts)) for tag in settings.tags],
    )


def authors_of(entries: Iterable[Post | Comment]) -> list[str]:
    """Return the ids of the customers who wrote posts and comments."""
    return [entry.customer_id for entry in entries if entry.customer_id is not None]


def post_summary(post: Post, known: Mapping[str, Customer], *, voted: bool | None) -> PostSummary:
    """Return a post as an entry of a list; `known` are the customers."""
    return PostSummary.from_record(
        post,
        path=path_of(post),
        has_signal=post.signal_id is not None,
        comment_count=post.comments,
        author=_author(post, known),
        voted=voted,
    )


def post_answer(
    post: Post,
    body: str,
    comments: Sequence[PostCommentShape],
    signal: Signal | None,
    known: Mapping[str, Customer],
) -> PostAnswer:
    """Return a whole post."""
    return PostAnswer.from_record(
        post,
        path=path_of(post),
        body=body,
        has_signal=post.signal_id is not None,
        comments=list(comments),
        author=_author(post, known),
        signal=signal,
    )


def comment_shape(comment: Comment, known: Mapping[str, Customer]) -> PostCommentShape:
    """Return a comment; `known` are the customers."""
    return PostCommentShape.from_record(comment, author=_author(comment, known))


def path_of(post: Post) -> str:
    """Return a post's place on a help site: its number and the letters and digits of its title, as of an article's."""
    slug = slug_of(post.title, _SLUG_CHARACTERS)
    return f"/board/{post.number}-{slug}" if slug else f"/board/{post.number}"


def _author(entry: Post | Comment, known: Mapping[str, Customer]) -> PostAuthorShape:
    if entry.customer_id is None:
        return PostAuthorShape(name=entry.author_name or "", is_team=True, email=None)
    customer = known.get(entry.customer_id)
    if customer is None:  # being erased
        return PostAuthorShape(name=NAMELESS, is_team=False, email=None)
    return PostAuthorShape(name=customer.name or NAMELESS, is_team=False, email=customer.email)
