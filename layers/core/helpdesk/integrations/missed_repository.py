"""Notes of conversations that an app could not post: one item each, in a partition of the account."""

from collections.abc import Callable

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.transactions import Transaction


def put(organization: str, app: App, account_id: str, conversation_id: str, kept_seconds: int) -> None:
    """Note a conversation. One call."""
    table.update(
        keys.MissedConversation(organization, app.value, account_id, conversation_id),
        "SET expiresAt = :end",
        values={":end": clock.seconds_from_now(kept_seconds)},
    )


def replace_by_jobs(
    organization: str, app: App, account_id: str, job_of: Callable[[str], IntegrationJob], limit: int
) -> bool:
    """Queue the jobs of conversations that are noted, and delete their notes; return whether others are left.

    One query, and one transaction for all of them.
    """
    pk = keys.MissedConversation(organization, app.value, account_id, "-").pk
    page = table.query(pk, sk_prefix="CONV#", limit=limit + 1, consistent=True)
    transaction = Transaction()
    for item in page.items[:limit]:
        key = keys.MissedConversation.parse(item["PK"], item["SK"])
        if key is not None:
            transaction.delete(key)
            jobs.put(transaction, job_of(key.conversation_id))
    if page.items:
        transaction.commit()
    return len(page.items) > limit


def delete(
    transaction: Transaction, organization: str, app: App, account_id: str, conversation_id: str
) -> None:
    """Delete the note of a conversation, if there is one."""
    transaction.delete(keys.MissedConversation(organization, app.value, account_id, conversation_id))
