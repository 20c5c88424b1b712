"""Errors and limits of the feedback board (Specification: Feedback post; Errors)."""

from helpdesk.platform.errors import AppError
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


class PostNotFound(AppError):
    """No such post in this organization."""

    status, code = 404, "post_not_found"
    message = "No post has this ID or number in your organization. GET /v1/board/posts lists them."


class CommentNotFound(AppError):
    """The post has no such comment."""

    status, code = 404, "comment_not_found"
    message = "This post has no comment with this ID. GET /v1/board/posts/{id}/comments lists its comments."


class BoardNotFound(AppError):
    """No such board in this organization."""

    status, code = 404, "board_not_found"
    message = "No board has this ID. GET /v1/board lists the boards, statuses and tags with their IDs."


class StatusNotFound(AppError):
    """The feedback board has no such status."""

    status, code = 404, "board_status_not_found"
    message = "No status has this ID. GET /v1/board lists the boards, statuses and tags with their IDs."


class TagNotFound(AppError):
    """The feedback board has no such tag."""

    status, code = 404, "board_tag_not_found"
    message = "No tag has this ID. GET /v1/board lists the boards, statuses and tags with their IDs."


class PostTitleRequired(TitleRequired):
    """The title has no text."""

    message = f"Write a `title` of 1 to {MAX_TITLE_CHARACTERS} characters, at least one of them visible."


class StillUsed(AppError):
    """The change leaves out a board, status or tag that posts have."""

    status, code = 409, "still_used"
    message = "Posts still have what you leave out. Change or delete these posts first."


class BoardChanged(AppError):
    """The settings have another version than the change was made for."""

    status, code = 409, "board_changed"
    message = "The settings have changed since you read them. Get them with GET /v1/board, and apply your change again."
