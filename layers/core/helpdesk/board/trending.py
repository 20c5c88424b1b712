"""What is trending: recent votes and comments against the age of the post."""

from helpdesk.board.record import Post
from helpdesk.platform.units import HOUR_MS

CANDIDATES = 200
"""Of each list, so many of the newest and of the most voted posts are compared."""

_VOTE, _COMMENT = 5, 3
_AGING = 1.4


def score(post: Post, at: int) -> float:
    """Return a post's score at an instant (ms): higher is more trending.

    (5 votes of the last 30 days + 3 comments of the last 30 days - 1) / (age in hours + 2) ^ 1.4.
    """
    votes, comments = post.activity.since(at)
    hours = max(at - post.created_at, 0) / HOUR_MS
    return (_VOTE * votes + _COMMENT * comments - 1) / float((hours + 2) ** _AGING)
