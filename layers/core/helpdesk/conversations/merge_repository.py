"""The items of conversations whose customer is merged into another."""

from helpdesk.storage import keys
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


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
