"""Signing secrets, and the signatures of a delivery.

Specification: Events, Headers and verification. The specification leaves the derivation open. Here it is HKDF-SHA256
(RFC 5869) over the key's text, with an empty salt and the purpose as info. Test vectors are in
clients/test-vectors.json. Only the derived secret is stored, and nobody can use the API with it.

An endpoint with a secret of its own also gets a second signature in the form of Standard Webhooks
(standardwebhooks.com), which libraries in many languages verify.
"""

import base64
import hashlib
import hmac
import secrets

from helpdesk.platform.record import Record

SIGNATURE_HEADER = "svc-signature"
FORMER_SIGNATURE_HEADER = "portal-signature"
"""The header's former name, with the same value. Receivers should ignore it."""

STANDARD_PREFIX = "whsec_"
STANDARD_ID_HEADER = "webhook-id"
STANDARD_TIMESTAMP_HEADER = "webhook-timestamp"
STANDARD_SIGNATURE_HEADER = "webhook-signature"

SECRET_BYTES = 32
_HASH_BYTES = 32


def webhook_secret(key: str) -> str:
    """Return the secret for deliveries to endpoints added with `key`, as 64 lowercase hex characters."""
    return _derive(key, b"webhooks")


def tools_secret(key: str) -> str:
    """Return the secret for calls to tool endpoints added with `key`, as 64 lowercase hex characters."""
    return _derive(key, b"tools")


def site_secret(key: str) -> str:
    """Return the secret with which a customer's app signs sign-ins to the help site, in the same form."""
    return _derive(key, b"site")


def random_secret() -> str:
    """Return a random secret of the same form, for an endpoint whose key was revoked."""
    return secrets.token_hex(SECRET_BYTES)


def sign(secret: str, timestamp_ms: int, body: bytes) -> str:
    """Return the signature header's value, `t=<milliseconds>,v1=<hex>`, for these bytes at this time.

    The key of the HMAC is the secret's text (its 64 characters) and not the bytes that the text encodes. Verifiers that
    take a secret as text, such as Stripe's, therefore accept it.
    """
    signed = b"%d.%b" % (timestamp_ms, body)
    return f"t={timestamp_ms},v1={hmac.digest(secret.encode(), signed, 'sha256').hex()}"


def standard_secret() -> str:
    """Return a new secret of the Standard Webhooks form: `whsec_` and 32 random bytes in base64."""
    return STANDARD_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def sign_standard(secret: str, event_id: str, timestamp_s: int, body: bytes) -> str:
    """Return one signature of the Standard Webhooks form, `v1,<base64>`; its time is in seconds.

    The key of the HMAC is the bytes that the secret's base64 encodes.
    """
    key = base64.b64decode(secret.removeprefix(STANDARD_PREFIX), validate=True)
    signed = b"%b.%d.%b" % (event_id.encode(), timestamp_s, body)
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


class Signing(Record):
    """What a delivery is signed with: the event's ID, the secret of the endpoint's key, the endpoint's own secrets."""

    event_id: str
    secret: str
    standard: tuple[str, ...] = ()


def signed_headers(signing: Signing, timestamp_ms: int, body: bytes) -> dict[str, str]:
    """Return the headers of one attempt. Only the signatures differ from attempt to attempt."""
    signature = sign(signing.secret, timestamp_ms, body)
    headers = {
        "content-type": "application/json",
        SIGNATURE_HEADER: signature,
        FORMER_SIGNATURE_HEADER: signature,
    }
    if signing.standard:
        seconds = timestamp_ms // 1000
        signatures = [sign_standard(secret, signing.event_id, seconds, body) for secret in signing.standard]
        headers |= {
            STANDARD_ID_HEADER: signing.event_id,
            STANDARD_TIMESTAMP_HEADER: str(seconds),
            STANDARD_SIGNATURE_HEADER: " ".join(signatures),
        }
    return headers


def _derive(key: str, purpose: bytes) -> str:
    return hkdf_sha256(key.encode(), salt=b"", info=purpose, length=SECRET_BYTES).hex()


def hkdf_sha256(material: bytes, *, salt: bytes, info: bytes, length: int) -> bytes:
    """Return `length` bytes derived from `material` (RFC 5869, section 2)."""
    # Section 2.2: a salt not provided is a string of HashLen zeros.
    pseudorandom_key = hmac.digest(salt or bytes(_HASH_BYTES), material, hashlib.sha256)
    output = block = b""
    for counter in range(1, -(-length // _HASH_BYTES) + 1):
        block = hmac.digest(pseudorandom_key, block + info + bytes([counter]), hashlib.sha256)
        output += block
    return output[:length]
