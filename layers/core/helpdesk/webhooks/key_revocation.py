"""Revoking a secret key, with the secrets of everything that the key signs for."""

from helpdesk.accounts.secret_keys import service as secret_keys
from helpdesk.api.admission.caller import Caller
from helpdesk.storage.transactions import Transaction
from helpdesk.tools import endpoints
from helpdesk.webhooks import service as webhooks


def revoke(caller: Caller, key_id: str) -> None:
    """Revoke a key from the next request on. Raises KeyNotFound, Conflict.

    Webhook and tool endpoints that it signs for get random secrets: deliveries and calls continue, and no longer verify
    (Specification: Events, Which key signs).
    """
    secret_keys.revoke(caller, key_id, _replace_secrets)


def _replace_secrets(transaction: Transaction, organization: str, key_id: str) -> None:
    webhooks.replace_secrets(transaction, organization, key_id)
    endpoints.replace_secrets(transaction, organization, key_id)
