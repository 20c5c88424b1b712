"""Erasure and export of what is kept of a conversation's threads. What was posted in Slack stays there."""

from helpdesk.storage import keys, table


def delete_for(organization: str, conversation_id: str) -> None:
    """Delete what leads from a conversation to its threads and back. Two calls for each, and one query."""
    pk = keys.Conversation(organization, conversation_id).pk
    for item in table.query_all(pk, sk_prefix="MIRROR#"):
        key = keys.MirroredConversation.parse(item["PK"], item["SK"])
        if key is None:
            continue
        if item["ts"] is not None:
            table.delete(keys.MirrorThread(organization, key.team, key.channel, item["ts"]))
        table.delete(key)
