"""The secrets that belong to a secret key.

The service never sends a webhook secret anywhere. Sender and receiver both derive it from the secret key, with HKDF
(RFC 5869) and a label for its purpose. Neither secret therefore reveals anything about the key or about the other.
"""

from __future__ import annotations

import hashlib
import hmac

_SECRET_BYTES = 32
_PUBLISHABLE_PREFIX = "svc_pk_"
_ACCESS_PREFIX = "svc_oat_"


def webhook_secret(key: str) -> str:
    """The secret that signs the webhooks of an endpoint added with `key`.

    `key` is the whole secret key (`svc_key_…`). Returns 64 lower-case hex characters. They are used
    as text: the bytes of those characters are the HMAC key.

    Raises ValueError for something that cannot be a secret key.
    """
    return _derive(key, b"webhooks")


def tools_secret(key: str) -> str:
    """The secret that signs calls to tool endpoints. It has the same form as `webhook_secret`."""
    return _derive(key, b"tools")


def site_secret(key: str) -> str:
    """The secret that signs sign-ins to the help site. It has the same form as `webhook_secret`."""
    return _derive(key, b"site")


def _derive(key: str, purpose: bytes) -> str:
    _require_secret_key(key)
    return _hkdf_sha256(key.encode("utf-8"), salt=b"", info=purpose, length=_SECRET_BYTES).hex()


def _require_secret_key(key: str) -> None:
    """Catch mistakes that would otherwise only show as signatures that never match.

    A key without a known prefix is accepted: keys from before the present scheme have none.
    """
    if not isinstance(key, str):
        raise TypeError(f"The key must be a str, not {type(key).__name__}.")
    if not key:
        raise ValueError("The key is empty. Pass the whole secret key, svc_key_…")
    if any(character.isspace() for character in key):
        raise ValueError("The key contains white space, perhaps a line break from a file. Strip it first.")
    if key.startswith(_PUBLISHABLE_PREFIX):
        raise ValueError("This is a publishable key. Webhooks are signed with a secret key, svc_key_…")
    if key.startswith(_ACCESS_PREFIX):
        raise ValueError("This is an access token. Webhooks are signed with a secret key, svc_key_…")


def _hkdf_sha256(material: bytes, *, salt: bytes, info: bytes, length: int) -> bytes:
    """RFC 5869. An empty salt means as many zero bytes as the hash is long."""
    digest_size = hashlib.sha256().digest_size
    pseudorandom_key = hmac.new(salt or bytes(digest_size), material, hashlib.sha256).digest()
    output = b""
    block = b""
    counter = 0
    while len(output) < length:
        counter += 1
        block = hmac.new(pseudorandom_key, block + info + bytes([counter]), hashlib.sha256).digest()
        output += block
    return output[:length]
