"""Export of a customer's conversations with their threads."""

from collections.abc import Iterator, Sequence

from helpdesk.conversations import list_repository, repository, thread_repository
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.thread_repository import Entry


def conversations_from(organization: str, customer_id: str, conversation_id: str) -> Iterator[Conversation]:
    """Yield a customer's conversations from an id on (empty: all), oldest first, without those being erased.

    Costs one read for the first one, and one query per 100.
    """
    first = repository.find(organization, conversation_id) if conversation_id else None
    if first is not None:
        yield first
    yield from list_repository.of_customer_after(organization, customer_id, conversation_id)


def by_ids(organization: str, conversation_ids: Sequence[str]) -> list[Conversation]:
    """Return those of the conversations that exist and are not being erased. One call for a hundred."""
    return repository.get_many(organization, conversation_ids)


def entries_after(
    organization: str, conversation_id: str, sort_key: str, limit: int
) -> tuple[list[Entry], bool]:
    """Return entries of a thread after a sort key (empty: the first ones), messages first, then notes.

    The second value is whether more may follow. One query.
    """
    return thread_repository.entries_by_key(organization, conversation_id, sort_key, limit)
