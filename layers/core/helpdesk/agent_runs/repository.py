"""Items of runs. Each write requires the revision that was read."""

from copy import replace

from helpdesk.agent_runs.record import Run
from helpdesk.approvals import watches
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

KEPT_DAYS = 30
"""How long a run is kept after its last step. An approval in it waits for a day at most."""


class RunChanged(Exception):
    """Another worker has gone on with the run since it was read."""


def find(organization: str, conversation_id: str, message_id: str) -> Run | None:
    """Return the run for a visitor's message, or None if there is none."""
    item = table.get(keys.AgentRun(organization, conversation_id, message_id))
    return None if item is None else Run.from_item(organization, item)


def newest(organization: str, conversation_id: str) -> Run | None:
    """Return the run for the newest visitor's message that has one, or None. One query."""
    partition = keys.Conversation(organization, conversation_id).pk
    page = table.newest(partition, 1, sk_prefix="RUN#", consistent=True)
    return Run.from_item(organization, page.items[0]) if page.items else None


def save(run: Run, *, new: bool = False) -> Run:
    """Write a run over the one of its revision; return it with the next one. Raises RunChanged.

    With `new` it raises ConversationNotFound where an erasure has begun, which would not find the run.
    """
    transaction = Transaction()
    written = add(transaction, run, new=new)
    if new:
        transaction.require(
            keys.Conversation(run.organization, run.conversation_id),
            f"attribute_exists(PK) AND attribute_not_exists({BEING_ERASED})",
            on_failure=lambda _: ConversationNotFound(),
        )
    transaction.commit()
    return written


def add(transaction: Transaction, run: Run, *, new: bool = False) -> Run:
    """Add the write of a run to a transaction; return it with the next revision. The transaction raises RunChanged."""
    written = replace(run, revision=run.revision + 1)
    changes = {
        **written.to_item(),
        "savedAt": clock.now_ms(),
        "expiresAt": clock.seconds_from_now(KEPT_DAYS * DAY_SECONDS),
    }
    transaction.set(
        keys.AgentRun(run.organization, run.conversation_id, run.message_id),
        changes,
        condition="attribute_not_exists(PK)" if new else "revision = :seen",
        values=None if new else {":seen": run.revision},
        on_failure=lambda _: RunChanged(),
    )
    if new:
        watches.put(transaction, run.organization, run.conversation_id, run.message_id)
    elif run.state.is_over:
        watches.end(transaction, _watch(run.organization, run.conversation_id, run.message_id))
    return written


def _watch(organization: str, conversation_id: str, message_id: str) -> keys.RunWatch:
    return keys.RunWatch(organization, conversation_id, message_id)


def call_ids(organization: str, conversation_id: str) -> dict[str, list[str]]:
    """Return the calls of each run of a conversation, by the run's message. One query."""
    partition = keys.Conversation(organization, conversation_id).pk
    runs = table.query_all(partition, sk_prefix="RUN#")
    return {item["messageId"]: [call["id"] for call in item["calls"]] for item in runs}


def delete(transaction: Transaction, organization: str, conversation_id: str, message_id: str) -> None:
    """Add the removal of a run and of its watch to a transaction. It raises ConditionFailed if the run is gone."""
    watches.delete(transaction, _watch(organization, conversation_id, message_id))
    transaction.delete(
        keys.AgentRun(organization, conversation_id, message_id),
        condition="attribute_exists(PK)",
        on_failure=ConditionFailed,
    )
