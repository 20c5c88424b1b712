"""Removes ratings with the conversations that they belong to."""

from collections.abc import Sequence

from helpdesk.conversations.ratings.record import Rating
from helpdesk.storage.transactions import Transaction


def delete_for(transaction: Transaction, organization: str, rating_ids: Sequence[str]) -> None:
    """Add the removal of ratings to a transaction."""
    for rating_id in rating_ids:
        transaction.delete(Rating.key_for(organization, rating_id))
