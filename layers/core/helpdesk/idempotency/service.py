"""A request that is repeated under its Idempotency-Key changes things once (docs/decisions/0060).

The specification is silent on repeats; this is beyond it.

The key's item is claimed before the request runs. The first transaction that the request writes proves the claim and
marks it applied, so what is changed and that it was changed are one write:

- Two at once: one claims, the other is told to wait.
- A request that died before its transaction: when its lease is over, a repeat takes the claim and runs. Should the
  first come to life again, its transaction fails.
- A request that died between its transaction and its answer: a repeat does not run. It is told to look.

A request that writes without a transaction has the lease alone: one that died may have left what it wrote, and its
repeat runs again.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.admission.caller import Caller, RateLimitSubject
from helpdesk.idempotency import repository
from helpdesk.idempotency.errors import (
    IdempotencyAnswerLost,
    IdempotencyAnswerWithheld,
    IdempotencyInProgress,
    IdempotencyMismatch,
)
from helpdesk.idempotency.repository import State
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.logging import logger
from helpdesk.platform.units import HOUR_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.item_key import ItemKey
from helpdesk.storage.table import ConditionFailed, Item, Throttled
from helpdesk.storage.transactions import prepend_to_next_transaction

HEADER = "idempotency-key"
REPLAYED = "idempotent-replayed"
MAX_KEY_CHARACTERS = 255
KEPT_HOURS = 24
MAX_KEPT_BYTES = 300_000
"""A longer answer is not kept; an item may have 400 KB."""

_MARGIN_MS = 2_000
"""How much longer than the request a lease lasts, for clocks that differ."""
_LONGEST_WAIT_SECONDS = 2
"""What a repeat is told to wait at most: a lease lasts far longer than a request usually does."""


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
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

    def item_key(self) -> ItemKey:
        """Return the key of the item. Two callers, or two paths, never share one."""
        person = self.caller.person
        credential = f"person {person.id}" if person else f"key {self.caller.key_id}"
        digest = _sha256([credential, self.method, self.path.rstrip("/"), self.key])
        if person is not None and self.subject is not RateLimitSubject.ORGANIZATION:
            return keys.PersonIdempotency(person.id, digest)
        return keys.Idempotency(self.caller.organization, digest)

    def fingerprint(self) -> str:
        """Return a hash that only the same request has: of its body, its query and the type of an uploaded file."""
        return _sha256([hashlib.sha256(self.body).hexdigest(), dict(self.query), self.media_type])


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a request is answered; `advice` is set where that holds a secret, and is what a repeat is told to do."""

    status: int
    body: str
    advice: str | None = None
    replayed: bool = False


def key_in(headers: Mapping[str, str]) -> str | None:
    """Return the Idempotency-Key, None where there is none. Raises InvalidRequest."""
    key = headers.get(HEADER)
    if key is not None and not (0 < len(key) <= MAX_KEY_CHARACTERS and key.isascii() and key.isprintable()):
        raise InvalidRequest(
            f"`Idempotency-Key` must have 1 to {MAX_KEY_CHARACTERS} printable ASCII characters, such as a UUID."
        )
    return key


_running: ContextVar[ItemKey | None] = ContextVar("running", default=None)


def answer_kept_at() -> str | None:
    """Return the hash under which the answer to the organization's request that now runs will be kept, if it is.

    For who has to remove that answer together with what it tells of.
    """
    key = _running.get()
    return key.request_hash if isinstance(key, keys.Idempotency) else None


def forget_answer(organization: str, request_hash: str) -> None:
    """Remove what is kept under a hash: a repeat of that request is a new one."""
    table.delete(keys.Idempotency(organization, request_hash))


def run_once(request: IdempotentRequest, remaining_ms: int, run: Callable[[], Outcome]) -> Outcome:
    """Run a request that was not run before under its key, and return its outcome, or the one that was kept.

    `remaining_ms` is how long the request can take at most. Costs two calls, one where nothing is run. What `run`
    raises is not kept. Raises besides IdempotencyMismatch, IdempotencyInProgress, IdempotencyAnswerLost,
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
    except ConditionFailed as met:
        return _kept(met.item, fingerprint, now)
    except Throttled:
        # The first one is writing at this moment, or DynamoDB wants a pause: it is worth trying again soon.
        raise _in_progress() from None
    running = _running.set(key)
    try:
        with prepend_to_next_transaction(repository.proof(key, claim_id, _in_progress)):
            outcome = run()
    except Exception:
        _quietly(lambda: repository.release(key, claim_id, clock.now_ms()))
        raise
    finally:
        _running.reset(running)
    _quietly(lambda: _keep(key, claim_id, outcome))
    return outcome


def _kept(found: Item | None, fingerprint: str, now: int) -> Outcome:
    """Return the outcome that a repeat met, or raise why there is none."""
    if found is None:
        raise _in_progress()
    if found["fingerprint"] != fingerprint:
        raise IdempotencyMismatch
    if found["state"] == State.ANSWERED:
        return Outcome(found["status"], found["body"], replayed=True)
    if found["state"] == State.WITHHELD:
        raise IdempotencyAnswerWithheld(f"{IdempotencyAnswerWithheld.message} {found['advice']}")
    if found["state"] == State.APPLIED and found["leaseUntil"] <= now:
        raise IdempotencyAnswerLost
    raise _in_progress(found["leaseUntil"] - now)


def _in_progress(left_ms: int = 1_000) -> IdempotencyInProgress:
    seconds = min(_LONGEST_WAIT_SECONDS, max(1, -(-left_ms // 1_000)))
    return IdempotencyInProgress(headers={"retry-after": str(seconds)})


def _keep(key: ItemKey, claim_id: str, outcome: Outcome) -> None:
    if outcome.advice is not None:
        repository.withhold_answer(key, claim_id, outcome.advice)
    elif len(outcome.body.encode()) > MAX_KEPT_BYTES:
        repository.give_up_answer(key, claim_id)
    else:
        repository.keep_answer(key, claim_id, outcome.status, outcome.body)


def _quietly(write: Callable[[], None]) -> None:
    """Write what the answer does not depend on: what was done is answered, even where the key cannot be told of it."""
    try:
        write()
    except ConditionFailed:
        pass  # the claim passed to a repeat, or the request changed something before it was refused
    except (Throttled, ClientError, BotoCoreError) as error:
        logger.warning("idempotency_not_noted", extra={"error": type(error).__name__})


def _sha256(parts: list[object]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
