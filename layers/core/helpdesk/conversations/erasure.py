"""Erasure of conversations and their threads (docs/decisions/0062)."""

from collections.abc import Iterator, Sequence

from helpdesk.conversations import erasure_repository as repository
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import ErasableConversation
from helpdesk.storage.transactions import Transaction

__all__ = ["ErasableConversation"]  # and everything below


def find(organization: str, customer_id: str, conversation_ids: set[str]) -> list[ErasableConversation]:
    """Return a customer's conversations, oldest first: those of the given ids and those in the customer's index.

    It includes conversations that are being erased. The index lags behind the items, so a repeated call can find more.
    """
    indexed = {each.id for each in repository.of_customer(organization, customer_id)}
    found = repository.get_many(organization, sorted(conversation_ids | indexed))
    return [each for each in found if each.customer_id == customer_id]


def session_of(organization: str, customer_id: str) -> str | None:
    """Return the hash of a customer's session, as their conversations name it; None if none does."""
    return next(
        (
            each.session_hash
            for each in repository.of_customer(organization, customer_id)
            if each.session_hash
        ),
        None,
    )


def quiet(organization: str, before: int) -> Iterator[ErasableConversation]:
    """Yield conversations whose last message is older than an instant (ms), first those that are being erased."""
    return repository.quiet(organization, before)


def mark(organization: str, conversation_id: str, erasure_id: str, before: int | None = None) -> bool:
    """Mark a conversation as being erased, if its last message is older than `before` (ms; None: any).

    Return whether it is marked. From then on every reader treats it as gone, and every other write to it fails.
    """
    return repository.mark(organization, conversation_id, erasure_id, before)


def first_entries(organization: str, conversation_id: str, limit: int) -> list[Message]:
    """Return up to `limit` entries of a thread."""
    return repository.first_entries(organization, conversation_id, limit)


def delete_entries(transaction: Transaction, organization: str, entries: Sequence[Message]) -> None:
    """Add the removal of entries to a transaction. It raises ConditionFailed if one of them is gone."""
    repository.delete_entries(transaction, organization, entries)


def delete_for(transaction: Transaction, organization: str, conversation_id: str) -> None:
    """Add the removal of a marked conversation, whose thread is empty, to a transaction.

    The transaction raises ConditionFailed if the conversation is gone.
    """
    repository.delete(transaction, organization, conversation_id)
