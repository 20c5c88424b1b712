"""A request that is repeated with its Idempotency-Key changes things once (docs/decisions/0060).

This extends the specification, which does not define repeats.

The request claims the key's item before it runs. Its first transaction proves the claim and marks it applied, so the
change and the note of the change are one write:

- Two requests at once: one claims the key, the other gets a 409.
- A request dies before its transaction: after the lease ends, a repeat claims the key and runs. If the first request
  continues later, its transaction fails.
- A request dies between its transaction and its response: a repeat does not run. It gets a 409 that says so.

A request that writes without a transaction is protected by the lease only. If it dies, its writes may remain, and its
repeat runs again.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextvars import ContextVar

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.api.admission.caller import Caller, RateLimitSubject
from helpdesk.api.idempotency import repository
from helpdesk.api.idempotency.errors import (
    IdempotencyAnswerLost,
    IdempotencyAnswerWithheld,
    IdempotencyInProgress,
    IdempotencyMismatch,
)
from helpdesk.api.idempotency.record import Idempotency, IdempotencyRecord, PersonIdempotency, State
from helpdesk.api.idempotency.repository import KeyTaken, forget_response
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.platform.units import HOUR_SECONDS
from helpdesk.storage.stored import Key
from helpdesk.storage.table import ConditionFailed, Throttled
from helpdesk.storage.transactions import prepend_to_next_transaction

__all__ = [
    "HEADER",
    "KEPT_HOURS",
    "MAX_KEPT_BYTES",
    "MAX_KEY_CHARACTERS",
    "REPLAYED",
    "IdempotentRequest",
    "Outcome",
    "current_response_hash",
    "forget_response",
    "key_in",
    "run_once",
]

HEADER = "idempotency-key"
REPLAYED = "idempotent-replayed"
MAX_KEY_CHARACTERS = 255
KEPT_HOURS = 24
MAX_KEPT_BYTES = 300_000
"""Longer responses are not stored; an item can have 400 KB."""

_MARGIN_MS = 2_000
"""How much longer than the request its lease lasts, because clocks differ."""
_MAX_RETRY_AFTER_SECONDS = 2
"""The longest Retry-After of a repeat: most requests end long before their lease."""


class IdempotentRequest(Record):
    """A request with an Idempotency-Key.

    `subject` is whose allowance the route charges. A request that concerns a person and no organization belongs to
    that person, whatever organization the token is bound to before and after it. `body`, `query` and `media_type`
    (of an uploaded file, else empty) distinguish two requests of one path.
    """

    caller: Caller
    subject: RateLimitSubject
    method: str
    path: str
    key: str
    body: bytes
    query: Mapping[str, list[str]]
    media_type: str

    def item_key(self) -> Key:
        """Return the key of the item. Two callers, or two paths, never share one."""
        person = self.caller.person
        credential = f"person {person.id}" if person else f"key {self.caller.key_id}"
        digest = _sha256([credential, self.method, self.path.rstrip("/"), self.key])
        if person is not None and self.subject is not RateLimitSubject.ORGANIZATION:
            return PersonIdempotency.key_for(person.id, digest)
        return Idempotency.key_for(self.caller.organization, digest)

    def fingerprint(self) -> str:
        """Return a hash that only the same request has: of its body, its query and the type of an uploaded file."""
        return _sha256([hashlib.sha256(self.body).hexdigest(), dict(self.query), self.media_type])


class Outcome(Record):
    """The response to a request.

    `advice` is set if the response contains a secret; it says what a repeat should do instead.
    """

    status: int
    body: str
    advice: str | None = None
    replayed: bool = False


def key_in(headers: Mapping[str, str]) -> str | None:
    """Return the Idempotency-Key, or None. Raises InvalidRequest."""
    key = headers.get(HEADER)
    if key is not None and not (0 < len(key) <= MAX_KEY_CHARACTERS and key.isascii() and key.isprintable()):
        raise InvalidRequest(
            f"`Idempotency-Key` must be 1 to {MAX_KEY_CHARACTERS} printable ASCII characters, such as a UUID."
        )
    return key


_running: ContextVar[Key | None] = ContextVar("running", default=None)


def current_response_hash() -> str | None:
    """Return the hash under which the response of the organization's current request is stored; None if it is not.

    An item that the response describes keeps it, to remove the response together with the item.
    """
    key = _running.get()
    parts = None if key is None else Idempotency.parse(key.pk, key.sk)
    return None if parts is None else parts.get("request_hash")


def run_once(request: IdempotentRequest, remaining_ms: int, run: Callable[[], Outcome]) -> Outcome:
    """Run a request unless its key was used before; return its outcome, or the stored one.

    `remaining_ms` is the longest time that the request can take. Costs two calls, or one for a replay. Exceptions of
    `run` are not stored. Raises IdempotencyMismatch, IdempotencyInProgress, IdempotencyAnswerLost,
    IdempotencyAnswerWithheld.
    """
    key, claim_id, fingerprint, now = request.item_key(), ids.ulid(), request.fingerprint(), clock.now_ms()
    try:
        repository.claim(
            key,
            claim_id,
            fingerprint,
            now=now,
            lease_until=now + remaining_ms + _MARGIN_MS,
            expires_at=now // 1_000 + KEPT_HOURS * HOUR_SECONDS,
        )
    except KeyTaken as taken:
        return _stored_outcome(taken.record, fingerprint, now)
    except Throttled:
        # The first request is writing the item right now, or DynamoDB throttles: a retry soon can succeed.
        raise _in_progress() from None
    running = _running.set(key)
    try:
        with prepend_to_next_transaction(repository.proof(key, claim_id, _in_progress)):
            outcome = run()
    except Exception:
        _best_effort(lambda: repository.release(key, claim_id, clock.now_ms()))
        raise
    finally:
        _running.reset(running)
    _best_effort(lambda: _store(key, claim_id, outcome))
    return outcome


def _stored_outcome(record: IdempotencyRecord | None, fingerprint: str, now: int) -> Outcome:
    """Return the stored outcome for a repeat, or raise the reason why there is none."""
    if record is None:
        raise _in_progress()
    if record.fingerprint != fingerprint:
        raise IdempotencyMismatch
    if record.state is State.ANSWERED and record.status is not None and record.body is not None:
        return Outcome(record.status, record.body, replayed=True)
    if record.state is State.WITHHELD:
        raise IdempotencyAnswerWithheld(f"{IdempotencyAnswerWithheld.message} {record.advice}")
    if record.state is State.APPLIED and record.lease_until <= now:
        raise IdempotencyAnswerLost
    raise _in_progress(record.lease_until - now)


def _in_progress(left_ms: int = 1_000) -> IdempotencyInProgress:
    seconds = min(_MAX_RETRY_AFTER_SECONDS, max(1, -(-left_ms // 1_000)))
    return IdempotencyInProgress(headers={"retry-after": str(seconds)})


def _store(key: Key, claim_id: str, outcome: Outcome) -> None:
    if outcome.advice is not None:
        repository.withhold_response(key, claim_id, outcome.advice)
    elif len(outcome.body.encode()) > MAX_KEPT_BYTES:
        repository.discard_response(key, claim_id)
    else:
        repository.store_response(key, claim_id, outcome.status, outcome.body)


def _best_effort(write: Callable[[], None]) -> None:
    """Write the key's item. The response does not depend on it: the request's work is done either way."""
    try:
        write()
    except ConditionFailed:
        pass  # a repeat holds the claim, or the request changed something before it was rejected
    except (Throttled, ClientError, BotoCoreError) as error:
        logger.warning("idempotency_not_noted", extra={"error": type(error).__name__})


def _sha256(parts: list[object]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
