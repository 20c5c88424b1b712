"""Verification of a delivery's signature."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import re
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from .errors import (
    InvalidHeader,
    InvalidPayload,
    SignatureMismatch,
    SignatureMissing,
    TimestampTooNew,
    TimestampTooOld,
)

Event = dict[str, Any]
"""A delivered event: `id`, `type`, `createdAt` (milliseconds) and `data`."""

SIGNATURE_HEADER = "svc-signature"
"""The header's name. HTTP header names may arrive in any case; most frameworks look them up in any."""

DEFAULT_TOLERANCE = 300_000
"""Five minutes, in milliseconds."""

# At most 15 digits: exact in every language's numbers, and enough for the next thirty thousand years.
TIMESTAMP = re.compile(r"[1-9][0-9]{0,14}")


class _Signature(NamedTuple):
    """A parsed header: its time as sent, because that text is what was signed, and its v1 values."""

    timestamp: str
    candidates: tuple[str, ...]


def verify(
    payload: bytes | str,
    header: str | None,
    secret: str | Sequence[str],
    tolerance: int | None = DEFAULT_TOLERANCE,
    *,
    now: int | None = None,
) -> Event:
    """Check that `payload` was recently signed with `secret`; return the event in it.

    payload    the request's body exactly as received, before any parsing; text is taken as UTF-8
    header     the value of `svc-signature`, or None when the request has none
    secret     what `webhook_secret(key)` answers, 64 hex characters; while keys are rotated, a list of several,
               of which one must fit
    tolerance  how far the header's time may lie from this machine's clock, before or after, in
               milliseconds; None switches the check off (for stored deliveries, and tests)
    now        the present time in milliseconds; the clock's by default

    Raises a VerificationError, each kind a class of its own; and TypeError or ValueError for a mistake
    in the calling program (a parsed body, the key instead of the secret), whatever the request contains.
    """
    return event_in(verify_signature(payload, header, secret, tolerance, now=now))


def verify_signature(
    payload: bytes | str,
    header: str | None,
    secret: str | Sequence[str],
    tolerance: int | None = DEFAULT_TOLERANCE,
    *,
    now: int | None = None,
) -> bytes:
    """The same for a request whose body need not be an event, such as a GET: its body is empty. Returns the body."""
    body = as_bytes(payload)
    secrets = as_secrets(secret)
    for each in secrets:
        _require_secret(each)
    if header is not None and not isinstance(header, str):
        raise TypeError(f"The header must be a str or None, not {type(header).__name__}.")
    require_times(tolerance, now)

    signature = _parse(header)
    if tolerance is not None:
        check_time(int(signature.timestamp), tolerance, now_ms() if now is None else now)
    # Every pair is compared, so that the duration does not reveal which one came closest.
    matches = [
        hmac.compare_digest(expected, candidate.encode("utf-8", "surrogatepass"))
        for expected in [_mac(signature.timestamp, body, each).encode("ascii") for each in secrets]
        for candidate in signature.candidates
    ]
    if not any(matches):
        raise SignatureMismatch(
            "No signature in the header fits. Check that the body is passed exactly as received, and that "
            "the secret belongs to the key that registered this endpoint."
        )
    return body


def sign(payload: bytes | str, secret: str, timestamp: int) -> str:
    """The header that the service would send with `payload` at `timestamp` (milliseconds).

    For tests of a receiver: it lets them make deliveries that verify.
    """
    _require_secret(secret)
    text = str(timestamp)
    return f"t={text},v1={_mac(text, as_bytes(payload), secret)}"


def as_bytes(payload: bytes | str) -> bytes:
    """The body's bytes."""
    if isinstance(payload, bytes):
        return payload
    if isinstance(payload, str):
        # Lone surrogates cannot come from a body. They must lead to a mismatch, not to a crash.
        return payload.encode("utf-8", "surrogatepass")
    raise TypeError(
        f"The payload must be the body as received, bytes or str, not {type(payload).__name__}. "
        "JSON that was parsed and written again has other bytes."
    )


def as_secrets(secret: str | Sequence[str]) -> Sequence[str]:
    """The secrets to try: the one that was passed, or those of a list."""
    if not isinstance(secret, (list, tuple)):
        return [secret]  # type: ignore[list-item]  # whatever it is, the caller checks each
    if not secret:
        raise ValueError("The list of secrets is empty.")
    return secret


def _require_secret(secret: str) -> None:
    if not isinstance(secret, str):
        raise TypeError(f"The secret must be a str, not {type(secret).__name__}.")
    if not secret:
        raise ValueError("The secret is empty. Pass webhook_secret(key).")
    if secret.startswith("svc_"):
        raise ValueError("This is a key, not its webhook secret. Pass webhook_secret(key).")


def _parse(header: str | None) -> _Signature:
    if header is None or not header.strip(" \t"):
        raise SignatureMissing(f"The request has no {SIGNATURE_HEADER} header.")
    timestamps = []
    candidates = []
    for part in header.split(","):
        name, _, value = part.partition("=")
        if name == "t":
            timestamps.append(value)
        elif name == "v1":
            candidates.append(value)
        # Other names are ignored, so that a later scheme can be sent in addition to this one.
    if len(timestamps) != 1 or not TIMESTAMP.fullmatch(timestamps[0]):
        raise InvalidHeader(f"The {SIGNATURE_HEADER} header needs one t=<milliseconds>.")
    if not candidates:
        raise InvalidHeader(f"The {SIGNATURE_HEADER} header needs at least one v1=<hex>.")
    return _Signature(timestamps[0], tuple(candidates))


def require_times(tolerance: int | None, now: int | None) -> None:
    """Refuse values that would silently disable the time check: no comparison with NaN is ever true."""
    if tolerance is not None and not 0 <= tolerance < math.inf:
        raise ValueError("The tolerance must be a number of milliseconds, 0 or more, or None for no check.")
    if now is not None and not -math.inf < now < math.inf:
        raise ValueError("The present time must be a number of milliseconds.")


def check_time(timestamp: int, tolerance: int, now: int) -> None:
    """Raise if a time and the present (both in milliseconds) are further apart than allowed."""
    age = now - timestamp
    if age > tolerance:
        raise TimestampTooOld(f"The request was signed {age} ms ago; {tolerance} ms are allowed.")
    if age < -tolerance:
        raise TimestampTooNew(
            f"The request was signed {-age} ms in the future; {tolerance} ms are allowed. "
            "Check this machine's clock."
        )


def _mac(timestamp: str, body: bytes, secret: str) -> str:
    signed = timestamp.encode("ascii") + b"." + body
    return hmac.new(secret.encode("utf-8"), signed, hashlib.sha256).hexdigest()


def event_in(body: bytes) -> Event:
    """Return the event in a verified body."""
    try:
        event = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as problem:
        raise InvalidPayload(f"The body is not JSON: {problem}") from problem
    if not isinstance(event, dict):
        raise InvalidPayload("The body is not a JSON object.")
    return event


def _refuse_constant(name: str) -> None:
    """Refuse NaN and the infinities, which Python accepts and JSON does not have."""
    raise ValueError(f"{name} is no JSON value")


def now_ms() -> int:
    """The present time in milliseconds."""
    return time.time_ns() // 1_000_000
