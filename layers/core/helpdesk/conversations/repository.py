"""Items of conversations. Their threads are in `thread_repository`, their lists in `list_repository`."""

from collections.abc import Sequence

from helpdesk.conversations import list_repository
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import (
    BrowserContext,
    Conversation,
    HourTokens,
    SessionGone,
    Snapshot,
    StaleConversation,
    newest_message,
)
from helpdesk.conversations.state import Handler, Speaker, State, Status, Visibility, emits_event
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


def get(organization: str, conversation_id: str) -> Conversation:
    """Return a conversation. Raises ConversationNotFound."""
    found = find(organization, conversation_id)
    if found is None:
        raise ConversationNotFound
    return found


def find(organization: str, conversation_id: str) -> Conversation | None:
    """Return a conversation; None if it does not exist or is being erased."""
    item = table.get(keys.Conversation(organization, conversation_id))
    return Conversation.from_item(item) if item is not None and BEING_ERASED not in item else None


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
            **list_repository.inbox(organization, conversation.state),
            **list_repository.latest(conversation.last_message_at, conversation.id),
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
    hour_tokens: HourTokens | None = None,
    context: BrowserContext | None = None,
    snoozed_until: int | None = None,
    ends_snooze: bool = False,
    notice: bool = False,
    condition: str = "",
    condition_values: Item | None = None,
) -> None:
    """Write a state over the one that was read, and with it what else is given.

    `message_id` and `message_at` (ms) are those of a message that is added, by who wrote last in `state` or, as a
    `notice`, by nobody. `ends_snooze` ends a snooze that the write may not know of. `waiting_approvals` are added,
    and `hour_tokens` to those of their hour.

    The write is refused if status or handler have changed since, if the conversation was archived or unarchived, or if
    `condition` does not hold: the transaction then raises StaleConversation with the conversation as it is now.
    Without a message, or with `only_if_newest`, it is also refused if someone has written since: who wrote last decides
    whether a person is awaited, and the visitor's newest message is the one that the agent answers. A message is
    refused if its id does not sort after the newest one. One that resolves, opens, archives or unarchives is also
    refused if the assignee has changed; one that changes the state's key, if the snooze has changed. One that can move
    it to another list of the inbox is refused if approvals wait and none did, or the other way round.
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
        **({} if hour_tokens is None else hour_tokens.changed),
        "status": state.status.value,
        "handledBy": state.handled_by.value,
        "lastSpeaker": state.last_speaker.value,
    }
    clauses = ["#status = :wasStatus", "handledBy = :wasHandledBy", "archivedAt = :wasArchivedAt"]
    required: Item = {":wasStatus": was.status.value, ":wasHandledBy": was.handled_by.value}
    required[":wasArchivedAt"] = before.archived_at
    place, place_requires = _placed(before, state, waiting_approvals)
    changes |= place
    if place_requires:
        clauses.append(place_requires)
        required[":noApprovals"] = 0
    if key_changes:
        clauses.append("snoozedUntil = :wasSnoozedUntil")
        required[":wasSnoozedUntil"] = before.snoozed_until
    if archived is not was_archived:
        changes["archivedAt"] = clock.now_ms() if archived else None
    if state.status is not was.status or archived is not was_archived:
        clauses.append("assignee = :wasAssignee")
        required[":wasAssignee"] = before.assignee
        if before.assignee is not None:
            changes |= list_repository.assigned(
                before.organization, before.assignee, state, archived=archived
            )
    resolves = state.status is Status.RESOLVED and was.status is not Status.RESOLVED
    changes |= {"resolvedAt": clock.now_ms()} if resolves else {}
    counted = {
        **({} if hour_tokens is None else hour_tokens.added),
        "resolutions": int(resolves),
        "waitingApprovals": waiting_approvals,
        "stateChanges": int(emits_event(was, state)),
    }
    if message_id is not None:
        by_visitor = state.last_speaker is Speaker.VISITOR and not notice
        changes |= newest_message(message_id, message_id if by_visitor else None)
        changes["lastMessageAt"] = message_at
        changes |= list_repository.latest(message_at, before.id)
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


def _placed(before: Snapshot, state: State, new_approvals: int) -> tuple[Item, str]:
    """Return the list of the inbox in which a write puts a conversation, and the condition for it to be the right one.

    Both are empty if the write leaves the conversation in its list, whatever that is: a snapshot may not know of the
    approvals that wait.
    """
    archived = state.visibility is Visibility.ARCHIVED
    without, with_approvals = (
        list_repository.inbox(before.organization, state, archived=archived, approvals=approvals)
        for approvals in (False, True)
    )
    if without == with_approvals:
        return without, ""
    if new_approvals:
        return with_approvals, ""
    if state.key == before.state.key and state.handled_by is Handler.AGENT:
        return {}, ""
    if before.waiting_approvals:
        return with_approvals, "waitingApprovals > :noApprovals"
    return without, "(attribute_not_exists(waitingApprovals) OR waitingApprovals = :noApprovals)"


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
    tokens: int = 0,
) -> None:
    """Write the state after the agent's answer to the visitor's messages up to one; None if it answers none of them.

    The transaction also raises StaleConversation if that message was answered since or a teammate wrote last, with
    `only_if_newest` if anyone has written since, or with `waiting_approvals` if others wait by now.
    """
    condition: str = ""
    values: Item = {}
    if answered_up_to is not None:
        condition = (
            "(attribute_not_exists(answeredUpTo) OR answeredUpTo < :answering) AND lastSpeaker <> :teammate"
        )
        values = {":answering": answered_up_to, ":teammate": Speaker.TEAMMATE.value}
    if waiting_approvals:
        # How many may wait was decided by how many wait.
        waiting = "waitingApprovals = :waiting"
        waiting = (
            waiting if before.waiting_approvals else f"(attribute_not_exists(waitingApprovals) OR {waiting})"
        )
        condition = " AND ".join(filter(None, [condition, waiting]))
        values[":waiting"] = before.waiting_approvals
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
        hour_tokens=before.with_tokens(tokens, message_at) if tokens else None,
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
        values = {":list": list_repository.assigned(before.organization, user_id, state)["GSI3PK"]}
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


def give(
    transaction: Transaction,
    organization: str,
    conversation_id: str,
    before_id: str,
    after_id: str,
    session_hash: str,
) -> None:
    """Write whose conversation it is, and put it into the list of that customer.

    The transaction raises ConditionFailed if it is not `before_id`'s, or is being erased.
    """
    transaction.update(
        keys.Conversation(organization, conversation_id),
        "SET customerId = :after, sessionHash = :session, GSI2PK = :list",
        condition=f"customerId = :before AND attribute_not_exists({BEING_ERASED})",
        values={
            ":before": before_id,
            ":after": after_id,
            ":session": session_hash,
            ":list": keys.customer_conversations(organization, after_id),
        },
        on_failure=ConditionFailed,
    )


def forget_current(transaction: Transaction, conversation: Conversation) -> None:
    """Make the session's next message look for its newest open conversation instead of trusting its hint.

    The transaction raises SessionGone.
    """
    if (
        conversation.session_hash is None
    ):  # started by the team, with a customer who has an e-mail address only
        return
    transaction.update(
        keys.Session(conversation.organization, conversation.session_hash),
        "SET conversationId = :none ADD openings :one",
        condition="customerId = :customer",
        values={":none": None, ":one": 1, ":customer": conversation.customer_id},
        on_failure=SessionGone,
    )


def forget_snooze(transaction: Transaction, conversation: Snapshot) -> None:
    """Remove the reminder of a snooze that a transition ended; the snoozes package writes it."""
    transaction.delete(keys.Snooze(conversation.organization, conversation.id))
