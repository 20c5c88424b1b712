"""Items of conversations and their threads."""

from collections.abc import Sequence

from helpdesk.conversations import index_keys
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.index_keys import InboxList, Source
from helpdesk.conversations.record import (
    BrowserContext,
    Conversation,
    EntryKind,
    Message,
    Snapshot,
    StaleConversation,
    newest_message,
)
from helpdesk.conversations.state import Speaker, State, Status, Visibility, emits_event
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import Index, Item, Page
from helpdesk.storage.transactions import Transaction

EXAMINED = 500
"""How many conversations of each list one page reads, at most, if it has a filter."""


def get(organization: str, conversation_id: str) -> Conversation:
    """Return a conversation. Raises ConversationNotFound."""
    item = table.get(keys.Conversation(organization, conversation_id))
    if item is None or BEING_ERASED in item:
        raise ConversationNotFound
    return Conversation.from_item(item)


def get_many(organization: str, conversation_ids: Sequence[str]) -> list[Conversation]:
    """Return those of the conversations that exist, in the order given."""
    wanted = [keys.Conversation(organization, conversation_id) for conversation_id in conversation_ids]
    found = table.get_many(wanted)
    items = [found[key] for key in wanted if key in found]
    return [Conversation.from_item(item) for item in items if BEING_ERASED not in item]


def put(transaction: Transaction, conversation: Conversation) -> None:
    """Add a new conversation, in its list of the inbox and in its customer's."""
    organization = conversation.organization
    transaction.put(
        {
            **keys.Conversation(organization, conversation.id).attributes(),
            **conversation.to_item(),
            **index_keys.inbox(organization, conversation.state),
            **index_keys.latest(conversation.last_message_at, conversation.id),
            "GSI2PK": keys.customer_conversations(organization, conversation.customer_id),
            "GSI2SK": conversation.id,
        },
        new=True,
    )


def save(
    transaction: Transaction,
    before: Snapshot,
    state: State,
    *,
    message_id: str | None = None,
    message_at: int = 0,
    only_if_newest: bool = False,
    answered_up_to: str | None = None,
    handed_off_at: int | None = None,
    hand_off_reason: str | None = None,
    language: str | None = None,
    gap: str | None = None,
    waiting_approvals: int = 0,
    context: BrowserContext | None = None,
    snoozed_until: int | None = None,
    ends_snooze: bool = False,
    notice: bool = False,
    condition: str = "",
    condition_values: Item | None = None,
) -> None:
    """Write a state over the one that was read, and with it what else is given.

    `message_id` and `message_at` (ms) are those of a message that is added, by who wrote last in `state` or, as a
    `notice`, by nobody. `ends_snooze` ends a snooze that the write may not know of. `waiting_approvals` are added.

    The write is refused if status or handler have changed since, if the conversation was archived or unarchived, or if
    `condition` does not hold: the transaction then raises StaleConversation with the conversation as it is now.
    Without a message, or with `only_if_newest`, it is also refused if someone has written since: who wrote last decides
    whether a person is awaited, and the visitor's newest message is the one that the agent answers. A message is
    refused if its id does not sort after the newest one. One that resolves, opens, archives or unarchives is also
    refused if the assignee has changed; one that changes the state's key, if the snooze has changed.
    """
    was = before.state
    archived, was_archived = state.visibility is Visibility.ARCHIVED, was.visibility is Visibility.ARCHIVED
    key_changes = state.key != was.key
    ends_snooze = ends_snooze or (key_changes and state.visibility is not Visibility.SNOOZED)
    changes: Item = {
        **({"snoozedUntil": None} if ends_snooze else {}),
        **({} if snoozed_until is None else {"snoozedUntil": snoozed_until}),
        **({} if answered_up_to is None else {"answeredUpTo": answered_up_to}),
        **({} if handed_off_at is None else {"handedOffAt": handed_off_at, "handOffReason": hand_off_reason}),
        **({} if language is None else {"language": language}),
        **({} if gap is None else {"gap": gap}),
        **({} if context is None else {"context": context.to_item()}),
        "status": state.status.value,
        "handledBy": state.handled_by.value,
        "lastSpeaker": state.last_speaker.value,
        **index_keys.inbox(before.organization, state, archived=archived),
    }
    clauses = ["#status = :wasStatus", "handledBy = :wasHandledBy", "archivedAt = :wasArchivedAt"]
    required: Item = {":wasStatus": was.status.value, ":wasHandledBy": was.handled_by.value}
    required[":wasArchivedAt"] = before.archived_at
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
    changes |= {"resolvedAt": clock.now_ms()} if resolves else {}
    counted = {
        "resolutions": int(resolves),
        "waitingApprovals": waiting_approvals,
        "stateChanges": int(emits_event(was, state)),
    }
    if message_id is not None:
        by_visitor = state.last_speaker is Speaker.VISITOR and not notice
        changes |= newest_message(message_id, message_id if by_visitor else None)
        changes["lastMessageAt"] = message_at
        changes |= index_keys.latest(message_at, before.id)
        counted["messageCount"] = 1
    if message_id is not None and not only_if_newest:
        clauses.append("(attribute_not_exists(newestMessageId) OR newestMessageId < :newestMessageId)")
    elif before.newest_message_id is None:
        clauses.append("attribute_not_exists(newestMessageId)")
    else:
        clauses.append("newestMessageId = :wasNewestMessageId")
        required[":wasNewestMessageId"] = before.newest_message_id
    if condition:
        clauses.append(condition)
    transaction.set(
        keys.Conversation(before.organization, before.id),
        changes,
        added=counted,
        condition=" AND ".join(clauses),
        values={**required, **(condition_values or {})},
        on_failure=StaleConversation,
    )


def save_answer(
    transaction: Transaction,
    before: Conversation,
    state: State,
    *,
    message_id: str,
    message_at: int,
    answered_up_to: str | None,
    hand_off_reason: str | None,
    only_if_newest: bool,
    language: str | None,
    gap: str | None,
    waiting_approvals: int = 0,
) -> None:
    """Write the state after the agent's answer to the visitor's messages up to one; None if it answers none of them.

    The transaction also raises StaleConversation if that message was answered since or a teammate wrote last, or with
    `only_if_newest` if anyone has written since.
    """
    condition, values = "", {}
    if answered_up_to is not None:
        condition = (
            "(attribute_not_exists(answeredUpTo) OR answeredUpTo < :answering) AND lastSpeaker <> :teammate"
        )
        values = {":answering": answered_up_to, ":teammate": Speaker.TEAMMATE.value}
    save(
        transaction,
        before,
        state,
        message_id=message_id,
        message_at=message_at,
        only_if_newest=only_if_newest,
        answered_up_to=answered_up_to,
        # The last message is a hand-off for as long as this is the time of the last message.
        handed_off_at=None if hand_off_reason is None else message_at,
        hand_off_reason=hand_off_reason,
        language=language,
        gap=gap,
        waiting_approvals=waiting_approvals,
        condition=condition,
        condition_values=values,
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
    """Require that it is not archived. The transaction raises StaleConversation or ConversationNotFound."""
    transaction.require(
        keys.Conversation(conversation.organization, conversation.id),
        "archivedAt = :never",
        values={":never": None},
        on_failure=StaleConversation,
    )


def require_present(transaction: Transaction, conversation: Conversation, *, closes_gap: bool) -> None:
    """Require that it is not being erased; with `closes_gap` also that its gap is as read, which is removed.

    The transaction raises StaleConversation or ConversationNotFound.
    """
    key = keys.Conversation(conversation.organization, conversation.id)
    condition = f"attribute_exists(PK) AND attribute_not_exists({BEING_ERASED})"
    if closes_gap:
        transaction.update(
            key,
            "REMOVE gap",
            condition=f"{condition} AND gap = :gap",
            values={":gap": conversation.gap},
            on_failure=StaleConversation,
        )
    else:
        transaction.require(key, condition, on_failure=StaleConversation)


def forget_current(transaction: Transaction, conversation: Conversation) -> None:
    """Make the session's next message look for its newest open conversation instead of trusting its hint."""
    if (
        conversation.session_hash is None
    ):  # started by the team, with a customer who has an e-mail address only
        return
    transaction.update(
        keys.Session(conversation.organization, conversation.session_hash),
        "SET conversationId = :none ADD openings :one",
        # A session that is another customer's by now, or gone, means that this customer is being erased.
        condition="customerId = :customer",
        values={":none": None, ":one": 1, ":customer": conversation.customer_id},
        on_failure=lambda _: ConversationNotFound(),
    )


def forget_snooze(transaction: Transaction, conversation: Snapshot) -> None:
    """Remove the reminder of a snooze that a transition ended; the snoozes package writes it."""
    transaction.delete(keys.Snooze(conversation.organization, conversation.id))


def put_entry(
    transaction: Transaction, organization: str, entry: Message, *, new: bool = True, entity: str = ""
) -> None:
    """Add an entry to a thread, or write it over the one of the same id.

    A visitor's query reads no note, which has a sort key of its own. With an `entity` the fan-out reads the entry.
    """
    kind = keys.Message if entry.kind is EntryKind.MESSAGE else keys.Note
    key = kind(organization, entry.conversation_id, entry.id).attributes()
    transaction.put({**key, **entry.to_item(), **({"entity": entity} if entity else {})}, new=new)


def newest_messages(organization: str, conversation_id: str, limit: int) -> list[Message]:
    """Return the newest customer-visible messages, newest first."""
    partition = keys.Conversation(organization, conversation_id).pk
    page = table.newest(partition, limit, sk_prefix="MSG#", consistent=True)
    return [Message.from_item(item) for item in page.items]


def quiet_page(organization: str, behind: str, before: int, limit: int) -> list[tuple[str, Conversation]]:
    """Return open conversations in which nobody waits for a person, quiet since before an instant (ms).

    The longest quiet first, each with its sort key in that list, from behind a sort key ("" for the first). One query.
    """
    bounds = (behind + "0" if behind else "0", f"{before:013d}")
    if bounds[0] >= bounds[1]:
        return []
    partition = keys.inbox(organization, InboxList.OPEN.value)
    page = table.query(partition, index="GSI1", sk_between=bounds, limit=limit)
    return [(item["GSI1SK"], Conversation.from_item(item)) for item in page.items]


def messages_after(organization: str, conversation_id: str, message_id: str, limit: int) -> list[Message]:
    """Return the newest customer-visible messages after an id, newest first. One query."""
    first = keys.Message(organization, conversation_id, message_id)
    # No id is as long as one and a character, and none begins with what follows every letter.
    between = (first.sk + "0", keys.Message(organization, conversation_id, "~").sk)
    page = table.query(first.pk, sk_between=between, limit=limit, newest_first=True, consistent=True)
    return [Message.from_item(item) for item in page.items]


def newest_entries(
    organization: str, conversation_id: str, limit: int, before: str | None
) -> tuple[list[Message], str | None]:
    """Return the newest entries of the team's thread, newest first, older than the id `before`.

    Messages and notes have sort keys of their own; both are read and merged by id, which sorts by time.
    """
    partition = keys.Conversation(organization, conversation_id).pk
    entries: list[Message] = []
    more = False
    for kind in (keys.Message, keys.Note):
        after = kind(organization, conversation_id, before).attributes() if before else None
        prefix = kind.SK.partition("#")[0] + "#"
        page = table.newest(partition, limit, sk_prefix=prefix, after=after, consistent=True)
        entries += [Message.from_item(item) for item in page.items]
        more = more or page.after is not None
    entries.sort(key=lambda entry: entry.id, reverse=True)
    kept = entries[:limit]
    return kept, kept[-1].id if kept and (more or len(entries) > limit) else None


def page(
    organization: str, source: Source, limit: int, before: str | None
) -> tuple[list[Conversation], str | None]:
    """Return conversations of a source in the order of its index, and the sort key that the next page starts behind.

    One query for each partition. With a filter, up to `EXAMINED` conversations of each partition are read, so a page
    can hold fewer than `limit`, even none, while there is a next one. The page ends where the partition ends that was
    read least far; the next page starts there.
    """
    found: dict[str, Item] = {}  # by sort key: one that is changing lists can be in two of them
    read_up_to = ""
    for partition in source.partitions:
        part = _part(source, partition, limit, _start(organization, source.index, partition, before))
        found |= {item[f"{source.index}SK"]: item for item in part.items}
        if part.after is not None:
            read_up_to = max(read_up_to, part.after[f"{source.index}SK"])
    in_order = sorted((sort_key for sort_key in found if sort_key >= read_up_to), reverse=True)
    kept = in_order[:limit]
    end = kept[-1] if len(in_order) > limit else read_up_to or None
    items = [found[sort_key] for sort_key in kept]
    return [Conversation.from_item(item) for item in items if BEING_ERASED not in item], end


def _part(source: Source, partition: str, limit: int, after: Item | None) -> Page:
    """Return up to `limit` or somewhat more conversations of one partition, the latest first.

    One query without a filter. With one, it reads twice `limit`, then four times as many while too few match: filtered
    items cost read units too, and the first query mostly suffices.
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


def sort_key_of(conversation: Conversation, index: Index) -> str:
    """Return a conversation's sort key in an index."""
    return (
        conversation.id
        if index == "GSI2"
        else index_keys.activity(conversation.last_message_at, conversation.id)
    )


def _start(organization: str, index: Index, partition: str, before: str | None) -> Item | None:
    """Return the key to continue from behind a sort key, whether or not this partition has it."""
    if before is None:
        return None
    key = keys.Conversation(organization, before.rpartition("#")[2])
    return {**key.attributes(), f"{index}PK": partition, f"{index}SK": before}
