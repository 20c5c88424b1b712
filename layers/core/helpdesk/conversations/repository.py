"""Items of conversations. Their threads are in `thread_repository`, their lists in `list_repository`."""

from collections.abc import Sequence

from helpdesk.conversations import list_repository
from helpdesk.conversations.change import Change, Requirement
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import Conversation, SessionGone, Snapshot, Snooze, StaleConversation
from helpdesk.conversations.session_record import Session
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


def save(transaction: Transaction, change: Change, *further: Requirement) -> None:
    """Add the write of a change to a transaction, which requires what the change does, and further requirements.

    Where one does not hold, the transaction raises StaleConversation with the conversation as it is now.
    """
    required = [*change.requirements, *further]
    values: Item = {}
    for requirement in required:
        values |= requirement.values
    transaction.set(
        keys.Conversation(change.before.organization, change.before.id),
        change.attributes,
        added=change.counts,
        condition=" AND ".join(requirement.condition for requirement in required),
        values=values,
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
    transaction.change(
        Session.key_for(conversation.organization, conversation.session_hash),
        set={"current": None},
        add={"openings": 1},
        require={"customer_id": conversation.customer_id},
        on_failure=SessionGone,
    )


def forget_snooze(transaction: Transaction, conversation: Snapshot) -> None:
    """Remove the reminder of a snooze that a transition ended; the snoozes package writes it."""
    transaction.delete(Snooze.key_for(conversation.organization, conversation.id))
