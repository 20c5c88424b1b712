"""Items of conversations and their threads."""

from collections.abc import Sequence

from helpdesk.conversations import index_keys
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.filters import Source
from helpdesk.conversations.index_keys import InboxList
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.state import State, Status, Visibility
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import Index, Item, Page
from helpdesk.storage.transactions import Transaction

EXAMINED = 500
"""How many conversations of each list one page looks at, at most, where it is to leave some out."""


def get(organization: str, conversation_id: str) -> Conversation:
    """Return a conversation. Raises ConversationNotFound."""
    item = table.get(keys.Conversation(organization, conversation_id))
    if item is None or BEING_ERASED in item:
        raise ConversationNotFound
    return Conversation(item)


def get_many(organization: str, conversation_ids: Sequence[str]) -> list[Conversation]:
    """Return those of the conversations that exist, in the order given."""
    wanted = [keys.Conversation(organization, conversation_id) for conversation_id in conversation_ids]
    found = table.get_many(wanted)
    return [Conversation(found[key]) for key in wanted if key in found and BEING_ERASED not in found[key]]


def put(transaction: Transaction, organization: str, item: Item) -> None:
    """Add a new conversation with its places in the two lists."""
    transaction.put(
        {
            **keys.Conversation(organization, item["id"]).attributes(),
            **item,
            "organization": organization,
            **index_keys.inbox(organization, Conversation(item).state),
            **index_keys.latest(item["lastMessageAt"], item["id"]),
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

    The write is refused if status or handler have changed since, if the conversation was archived or unarchived, or if
    `condition` does not hold: the transaction then raises StaleConversation with the conversation as it is now.
    Without a message, it is refused also if someone has written since, because who wrote last decides whether a person
    is awaited. One that resolves, opens, archives or unarchives is refused also if the assignee has changed, because it
    changes the assignee's lists. One that changes the state's key is refused also if the snooze has changed; it ends
    the snooze, or sets it in `values`.
    """
    was = before.state
    archived, was_archived = state.visibility is Visibility.ARCHIVED, was.visibility is Visibility.ARCHIVED
    key_changes = state.key != was.key
    changes: Item = {
        **({"snoozedUntil": None} if key_changes and state.visibility is not Visibility.SNOOZED else {}),
        **(values or {}),
        "status": state.status.value,
        "handledBy": state.handled_by.value,
        "lastSpeaker": state.last_speaker.value,
        **index_keys.inbox(before.organization, state, archived=archived),
    }
    clauses = ["#status = :wasStatus", "handledBy = :wasHandledBy", "archivedAt = :wasArchivedAt"]
    required: Item = {
        ":wasStatus": was.status.value,
        ":wasHandledBy": was.handled_by.value,
        ":wasArchivedAt": before.item["archivedAt"],
    }
    if key_changes:
        clauses.append("snoozedUntil = :wasSnoozedUntil")
        required[":wasSnoozedUntil"] = before.snoozed_until
    if archived is not was_archived:
        changes["archivedAt"] = clock.now_ms() if archived else None
    if state.status is not was.status or archived is not was_archived:
        clauses.append("assignee = :wasAssignee")
        required[":wasAssignee"] = before.assignee
        if before.assignee is not None:
            changes |= index_keys.assigned(before.organization, before.assignee, state, archived=archived)
    resolves = state.status is Status.RESOLVED and was.status is not Status.RESOLVED
    counted = ["resolutions"] if resolves else []
    if message_at is not None:
        changes["lastMessageAt"] = message_at
        changes |= index_keys.latest(message_at, before.id)
        counted.append("messageCount")
    else:
        clauses.append("lastSpeaker = :wasLastSpeaker")
        required[":wasLastSpeaker"] = was.last_speaker.value
    if condition:
        clauses.append(condition)
    counting = ""
    if counted:
        counting = " ADD " + ", ".join(f"{name} :one" for name in counted)
        required[":one"] = 1
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
        on_failure=StaleConversation,
    )


def assign(transaction: Transaction, before: Conversation, user_id: str | None) -> None:
    """Write another assignee over the one that was read, None for nobody.

    The transaction raises StaleConversation where that one, the status, or that it is not archived has changed.
    """
    state = before.state
    expression, values = "SET assignee = :assignee REMOVE GSI3PK", {}
    if user_id is not None:
        expression = "SET assignee = :assignee, GSI3PK = :list"
        values = {":list": index_keys.assigned(before.organization, user_id, state)["GSI3PK"]}
    transaction.update(
        keys.Conversation(before.organization, before.id),
        expression,
        condition="assignee = :was AND #status = :status AND archivedAt = :never",
        names={"#status": "status"},
        values={
            **values,
            ":assignee": user_id,
            ":was": before.assignee,
            ":status": state.status.value,
            ":never": None,
        },
        on_failure=StaleConversation,
    )


def require_unarchived(transaction: Transaction, conversation: Conversation) -> None:
    """Require that the conversation takes writes. The transaction raises StaleConversation, or ConversationNotFound."""
    transaction.require(
        keys.Conversation(conversation.organization, conversation.id),
        "archivedAt = :never",
        values={":never": None},
        on_failure=StaleConversation,
    )


def forget_current(transaction: Transaction, conversation: Conversation) -> None:
    """Make the session's next message look for its newest open conversation instead of trusting its hint."""
    if (
        conversation.item["sessionHash"] is None
    ):  # started by the team with one who has only an e-mail address
        return
    transaction.update(
        keys.Session(conversation.organization, conversation.item["sessionHash"]),
        "SET conversationId = :none ADD openings :one",
        # Another customer's by now, or gone: then this one is being erased, and its conversations with it.
        condition="customerId = :customer",
        values={":none": None, ":one": 1, ":customer": conversation.item["customerId"]},
        on_failure=lambda _: ConversationNotFound(),
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


def quiet_page(organization: str, behind: str, before: int, limit: int) -> list[Conversation]:
    """Return open conversations in which nobody waits for a person, quiet since before an instant (ms).

    The longest quiet first, behind a place in that list ("" at its beginning). One query.
    """
    bounds = (behind + "0" if behind else "0", f"{before:013d}")
    if bounds[0] >= bounds[1]:
        return []
    partition = keys.inbox(organization, InboxList.OPEN.value)
    page = table.query(partition, index="GSI1", sk_between=bounds, limit=limit)
    return [Conversation(item) for item in page.items]


def messages_after(organization: str, conversation_id: str, message_id: str, limit: int) -> list[Item]:
    """Return the newest customer-visible messages of those behind an id, newest first. One query."""
    first = keys.Message(organization, conversation_id, message_id)
    # No id is as long as one and a character, and none begins with what follows every letter.
    between = (first.sk + "0", keys.Message(organization, conversation_id, "~").sk)
    return table.query(first.pk, sk_between=between, limit=limit, newest_first=True, consistent=True).items


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


def page(
    organization: str, source: Source, limit: int, before: str | None
) -> tuple[list[Conversation], str | None]:
    """Return conversations of a source in the order of its index, and the place that the list goes on behind.

    One query for each partition. Where the source leaves some out, up to `EXAMINED` conversations of each are looked
    at, so that there may be fewer than `limit`, even none, while the list goes on. A partition that was read less far
    than another has the last word: what lies behind its place is found by the next page.
    """
    found: dict[str, Conversation] = {}  # by place: one that is moving may be met in two lists
    read_up_to = ""
    for partition in source.partitions:
        part = _part(source, partition, limit, _start(organization, source.index, partition, before))
        found |= {item[f"{source.index}SK"]: Conversation(item) for item in part.items}
        if part.after is not None:
            read_up_to = max(read_up_to, part.after[f"{source.index}SK"])
    in_order = sorted((place for place in found if place >= read_up_to), reverse=True)
    kept = in_order[:limit]
    end = kept[-1] if len(in_order) > limit else read_up_to or None
    return [found[place] for place in kept if not found[place].being_erased], end


def _part(source: Source, partition: str, limit: int, after: Item | None) -> Page:
    """Return up to `limit` or somewhat more conversations of one partition, the latest first.

    One query where none is left out. Else it looks at twice as many as are wanted, and at four times as many again
    while those are too few: what is left out is paid for as well, and mostly that is enough.
    """
    items: list[Item] = []
    step, left = limit, limit
    if source.matching is not None:
        step, left = 2 * limit, max(limit, EXAMINED)
    while True:
        part = table.query(
            partition,
            index=source.index,
            limit=min(step, left),
            newest_first=True,
            after=after,
            matching=source.matching,
        )
        items += part.items
        after, left, step = part.after, left - step, step * 4
        if after is None or left <= 0 or len(items) >= limit:
            return Page(items, after)


def place_of(conversation: Conversation, index: Index) -> str:
    """Return a conversation's place in its lists of an index."""
    return (
        conversation.id
        if index == "GSI2"
        else index_keys.activity(conversation.item["lastMessageAt"], conversation.id)
    )


def _start(organization: str, index: Index, partition: str, before: str | None) -> Item | None:
    """Return the key to go on from behind a place, whether or not a conversation of this partition is there."""
    if before is None:
        return None
    key = keys.Conversation(organization, before.rpartition("#")[2])
    return {**key.attributes(), f"{index}PK": partition, f"{index}SK": before}
