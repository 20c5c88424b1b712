"""Keys of the feedback board. Others import them from `keys`."""

from helpdesk.storage.item_key import MAX_PART_CHARACTERS, ItemKey, MalformedKey


class Board(ItemKey):
    """The feedback board's settings, the last post's number, and how many posts each board, status and tag has."""

    PK, SK = "ORG#{organization}#BOARD", "BOARD"
    organization: str


class Post(ItemKey):
    """A post on the feedback board, without its whole text. IDs sort by time."""

    PK, SK = "ORG#{organization}#POST#{post_id}", "POST"
    organization: str
    post_id: str


class PostBody(ItemKey):
    """The whole text of a post."""

    PK, SK = "ORG#{organization}#POST#{post_id}", "BODY"
    organization: str
    post_id: str


class PostVote(ItemKey):
    """A vote for a post, by the ID of the customer or teammate; `organization` for a secret key."""

    PK, SK = "ORG#{organization}#POST#{post_id}", "VOTE#{voter_id}"
    organization: str
    post_id: str
    voter_id: str


class PostComment(ItemKey):
    """A comment on a post; IDs sort by time."""

    PK, SK = "ORG#{organization}#POST#{post_id}", "COMMENT#{comment_id}"
    organization: str
    post_id: str
    comment_id: str


class PostNumber(ItemKey):
    """The post that has a number."""

    PK, SK = "ORG#{organization}#POSTNUMBER#{number}", "POSTNUMBER"
    organization: str
    number: str


class BoardTrace(ItemKey):
    """A post, vote or comment of a customer, so that an erasure and an export find it.

    `what` is `POST`, `VOTE` or the comment's ID.
    """

    PK, SK = "ORG#{organization}#CUS#{customer_id}", "BOARD#{post_id}#{what}"
    organization: str
    customer_id: str
    post_id: str
    what: str


class SignalPost(ItemKey):
    """A post that is filed under a signal."""

    PK, SK = "ORG#{organization}#SIGNAL#{signal_id}", "POST#{post_id}"
    organization: str
    signal_id: str
    post_id: str


def posts(organization: str, board_id: str, post_list: str) -> str:
    """Return the partition of one list of a board's posts: in GSI1 the newest ones are last, in GSI2 the most voted.

    Raises MalformedKey for an id that no board can have.
    """
    if not 0 < len(board_id) <= MAX_PART_CHARACTERS or "#" in board_id:
        raise MalformedKey("board_id")
    return f"ORG#{organization}#POSTS#{board_id}#{post_list}"
