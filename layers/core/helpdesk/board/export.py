"""What a customer has on the feedback board, for the export of their data."""

from helpdesk.board import trace_repository
from helpdesk.board.record import Comment, Post, Vote
from helpdesk.platform.record import Record
from helpdesk.storage.keys import BoardTrace


class OwnPost(Record):
    """A post with its whole text."""

    post: Post
    body: str


class BoardEntry(Record):
    """A post, vote or comment of a customer. Its place is where the next page continues."""

    place: str
    content: OwnPost | Comment | Vote


def entries_after(
    organization: str, customer_id: str, place: str, limit: int
) -> tuple[list[BoardEntry], bool]:
    """Return up to `limit` entries after a place (empty: the first ones), and whether more follow.

    One query and up to three batch reads for each hundred.
    """
    after = _trace_at(organization, customer_id, place) if place else None
    while True:
        traces, more = trace_repository.traces(organization, customer_id, limit, after)
        found = trace_repository.of_traces(organization, traces)
        entries = [
            BoardEntry(f"{trace.post_id}#{trace.what}", _content(found[trace]))
            for trace in traces
            if trace in found
        ]
        if entries or not more:
            return entries, more
        after = traces[-1]  # all of them were deleted between the reads


def _content(found: tuple[Post, str] | Comment | Vote) -> OwnPost | Comment | Vote:
    return OwnPost(*found) if isinstance(found, tuple) else found


def _trace_at(organization: str, customer_id: str, place: str) -> BoardTrace:
    post_id, _, what = place.partition("#")
    return BoardTrace(organization, customer_id, post_id, what)
