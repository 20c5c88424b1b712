"""Removes the rows of what is erased.

The stream removes them, too, when it brings the removal of the items. An erasure does not wait for that: when it is
finished, no row is left. A change from before the erasure that the stream brings later does not write a row again,
because the conversation is gone; what a run of that moment still writes goes with the removal that follows.
"""

from collections.abc import Iterable

from helpdesk.analytics import repository, rows


def delete_entries(organization: str, message_ids: Iterable[str], rating_ids: Iterable[str]) -> None:
    """Remove the rows of messages and ratings."""
    found = [(rows.MESSAGES, each) for each in message_ids] + [(rows.RATINGS, each) for each in rating_ids]
    repository.delete_many(organization, found)


def delete_approvals(organization: str, approval_ids: Iterable[str]) -> None:
    """Remove the rows of calls that waited for a decision."""
    repository.delete_many(organization, [(rows.TOOL_REQUESTS, each) for each in approval_ids])


def delete_calls(organization: str, call_ids: Iterable[str]) -> None:
    """Remove the rows of calls of tools."""
    repository.delete_many(organization, [(rows.TOOL_RUNS, each) for each in call_ids])


def delete_conversation(organization: str, conversation_id: str) -> None:
    """Remove the row of a conversation."""
    repository.delete(organization, rows.CONVERSATIONS, conversation_id)


def delete_customer(organization: str, customer_id: str) -> None:
    """Remove the row of a customer."""
    repository.delete(organization, rows.CUSTOMERS, customer_id)
