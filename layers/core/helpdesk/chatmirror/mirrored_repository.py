"""Which threads a conversation has in Slack, for its export and its erasure."""

from helpdesk.chatmirror.record import MirroredThread
from helpdesk.integrations import missed
from helpdesk.integrations.apps import App
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


def threads_of(organization: str, conversation_id: str) -> list[MirroredThread]:
    """Return a conversation's threads, one for each channel that it was mirrored in. One query."""
    pk = keys.Conversation(organization, conversation_id).pk
    found = [
        (keys.MirroredConversation.parse(item["PK"], item["SK"]), item["ts"])
        for item in table.query_all(pk, sk_prefix="MIRROR#", consistent=True)
    ]
    return [MirroredThread(key=key, thread=ts) for key, ts in found if key is not None]


def delete(transaction: Transaction, found: MirroredThread) -> None:
    """Delete what leads from a conversation to a thread and back. Raises ConditionFailed if it is gone."""
    key = found.key
    transaction.delete(key, condition="attribute_exists(PK)", on_failure=ConditionFailed)
    missed.forget(transaction, key.organization, App.CHATMIRROR, key.team, key.conversation_id)
    if found.thread is not None:
        transaction.delete(keys.MirrorThread(key.organization, key.team, key.channel, found.thread))
