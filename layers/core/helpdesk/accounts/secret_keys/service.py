"""The rules of secret keys (Specification: Authentication, 2; Events, Which key signs)."""

import re
from collections.abc import Callable
from contextlib import suppress

from helpdesk.accounts.secret_keys import repository, schemas
from helpdesk.accounts.secret_keys.errors import (
    MAX_NAME_CHARACTERS,
    ONLY_LEGACY_KEYS,
    InvalidKeyName,
    KeyNotFound,
    MissingServiceKey,
)
from helpdesk.accounts.secret_keys.record import KeySecret, SecretKey
from helpdesk.accounts.secret_keys.schemas import KeyCreated, NewKey
from helpdesk.api.admission.caller import Caller
from helpdesk.api.admission.record import LiveKey
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.outbound.signing import site_secret, tools_secret, webhook_secret
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import as_name
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import Stale, repeat_when_stale
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

type ReplaceSecrets = Callable[[Transaction, str, str], None]
"""Replaces, in a transaction, the secrets of the endpoints that a key signs for (`webhooks.key_revocation`). It is
passed in because webhooks and tools import this package for their signing key."""

_HASH = re.compile(r"[0-9a-f]{64}")
_HINT_CHARACTERS = 4
_UNKNOWN_HINT = "?" * _HINT_CHARACTERS


class NewestKeyRevoked(Exception):
    """The key that was chosen to sign was revoked in the meantime; try again with the next one."""


def listed(organization: str, limit: int, after: str | None) -> tuple[list[schemas.SecretKey], str | None]:
    """Return a page of the keys, in the order of creation, and the id after which the next page begins.

    Keys that were revoked in the last 90 days are included.
    """
    last_used = {key.id: key.used_at for key in repository.live(organization).values()}
    records, end = repository.page(organization, limit, after)
    shown = [
        schemas.SecretKey.from_record(record, last_used_at=last_used.get(record.id, record.last_used_at))
        for record in records
    ]
    return shown, end


def create(caller: Caller, new: NewKey) -> KeyCreated:
    """Create a key and return it, the only time that it is shown. Raises InvalidKeyName, TooManyKeys."""
    name = require_name(new.name)
    transaction = Transaction()
    key_id, key = _add(transaction, caller.organization, name, caller.actor)
    repository.enter(transaction, caller.organization, sha256_hex(key), {"id": key_id, "name": name})
    transaction.put(
        logs.entry(
            caller.organization,
            LogKind.KEY_CREATED,
            actor=caller.actor,
            summary=f'The secret key "{name}" was created.',
            keyId=key_id,
            name=name,
        )
    )
    transaction.commit()
    return KeyCreated(id=key_id, key=key)


def revoke(caller: Caller, key_id: str, replace_secrets: ReplaceSecrets) -> None:
    """Revoke a key from the next request on. A revoked key stays as it is. Raises KeyNotFound, Conflict.

    `replace_secrets` adds to the transaction what gives the key's endpoints random secrets, so that their deliveries
    and calls continue and no longer verify (Specification: Events, Which key signs).
    """

    def attempt() -> None:
        record, key_hash, alive = repository.get(caller.organization, key_id)
        if record is None:
            raise KeyNotFound
        if record.revoked_at is not None:
            return
        # The record and the live keys are read in one call, but not as of one instant.
        if key_hash is None or alive is None:
            raise Stale
        _revoke(caller, record, key_hash, alive, replace_secrets)

    repeat_when_stale(attempt, ConditionFailed)


def _revoke(
    caller: Caller, record: SecretKey, key_hash: str, alive: LiveKey, replace_secrets: ReplaceSecrets
) -> None:
    """Write the revocation. Raises ConditionFailed if the key's endpoints changed in the meantime."""
    transaction = Transaction()
    repository.revoke(transaction, caller.organization, key_hash, alive)
    replace_secrets(transaction, caller.organization, record.id)
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
    with suppress(repository.AlreadyRevoked):
        transaction.commit()


def add_first(transaction: Transaction, organization: str, name: str) -> tuple[str, Item]:
    """Add the first key of an organization that the operator creates.

    Return the key, and the live keys with which the organization's allowances start.
    """
    key_id, key = _add(transaction, organization, name, ActorName(logs.SYSTEM))
    return key, {sha256_hex(key): {"id": key_id, "name": name}}


def import_legacy(organization: str, name: str, key_hash: str) -> str:
    """Import a key from before the current scheme by its SHA-256 and return its id; for the operator's command.

    It is accepted like any other key and counts towards the ten, but cannot sign anything. Raises InvalidKeyName,
    InvalidRequest, TooManyKeys, KeyExists, OrganizationNotFound.
    """
    name, key_hash = require_name(name), key_hash.lower()
    if _HASH.fullmatch(key_hash) is None:
        raise InvalidRequest("The key's SHA-256 must be 64 hexadecimal characters.")
    record = _record(organization, name, _UNKNOWN_HINT, ActorName(logs.SYSTEM), legacy=True)
    transaction = Transaction()
    repository.claim_legacy(transaction, organization, key_hash, record.id)
    repository.enter(transaction, organization, key_hash, {"id": record.id, "name": name, "legacy": True})
    transaction.put(record, new=True)
    transaction.put(
        logs.entry(
            organization,
            LogKind.KEY_IMPORTED,
            actor=logs.SYSTEM,
            summary=f'The secret key "{name}" was imported.',
            keyId=record.id,
            name=name,
        )
    )
    transaction.commit()
    return record.id


def add_signing_key(transaction: Transaction, caller: Caller) -> str:
    """Return the id of the key that signs what the caller sets up, and make the transaction require that it is live.

    A key signs with itself; for a person and for a legacy key it is the newest one that can sign (Specification:
    Events, Which key signs). Raises MissingServiceKey if there is none. The transaction raises it too if the
    calling key was revoked in the meantime, and NewestKeyRevoked if the newest key was: then try again.
    """
    if caller.key_id is not None and not caller.legacy:
        key_id, on_failure = caller.key_id, MissingServiceKey()
        repository.require_live(transaction, caller.organization, key_id, on_failure)
        return key_id
    live = repository.live(caller.organization)
    able = [key.id for key in live.values() if not key.legacy]
    if not able:
        raise MissingServiceKey(ONLY_LEGACY_KEYS if live else None)
    repository.require_live(transaction, caller.organization, able[-1], NewestKeyRevoked())
    return able[-1]


def require_name(name: str) -> str:
    """Return a key's name, trimmed, on one line and without hidden characters. Raises InvalidKeyName."""
    name = as_name(name)
    if not 1 <= len(name) <= MAX_NAME_CHARACTERS:
        raise InvalidKeyName
    return name


def _add(transaction: Transaction, organization: str, name: str, created_by: ActorName) -> tuple[str, str]:
    """Create a key, add its record and the secrets derived from it; return its id and text."""
    key = f"svc_key_{organization.removeprefix('org_')}_{ids.secret()}"
    record = _record(organization, name, key[-_HINT_CHARACTERS:], created_by, legacy=False)
    transaction.put(record, new=True)
    secret = KeySecret(
        organization=organization, key_id=record.id, webhooks=webhook_secret(key), tools=tools_secret(key)
    )
    repository.put_secrets(transaction, secret, site_secret(key))
    return record.id, key


def _record(organization: str, name: str, hint: str, created_by: ActorName, *, legacy: bool) -> SecretKey:
    return SecretKey(
        organization=organization,
        id=ids.new("key"),
        name=name,
        hint=hint,
        created_at=clock.now_ms(),
        created_by_name=created_by,
        legacy=legacy,
    )
