"""What a customer has on the feedback board, for the export of their data."""

from helpdesk.board import repository
from helpdesk.board.record import BoardTrace, Comment, Post, Vote
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


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
    after: Item | None = None
    if place:
        post_id, _, what = place.partition("#")
        after = BoardTrace.key_for(organization, customer_id, post_id, what).attributes()
    while True:
        traces, after = repository.traces.page(
            organization, customer_id, limit=limit, after=after, consistent=True
        )
        found = repository.of_traces(traces)
        entries = [
            BoardEntry(
                f"{trace.post_id}#{trace.what}", OwnPost(*content) if isinstance(content, tuple) else content
            )
            for trace in traces
            if (content := found.get(trace)) is not None
        ]
        if entries or after is None:  # else all of them were deleted between the reads
            return entries, after is not None
