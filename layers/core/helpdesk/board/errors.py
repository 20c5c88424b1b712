"""Errors and limits of the feedback board (Specification: Feedback post; Errors)."""

from helpdesk.platform.errors import ConflictError, NotFoundError, one_to
from helpdesk.signals.errors import TitleRequired

MAX_TITLE_CHARACTERS = 200
MAX_BODY_CHARACTERS = 10_000
MAX_COMMENT_CHARACTERS = 4_000
MAX_TAGS_OF_A_POST = 10
MAX_BOARDS = 10
MAX_STATUSES = 20
MAX_TAGS = 100
MAX_NAME_CHARACTERS = 60
EXCERPT_CHARACTERS = 200
SHOWN_COMMENTS = 200
"""The comments that a post itself shows, the oldest ones."""


class PostNotFound(NotFoundError):
    code = "post_not_found"
    message = "No post has this ID or number in your organization. GET /v1/board/posts lists them."


class CommentNotFound(NotFoundError):
    code = "comment_not_found"
    message = "This post has no comment with this ID. GET /v1/board/posts/{id}/comments lists them."


class BoardNotFound(NotFoundError):
    code = "board_not_found"
    message = "No board has this ID. GET /v1/board lists the boards, statuses and tags with their IDs."


class StatusNotFound(NotFoundError):
    code = "board_status_not_found"
    message = "No status has this ID. GET /v1/board lists the boards, statuses and tags with their IDs."


class TagNotFound(NotFoundError):
    code = "board_tag_not_found"
    message = "No tag has this ID. GET /v1/board lists the boards, statuses and tags with their IDs."


class PostTitleRequired(TitleRequired):
    message = one_to("title", MAX_TITLE_CHARACTERS)


class StillUsed(ConflictError):
    code = "still_used"
    message = (
        "Some posts use a board, status or tag that you are removing. Change or delete these posts first."
    )


class BoardChanged(ConflictError):
    code = "board_changed"
    message = (
        "The settings have changed since you read them. Get them again with GET /v1/board, then reapply your "
        "change."
    )
