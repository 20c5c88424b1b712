"""The item of an Idempotency-Key."""

from enum import StrEnum

from helpdesk.storage.stored import Stored


class State(StrEnum):
    """How far the request that claimed the key has come."""

    RUNNING = "running"
    """It is claimed. Until its lease ends, no repeat can run."""
    APPLIED = "applied"
    """Its changes are written; its response is not stored yet."""
    ANSWERED = "answered"
    """Its response is stored."""
    WITHHELD = "withheld"
    """Its response contained a secret and is not stored."""
    RELEASED = "released"
    """It was rejected and changed nothing. Any request can use the key again."""


class IdempotencyRecord(Stored, kw_only=True):
    """An Idempotency-Key. Its key has the SHA-256 of the caller, the path and the Idempotency-Key.

    `lease_until` is in ms, `expires_at` in seconds. `status` and `body` are the stored response, set in the state
    ANSWERED. `advice` says what a repeat should do instead, set in the state WITHHELD.
    """

    request_hash: str
    state: State
    claim_id: str
    fingerprint: str
    lease_until: int
    expires_at: int
    status: int | None = None
    body: str | None = None
    advice: str | None = None


class Idempotency(IdempotencyRecord, kw_only=True):
    """That of an organization's request."""

    PK, SK = "ORG#{organization}#IDEMPOTENCY#{request_hash}", "IDEMPOTENCY"

    organization: str


class PersonIdempotency(IdempotencyRecord, kw_only=True):
    """That of a person's request that concerns no organization."""

    PK, SK = "PERSON#{user_id}", "IDEMPOTENCY#{request_hash}"

    user_id: str
