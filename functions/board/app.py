"""/v1/board: the feedback board's settings, its posts, votes and comments."""

from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.schemas import OK, Ok, PageQuery
from helpdesk.api.routing.api import Api
from helpdesk.board import comments, configuration, listing, votes
from helpdesk.board import service as board
from helpdesk.board.errors import (
    BoardChanged,
    BoardNotFound,
    CommentNotFound,
    PostNotFound,
    PostTitleRequired,
    StatusNotFound,
    StillUsed,
    TagNotFound,
)
from helpdesk.board.schemas import (
    BoardAnswer,
    BoardUpdate,
    CommentCreated,
    CommentInput,
    CommentsAnswer,
    PostAnswer,
    PostCreated,
    PostInput,
    PostsAnswer,
    PostSignalInput,
    PostsQuery,
    PostUpdate,
    VoteAnswer,
    VoterInput,
    VoterQuery,
)
from helpdesk.conversations.errors import InvalidSession
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.platform.errors import InvalidCursor
from helpdesk.platform.settings import declare
from helpdesk.signals.errors import SignalNotFound

NEEDS = declare("SEARCH_BUCKET")

api = Api()


@api.get("/v1/board", access=Access.MEMBER)
def get_board(caller: Caller) -> BoardAnswer:
    """Get the boards, statuses and tags, with the numbers of their posts."""
    return listing.board(caller.organization)


@api.patch(
    "/v1/board",
    access=Access.ADMIN,
    errors=(BoardNotFound, StatusNotFound, TagNotFound, StillUsed, BoardChanged),
)
def update_board(caller: Caller, change: BoardUpdate) -> BoardAnswer:
    """Update the boards, statuses or tags (only the lists you send).

    A list replaces the former one. A board or status that you leave out is deleted, if no post has it, and so is a tag,
    which all posts lose.
    """
    return configuration.update(caller.organization, change)


@api.get("/v1/board/posts", access=Access.MEMBER, errors=(InvalidSession, InvalidCursor))
def list_posts(caller: Caller, query: PostsQuery) -> PostsAnswer:
    """List posts, or search them. Pinned posts come first."""
    return listing.posts(caller, query)


@api.post(
    "/v1/board/posts",
    access=Access.MEMBER,
    errors=(BoardNotFound, CustomerNotFound, PostTitleRequired, InvalidSession),
)
def create_post(caller: Caller, post: PostInput) -> PostCreated:
    """Add a post. It is pending on a moderated board, else public."""
    return board.create(caller, post)


@api.get("/v1/board/posts/<post_id>", access=Access.MEMBER, errors=(PostNotFound,))
def get_post(caller: Caller, post_id: str) -> PostAnswer:
    """Get a post by its ID or number, with its first 200 comments."""
    return listing.get(caller.organization, post_id)


@api.patch(
    "/v1/board/posts/<post_id>",
    access=Access.MEMBER,
    errors=(PostNotFound, BoardNotFound, StatusNotFound, TagNotFound, PostTitleRequired),
)
def update_post(caller: Caller, post_id: str, change: PostUpdate) -> Ok:
    """Update a post (only the fields you send): its text, place, status and tags, or moderate it."""
    board.update(caller.organization, post_id, change)
    return OK


@api.delete("/v1/board/posts/<post_id>", access=Access.MEMBER, errors=(PostNotFound,))
def delete_post(caller: Caller, post_id: str) -> Ok:
    """Delete a post with its votes and comments. Its number is not used again."""
    board.delete(caller.organization, post_id)
    return OK


@api.post("/v1/board/posts/<post_id>/signal", access=Access.MEMBER, errors=(PostNotFound, SignalNotFound))
def file_post(caller: Caller, post_id: str, wanted: PostSignalInput) -> Ok:
    """File a post under a signal, whose status it follows from then on; null takes it off any signal."""
    board.file(caller.organization, post_id, wanted.signal_id)
    return OK


@api.post(
    "/v1/board/posts/<post_id>/vote",
    access=Access.MEMBER,
    errors=(PostNotFound, CustomerNotFound, InvalidSession),
)
def vote(caller: Caller, post_id: str, voter: VoterInput) -> VoteAnswer:
    """Vote for a post. Each visitor, customer and teammate has one vote; a repeated one counts once."""
    return votes.add(caller, post_id, voter)


@api.delete("/v1/board/posts/<post_id>/vote", access=Access.MEMBER, errors=(PostNotFound, InvalidSession))
def withdraw_vote(caller: Caller, post_id: str, voter: VoterInput, query: VoterQuery) -> VoteAnswer:
    """Withdraw a vote. Send the voter in the body or as a parameter, as not every client sends a body with DELETE."""
    return votes.withdraw(caller, post_id, voter, query)


@api.get("/v1/board/posts/<post_id>/comments", access=Access.MEMBER, errors=(PostNotFound, InvalidCursor))
def list_comments(caller: Caller, post_id: str, page: PageQuery) -> CommentsAnswer:
    """List the comments on a post, oldest first."""
    return comments.listed(caller, post_id, page)


@api.post(
    "/v1/board/posts/<post_id>/comments",
    access=Access.MEMBER,
    errors=(PostNotFound, CustomerNotFound, InvalidSession),
)
def add_comment(caller: Caller, post_id: str, comment: CommentInput) -> CommentCreated:
    """Add a comment to a post."""
    return comments.add(caller, post_id, comment)


@api.delete(
    "/v1/board/posts/<post_id>/comments/<comment_id>",
    access=Access.MEMBER,
    errors=(PostNotFound, CommentNotFound),
)
def delete_comment(caller: Caller, post_id: str, comment_id: str) -> Ok:
    """Delete a comment."""
    comments.delete(caller.organization, post_id, comment_id)
    return OK


handler = api.handler
