"""Items of runs. Each write requires the revision that was read."""

from copy import replace

from helpdesk.agent_runs.record import Run
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import Conversation
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage.collection import Collection
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals import jobs

KEPT_DAYS = 30
"""How long a run is kept after its last step. An approval in it waits for a day at most."""


_IN_KEY = {"organization", "conversation_id", "message_id"}


class RunChanged(Exception):
    """Another worker has gone on with the run since it was read."""


runs = Collection(Run)


def newest(organization: str, conversation_id: str) -> Run | None:
    """Return the run for the newest visitor's message that has one, or None. One query."""
    page = runs.page(organization, conversation_id, limit=1, newest_first=True, consistent=True)
    return page.records[0] if page.records else None


def save(run: Run, *, new: bool = False) -> Run:
    """Write a run over the one of its revision; return it with the next one. Raises RunChanged.

    With `new` it raises ConversationNotFound where an erasure has begun, which would not find the run.
    """
    transaction = Transaction()
    written = add(transaction, run, new=new)
    if new:
        transaction.require(
            Conversation.key_for(run.organization, run.conversation_id),
            {"erasing": None},
            on_failure=ConversationNotFound(),
        )
    transaction.commit()
    return written


def add(transaction: Transaction, run: Run, *, new: bool = False) -> Run:
    """Add the write of a run to a transaction; return it with the next revision. The transaction raises RunChanged."""
    written = replace(
        run,
        revision=run.revision + 1,
        saved_at=clock.now_ms(),
        expires_at=clock.seconds_from_now(KEPT_DAYS * DAY_SECONDS),
    )
    name = (run.organization, run.conversation_id, run.message_id)
    if new:
        transaction.put(written, new=True, on_failure=RunChanged())
        jobs.watch(transaction, *name)
        return written
    changed = {each: getattr(written, each) for each in Run.__struct_fields__ if each not in _IN_KEY}
    transaction.change(run.key, set=changed, require={"revision": run.revision}, on_failure=RunChanged())
    if run.state.is_over:
        jobs.end_watch(transaction, *name)
    return written
