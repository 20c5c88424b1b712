"""Revoking a secret key, and what becomes of the webhook endpoints that it signed for.

Specification: Events, Which key signs. It stands apart from `service`, which the webhooks call for their signing key.
"""

from helpdesk.admission.caller import Caller
from helpdesk.logs import service as logs
from helpdesk.logs.schemas import LogKind
from helpdesk.secret_keys import repository
from helpdesk.secret_keys.errors import KeyNotFound
from helpdesk.secret_keys.record import KeyRecord, LiveKey
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Conflict, Transaction
from helpdesk.webhooks import service as webhooks

_TRIES = 8


def revoke(caller: Caller, key_id: str) -> None:
    """End a key with the next request; a key that was revoked before stays as it is. Raises KeyNotFound, Conflict.

    Webhooks that it signed go on under a random secret, so that they never verify again.
    """
    for _ in range(_TRIES):
        record, alive = repository.get(caller.organization, key_id)
        if record is None:
            raise KeyNotFound
        if record.revoked_at is not None:
            return
        # The record and the live keys are read at once but not as of one instant.
        if alive is not None and _revoked(caller, record, alive):
            return
    raise Conflict


def _revoked(caller: Caller, record: KeyRecord, alive: LiveKey) -> bool:
    """Write the revocation; return whether the key is revoked now, False where its endpoints changed meanwhile."""
    transaction = Transaction()
    repository.revoke(transaction, caller.organization, alive)
    webhooks.replace_secrets(transaction, caller.organization, record.id)
    transaction.put(
        logs.entry(
            caller.organization,
            LogKind.KEY_REVOKED,
            actor=caller.actor,
            summary=f'The secret key "{record.name}" was revoked.',
            keyId=record.id,
            name=record.name,
        )
    )
    try:
        transaction.commit()
    except repository.AlreadyRevoked:
        return True
    except ConditionFailed:
        return False
    return True
