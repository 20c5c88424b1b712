"""Items of secret keys: their records, the secrets derived from them, and their hashes among the live ones.

Each of the three allowances holds the hashes, so that admission checks a key with the write that it makes anyway. All
three hold the same keys, because they change together.
"""

from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.secret_keys.errors import MAX_SECRET_KEYS, REVOKED_DAYS, KeyExists, TooManyKeys
from helpdesk.accounts.secret_keys.record import KeySecret, SecretKey, SiteKeySecret
from helpdesk.api.admission.limits import RequestClass
from helpdesk.api.admission.record import Allowance, LegacyKey, LiveKey
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Key
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

_records = Collection(SecretKey)


class AlreadyRevoked(Exception):
    """Another request revoked the key first."""


def page(organization: str, limit: int, after: str | None) -> tuple[list[SecretKey], str | None]:
    """Return keys in the order of creation, after the id `after`; and the id to continue from, None at the end.

    Keys that were revoked more than 90 days ago are left out, so a page can have fewer than `limit`.
    """
    start = SecretKey.key_for(organization, after).attributes() if after else None
    found = _records.page(organization, limit=limit, after=start, consistent=True)
    oldest = clock.now_ms() - REVOKED_DAYS * DAY_MS
    shown = [record for record in found.records if record.revoked_at is None or record.revoked_at > oldest]
    return shown, found.records[-1].id if found.after else None


def live(organization: str) -> dict[str, LiveKey]:
    """Return the live keys (ten at most) by hash, oldest first, each as it was used last. One call."""
    return _live(table.get_many(_allowances(organization)))


def get(organization: str, key_id: str) -> tuple[SecretKey | None, str | None, LiveKey | None]:
    """Return a key's record and, while the key is live, its hash and its entry in the allowances. One call."""
    record_key = SecretKey.key_for(organization, key_id)
    found = table.get_many([record_key, *_allowances(organization)])
    item = found.pop(record_key, None)
    key_hash, alive = next((entry for entry in _live(found).items() if entry[1].id == key_id), (None, None))
    return SecretKey.from_item(item) if item else None, key_hash, alive


def put_secrets(transaction: Transaction, secret: KeySecret, site_secret: str) -> None:
    """Add the secrets derived from a key, separately from its record.

    That of sign-ins to the help site is apart from those of deliveries: other roles read it.
    """
    transaction.put(secret)
    transaction.put(SiteKeySecret(organization=secret.organization, key_id=secret.key_id, secret=site_secret))


def claim_legacy(transaction: Transaction, organization: str, key_hash: str, key_id: str) -> None:
    """Record which organization a legacy key belongs to. The transaction raises OrganizationNotFound, KeyExists.

    The claim outlives the key, so that a revoked key is not imported again by mistake.
    """
    transaction.require(Organization.key_for(organization), {}, on_failure=OrganizationNotFound())
    transaction.put(
        LegacyKey(key_hash=key_hash, organization=organization, key_id=key_id),
        new=True,
        on_failure=KeyExists(),
    )


def enter(transaction: Transaction, organization: str, key_hash: str, entry: Item) -> None:
    """Accept a key from now on. The transaction raises TooManyKeys, or KeyExists if it is accepted already."""

    def meaning(found: Item | None) -> Exception:
        return KeyExists() if found and key_hash in found["keys"] else TooManyKeys()

    for allowance in _allowances(organization):
        transaction.update(
            allowance,
            "SET #keys.#hash = :entry",
            condition="attribute_not_exists(#keys.#hash) AND size(#keys) < :most",
            names={"#keys": "keys", "#hash": key_hash},
            values={":entry": entry, ":most": MAX_SECRET_KEYS},
            on_failure=meaning,
        )


def revoke(transaction: Transaction, organization: str, key_hash: str, key: LiveKey) -> None:
    """Revoke a key: it is no longer accepted and signs nothing. The transaction raises AlreadyRevoked.

    The record keeps the last use as it was read; a request in the same milliseconds may be missing.
    """
    transaction.change(
        SecretKey.key_for(organization, key.id),
        set={"revoked_at": clock.now_ms(), "last_used_at": key.used_at},
        require={"revoked_at": None},
        on_failure=AlreadyRevoked(),
    )
    for allowance in _allowances(organization):
        transaction.update(
            allowance,
            "REMOVE #keys.#hash",
            condition="attribute_exists(PK)",
            names={"#keys": "keys", "#hash": key_hash},
        )
    transaction.delete(KeySecret.key_for(organization, key.id))
    transaction.delete(SiteKeySecret.key_for(organization, key.id))


def require_live(transaction: Transaction, organization: str, key_id: str, on_failure: Exception) -> None:
    """Make a transaction fail if the key was revoked in the meantime."""
    transaction.require(SecretKey.key_for(organization, key_id), {"revoked_at": None}, on_failure=on_failure)


def _allowances(organization: str) -> list[Key]:
    return [Allowance.key_for(organization, request_class.value) for request_class in RequestClass]


def _live(allowances: dict[Key, Item]) -> dict[str, LiveKey]:
    found: dict[str, LiveKey] = {}
    for item in allowances.values():
        for key_hash, key in Allowance.from_item(item).keys.items():
            found[key_hash] = max(found.get(key_hash, key), key, key=lambda each: each.used_at or 0)
    return dict(sorted(found.items(), key=lambda entry: entry[1].id))
