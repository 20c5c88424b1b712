"""Items of conversations and their threads."""

from collections.abc import Sequence
from typing import Any

from helpdesk.conversations import places
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.places import InboxList
from helpdesk.conversations.record import Changed, Conversation
from helpdesk.conversations.state import State
from helpdesk.storage import keys, table
from helpdesk.storage.keys import MalformedKey
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


def get(organization: str, conversation_id: str) -> Conversation:
    """Return a conversation. Raises ConversationNotFound."""
    item = table.get(keys.Conversation(organization, conversation_id))
    if item is None:
        raise ConversationNotFound
    return Conversation(item)


def get_many(organization: str, conversation_ids: Sequence[str]) -> list[Conversation]:
    """Return those of the conversations that exist, in the order given."""
    wanted = [keys.Conversation(organization, conversation_id) for conversation_id in conversation_ids]
    found = table.get_many(wanted)
    return [Conversation(found[key]) for key in wanted if key in found]


def put(transaction: Transaction, organization: str, item: Item) -> None:
    """Add a new conversation with its places in the two lists."""
    transaction.put(
        {
            **keys.Conversation(organization, item["id"]).attributes(),
            **item,
            "organization": organization,
            **places.inbox(organization, Conversation(item).state),
            **places.latest(item["lastMessageAt"], item["id"]),
            "GSI2PK": keys.customer_conversations(organization, item["customerId"]),
            "GSI2SK": item["id"],
        },
        new=True,
    )


def save(
    transaction: Transaction,
    before: Conversation,
    state: State,
    *,
    message_at: int | None = None,
    values: Item | None = None,
    condition: str = "",
    condition_values: Item | None = None,
) -> None:
    """Write a state over the one that was read, and with it a message's time and further values.

    The write is refused when status or handler have changed since, or the conversation was archived, or
    `condition` does not hold: the transaction then raises Changed with the conversation as it is. A write without a
    message is refused, too, when someone has spoken since: whether a person is awaited depends on who did.
    """
    changes: Item = {
        **(values or {}),
        "status": state.status.value,
        "handledBy": state.handled_by.value,
        "lastSpeaker": state.last_speaker.value,
        **places.inbox(before.organization, state),
    }
    was = before.state
    clauses = ["#status = :wasStatus", "handledBy = :wasHandledBy", "archivedAt = :never"]
    required: Item = {":wasStatus": was.status.value, ":wasHandledBy": was.handled_by.value, ":never": None}
    if before.assignee is not None and state.status is not was.status:
        changes |= places.assigned(before.organization, before.assignee, state)
    if state.status is not was.status:
        clauses.append("assignee = :wasAssignee")
        required[":wasAssignee"] = before.assignee
    counting = ""
    if message_at is not None:
        changes["lastMessageAt"] = message_at
        changes |= places.latest(message_at, before.id)
        counting = " ADD messageCount :one"
        required[":one"] = 1
    else:
        clauses.append("lastSpeaker = :wasLastSpeaker")
        required[":wasLastSpeaker"] = was.last_speaker.value
    if condition:
        clauses.append(condition)
    transaction.update(
        keys.Conversation(before.organization, before.id),
        "SET " + ", ".join(f"#{name} = :{name}" for name in changes) + counting,
        condition=" AND ".join(clauses),
        names={f"#{name}": name for name in changes},
        values={
            **{f":{name}": value for name, value in changes.items()},
            **required,
            **(condition_values or {}),
        },
        on_failure=Changed,
    )


def forget_current(transaction: Transaction, conversation: Conversation) -> None:
    """Make the session's next message look for its newest open conversation instead of trusting its hint."""
    transaction.update(
        keys.Session(conversation.organization, conversation.item["sessionHash"]),
        "SET conversationId = :none ADD openings :one",
        values={":none": None, ":one": 1},
    )


def put_message(transaction: Transaction, organization: str, message: Item) -> None:
    """Add a customer-visible message."""
    key = keys.Message(organization, message["conversationId"], message["id"])
    transaction.put({**key.attributes(), **message}, new=True)


def put_note(transaction: Transaction, organization: str, note: Item) -> None:
    """Add a note or system line; its partition is the thread's, its sort key none that a visitor's read touches."""
    key = keys.Note(organization, note["conversationId"], note["id"])
    transaction.put({**key.attributes(), **note}, new=True)


def newest_messages(organization: str, conversation_id: str, limit: int) -> list[Item]:
    """Return the newest customer-visible messages, newest first."""
    partition = keys.Conversation(organization, conversation_id).pk
    return table.newest(partition, limit, sk_prefix="MSG#", consistent=True).items


def newest_entries(
    organization: str, conversation_id: str, limit: int, before: str | None
) -> tuple[list[Item], str | None]:
    """Return the newest entries of the team's thread, newest first, older than the id `before`.

    Messages and notes have sort keys of their own; both are read and merged by id, which sorts by time.
    """
    partition = keys.Conversation(organization, conversation_id).pk
    entries: list[Item] = []
    more = False
    for kind in (keys.Message, keys.Note):
        after = kind(organization, conversation_id, before).attributes() if before else None
        prefix = kind.SK.partition("#")[0] + "#"
        page = table.newest(partition, limit, sk_prefix=prefix, after=after, consistent=True)
        entries += page.items
        more = more or page.after is not None
    entries.sort(key=lambda entry: str(entry["id"]), reverse=True)
    kept = entries[:limit]
    return kept, kept[-1]["id"] if kept and (more or len(entries) > limit) else None


def inbox_page(
    organization: str, inbox_list: InboxList, limit: int, before: str | None
) -> tuple[list[Conversation], str | None]:
    """Return conversations of one list, the most recently active first, and where the list goes on."""
    partition = keys.inbox(organization, inbox_list.value)
    return _index_page("GSI1", partition, limit, before, organization)


def customer_page(
    organization: str, customer_id: str, limit: int, before: str | None
) -> tuple[list[Conversation], str | None]:
    """Return one customer's conversations, the most recently started first, and where the list goes on."""
    try:
        keys.Customer(organization, customer_id)
    except MalformedKey:  # an id of a form that none has: as absent as any other
        return [], None
    partition = keys.customer_conversations(organization, customer_id)
    return _index_page("GSI2", partition, limit, before, organization)


def activity_of(conversation: Conversation) -> str:
    """Return the conversation's place in its inbox list."""
    return places.activity(conversation.item["lastMessageAt"], conversation.id)


def _index_page(
    index: Any, partition: str, limit: int, before: str | None, organization: str
) -> tuple[list[Conversation], str | None]:
    after: Item | None = None
    if before is not None:
        key = keys.Conversation(organization, before.rpartition("#")[2])
        after = {**key.attributes(), f"{index}PK": partition, f"{index}SK": before}
    page = table.newest(partition, limit, index=index, after=after)
    found = [Conversation(item) for item in page.items]
    return found, page.items[-1][f"{index}SK"] if page.after else None
