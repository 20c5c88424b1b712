"""Comments on posts."""

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import fitting, next_cursor, position
from helpdesk.api.http.schemas import PageQuery
from helpdesk.board import participants, repository
from helpdesk.board.errors import MAX_COMMENT_CHARACTERS
from helpdesk.board.participants import Participant
from helpdesk.board.record import Comment, Post
from helpdesk.board.rendering import authors_of, comment_shape
from helpdesk.board.repository import StalePost
from helpdesk.board.schemas import CommentCreated, CommentInput, CommentsAnswer
from helpdesk.customers import service as customers
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest, one_to
from helpdesk.platform.text import is_blank, trimmed
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import ExtraWrites, Transaction


def listed(caller: Caller, post_id: str, page: PageQuery) -> CommentsAnswer:
    """Return a page of a post's comments, oldest first. Raises PostNotFound, InvalidCursor."""
    repository.posts.get(caller.organization, post_id)
    name = f"board/posts/{post_id}/comments"
    found, end = repository.comments(caller.organization, post_id, page.limit, position(caller, page, name))
    known = customers.by_ids(caller.organization, authors_of(found))
    shapes = [comment_shape(each, known) for each in found]
    room = fitting(shapes)
    if room < len(shapes):
        shapes, end = shapes[:room], found[room - 1].id
    return CommentsAnswer(comments=shapes, next_cursor=next_cursor(caller, end, name))


def add(caller: Caller, post_id: str, wanted: CommentInput) -> CommentCreated:
    """Add a comment. Raises PostNotFound, InvalidRequest, InvalidSession, CustomerNotFound."""
    body = trimmed(wanted.body)
    if len(body) > MAX_COMMENT_CHARACTERS or is_blank(body):
        raise InvalidRequest(one_to("body", MAX_COMMENT_CHARACTERS))
    return participants.retried(
        lambda: participants.find(caller, wanted),
        lambda author: _add(author, post_id, body),
        by_session=wanted.session is not None,
    )


def delete(organization: str, post_id: str, comment_id: str) -> None:
    """Delete a comment. Raises PostNotFound, CommentNotFound."""
    remove(*repository.with_comment(organization, post_id, comment_id))


def remove(post: Post, comment: Comment, extra_writes: ExtraWrites = lambda _: None) -> None:
    """Delete a comment, with `extra_writes` in the same transaction. Raises PostNotFound, CommentNotFound."""

    def attempt() -> None:
        nonlocal post
        transaction = Transaction()
        extra_writes(transaction)
        repository.delete_comment(transaction, comment)
        repository.save(transaction, post, post.without_comment(comment.created_at))
        try:
            transaction.commit()
        except StalePost as stale:
            post = stale.post
            raise

    repeat_when_stale(attempt, StalePost)


def _add(author: Participant, post_id: str, body: str) -> CommentCreated:
    post = repository.posts.get(author.organization, post_id)

    def attempt() -> CommentCreated:
        nonlocal post
        now = clock.now_ms()
        comment = Comment(
            author.organization, post_id, ids.new("cmt"), body, now, author.customer_id, author.name
        )
        transaction = Transaction()
        author.add_to(transaction)
        repository.put_comment(transaction, comment)
        repository.save(transaction, post, post.with_comment(now))
        try:
            transaction.commit()
        except StalePost as stale:
            post = stale.post
            raise
        return CommentCreated(id=comment.id)

    return repeat_when_stale(attempt, StalePost)
