"""Verification of signatures in the Standard Webhooks form, for an endpoint that has a secret of its own."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable, Sequence
from typing import Protocol

from .errors import InvalidHeader, SignatureMismatch, SignatureMissing
from .verification import (
    DEFAULT_TOLERANCE,
    TIMESTAMP,
    Event,
    as_bytes,
    as_secrets,
    check_time,
    event_in,
    now_ms,
    require_times,
)

STANDARD_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")
"""The three headers' names. HTTP header names may arrive in any case."""

_PREFIX = "whsec_"


class Headers(Protocol):
    """The headers of any framework: a dict, or another object with `items`."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Yield each header's name and value."""


def verify_standard(
    payload: bytes | str,
    headers: Headers,
    secret: str | Sequence[str],
    tolerance: int | None = DEFAULT_TOLERANCE,
    *,
    now: int | None = None,
) -> Event:
    """Check that `payload` was recently signed with `secret`; return the event in it.

    payload    the request's body exactly as received, before any parsing; text is taken as UTF-8
    headers    the request's headers, or the three of `STANDARD_HEADERS`, their names in any case
    secret     the response of the request that created the endpoint's secret, `whsec_…`; while it is rotated, a list of
               several, of which one must fit
    tolerance  how far the header's time may lie from this machine's clock, before or after, in
               milliseconds; None switches the check off (for stored deliveries, and tests)
    now        the present time in milliseconds; the clock's by default

    Raises a VerificationError, each kind a class of its own; and TypeError or ValueError for a mistake
    in the calling program (a parsed body, a key instead of the secret), whatever the request contains.
    """
    body = as_bytes(payload)
    keys = [_key(each) for each in as_secrets(secret)]
    require_times(tolerance, now)
    event_id, timestamp, signatures = _parse(headers)
    if tolerance is not None:
        check_time(int(timestamp) * 1000, tolerance, now_ms() if now is None else now)
    # Every pair is compared, so that the duration does not reveal which one came closest.
    matches = [
        hmac.compare_digest(expected, candidate.encode("utf-8", "surrogatepass"))
        for expected in [_mac(event_id, timestamp, body, key).encode("ascii") for key in keys]
        for candidate in signatures
    ]
    if not any(matches):
        raise SignatureMismatch(
            "No signature in the headers fits. Check that the body is passed exactly as received, and that "
            "the secret is this endpoint's."
        )
    return event_in(body)


def sign_standard(payload: bytes | str, secret: str, event_id: str, timestamp: int) -> dict[str, str]:
    """The headers that the service would send with `payload` at `timestamp` (milliseconds).

    For tests of a receiver: it lets them make deliveries that verify.
    """
    seconds = str(timestamp // 1000)
    signature = _mac(event_id, seconds, as_bytes(payload), _key(secret))
    return dict(zip(STANDARD_HEADERS, (event_id, seconds, f"v1,{signature}")))


def _key(secret: str) -> bytes:
    if not isinstance(secret, str):
        raise TypeError(f"The secret must be a str, not {type(secret).__name__}.")
    if not secret.startswith(_PREFIX):
        raise ValueError("This is not a secret of the Standard Webhooks form, whsec_…")
    try:
        key = base64.b64decode(secret[len(_PREFIX) :], validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("The secret is not whole: after whsec_ stands base64.") from None
    if not key:
        raise ValueError("The secret is empty after whsec_.")
    return key


def _parse(headers: Headers) -> tuple[str, str, list[str]]:
    if not hasattr(headers, "items"):
        raise TypeError(f"The headers must be a mapping, not {type(headers).__name__}.")
    event_id, timestamp, signature = (_value(headers, name) for name in STANDARD_HEADERS)
    if not TIMESTAMP.fullmatch(timestamp):
        raise InvalidHeader("The webhook-timestamp header needs a whole number of seconds.")
    # Other versions are ignored, so that a later scheme can be sent in addition to this one.
    candidates = [part[len("v1,") :] for part in signature.split(" ") if part.startswith("v1,")]
    if not candidates:
        raise InvalidHeader("The webhook-signature header needs at least one v1,<base64>.")
    return event_id, timestamp, candidates


def _value(headers: Headers, name: str) -> str:
    """The value of a header. Repeated headers are joined by commas, as HTTP defines."""
    values = [value for given, value in headers.items() if given.lower() == name and value is not None]
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"The {name} header must be a str, not {type(value).__name__}.")
    joined = ", ".join(values)
    if not joined.strip(" \t"):
        raise SignatureMissing(f"The request has no {name} header.")
    return joined


def _mac(event_id: str, timestamp: str, body: bytes, key: bytes) -> str:
    signed = event_id.encode("utf-8", "surrogatepass") + b"." + timestamp.encode("ascii") + b"." + body
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode("ascii")
