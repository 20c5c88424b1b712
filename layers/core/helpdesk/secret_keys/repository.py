"""Items of secret keys: their records, the secrets derived from them, and their hashes among the live ones.

The hashes stand on each of the three allowances, where admission finds them with the write that it makes anyway. All
three hold the same keys, since they change together.
"""

from helpdesk.admission.limits import RequestClass
from helpdesk.organizations.errors import OrganizationNotFound
from helpdesk.platform import clock
from helpdesk.secret_keys.errors import MAX_SECRET_KEYS, KeyExists, TooManyKeys
from helpdesk.secret_keys.record import KeyRecord, LiveKey
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


class AlreadyRevoked(Exception):
    """Someone else revoked the key first."""


def all_of(organization: str) -> list[KeyRecord]:
    """Return every key that the organization ever had, in the order they were made."""
    return [KeyRecord.from_item(item) for item in table.query_all(keys.SecretKey(organization, "-").pk)]


def live(organization: str) -> list[LiveKey]:
    """Return the live keys (ten at most), the oldest first, with when each was last let in. One call."""
    return _live(table.get_many(_allowances(organization)))


def get(organization: str, key_id: str) -> tuple[KeyRecord | None, LiveKey | None]:
    """Return a key's record and, while it lives, what the allowances say of it. One call."""
    record_key = keys.SecretKey(organization, key_id)
    found = table.get_many([record_key, *_allowances(organization)])
    item = found.pop(record_key, None)
    alive = next((key for key in _live(found) if key.id == key_id), None)
    return KeyRecord.from_item(item) if item else None, alive


def put(transaction: Transaction, organization: str, record: KeyRecord) -> None:
    """Add a key's record."""
    transaction.put(
        {
            **keys.SecretKey(organization, record.id).attributes(),
            "id": record.id,
            "name": record.name,
            "hint": record.hint,
            "createdAt": record.created_at,
            "createdByName": record.created_by_name,
            "lastUsedAt": record.last_used_at,
            "revokedAt": record.revoked_at,
            "legacy": record.legacy,
        },
        new=True,
    )


def put_secrets(transaction: Transaction, organization: str, key_id: str, secrets: Item) -> None:
    """Add the secrets derived from a key, apart from its record."""
    transaction.put({**keys.KeySecret(organization, key_id).attributes(), **secrets})


def claim_legacy(transaction: Transaction, organization: str, key_hash: str, key_id: str) -> None:
    """Say to which organization a legacy key belongs. The transaction raises OrganizationNotFound, KeyExists.

    The claim outlives the key: one that was revoked is not imported again by mistake.
    """
    transaction.require(
        keys.Organization(organization), "attribute_exists(PK)", on_failure=lambda _: OrganizationNotFound()
    )
    transaction.put(
        {**keys.LegacyKey(key_hash).attributes(), "organization": organization, "keyId": key_id},
        new=True,
        on_failure=lambda _: KeyExists(),
    )


def enter(transaction: Transaction, organization: str, key_hash: str, entry: Item) -> None:
    """Let a key in from now on. The transaction raises TooManyKeys, or KeyExists where it is let in already."""

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


def revoke(transaction: Transaction, organization: str, key: LiveKey) -> None:
    """End a key: it is let in no more, and nothing is signed with it. The transaction raises AlreadyRevoked.

    The record keeps when it was last let in, as it was read: a request within the same milliseconds may be missing.
    """
    transaction.update(
        keys.SecretKey(organization, key.id),
        "SET revokedAt = :now, lastUsedAt = :used",
        condition="revokedAt = :null",
        values={":now": clock.now_ms(), ":used": key.last_used_at, ":null": None},
        on_failure=lambda _: AlreadyRevoked(),
    )
    for allowance in _allowances(organization):
        transaction.update(
            allowance,
            "REMOVE #keys.#hash",
            condition="attribute_exists(PK)",
            names={"#keys": "keys", "#hash": key.hash},
        )
    transaction.delete(keys.KeySecret(organization, key.id))


def require_live(transaction: Transaction, organization: str, key_id: str, on_failure: Exception) -> None:
    """Make a transaction fail when the key was revoked in the meantime."""
    transaction.require(
        keys.SecretKey(organization, key_id),
        "revokedAt = :null",
        values={":null": None},
        on_failure=lambda _: on_failure,
    )


def _allowances(organization: str) -> list[keys.ItemKey]:
    return [keys.Allowance(organization, request_class.value) for request_class in RequestClass]


def _live(allowances: dict[keys.ItemKey, Item]) -> list[LiveKey]:
    entries: dict[str, Item] = {}
    used: dict[str, int] = {}
    for item in allowances.values():
        for key_hash, entry in item["keys"].items():
            entries[key_hash] = entry
            used[key_hash] = max(used.get(key_hash, 0), entry.get("usedAt", 0))
    found = [
        LiveKey(entry["id"], key_hash, entry.get("legacy", False), used[key_hash] or None)
        for key_hash, entry in entries.items()
    ]
    return sorted(found, key=lambda key: key.id)
