"""Signed tokens (RFC 7519): their claims, and those of the customer's app, which say who its user is.

The app signs with the `site` secret of a secret key, by HS256; the client libraries make its token. It lives for 60
seconds, is used once, and names its organization and the sign-in that it answers (`state`), so that nobody can use a
stolen one in another browser.
"""

from collections.abc import Sequence
from typing import Any, TypeGuard

from joserfc import jws
from joserfc.errors import BadSignatureError, JoseError
from joserfc.jwk import Key, KeySet, OctKey

from helpdesk.platform import clock, received_json
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import InvalidJson
from helpdesk.platform.record import Record
from helpdesk.site.sign_in import repository, states
from helpdesk.site.sign_in.errors import Refused

TOKEN_SECONDS = 60
CLOCK_SECONDS = 30
"""How far the app's clock may be ahead of ours, or behind."""
MAX_TOKEN_CHARACTERS = 8_192
_MIN_ID_CHARACTERS, _MAX_ID_CHARACTERS = 16, 200
_KEPT = ("sub", "name", "email", "email_verified", "picture")


class AppToken(Record):
    """A token that is valid: the hash of its id, the sign-in that it answers, what it says, and until when (ms)."""

    hash: str
    state: str
    claims: dict[str, Any]
    valid_until: int


def read_claims(token: str, keys: KeySet | Key, algorithms: Sequence[str]) -> dict[str, Any]:
    """Return a token's claims. Raises BadSignatureError if none of the keys signed it, ValueError if it is no token."""
    try:
        claims = received_json.read(jws.deserialize_compact(token, keys, algorithms=list(algorithms)).payload)
    except BadSignatureError:
        raise
    except (JoseError, InvalidJson, TypeError, RecursionError) as error:
        raise ValueError("It is not a signed token.") from error
    if not isinstance(claims, dict):
        raise ValueError("Its claims are not a JSON object.")  # noqa: TRY004 - no token, for every caller
    return claims


def checked(organization: str, token: str) -> AppToken:
    """Check a token. One call. Raises Refused."""
    if not 0 < len(token) <= MAX_TOKEN_CHARACTERS or not token.isascii():
        raise Refused("invalid_token")
    secrets = repository.key_secrets(organization)
    if not secrets:
        raise Refused("no_signing_key")
    claims = _claims(token, secrets)
    if claims.get("aud") != organization:
        raise Refused("invalid_audience")
    now = clock.now_ms() // 1_000
    issued, expires = claims.get("iat"), claims.get("exp")
    if not _is_instant(issued) or not _is_instant(expires):
        raise Refused("invalid_token", "`iat` and `exp` must be whole seconds.")
    if (
        not issued <= now + CLOCK_SECONDS
        or not now < expires + CLOCK_SECONDS
        or expires - issued > TOKEN_SECONDS
    ):
        raise Refused("token_expired")
    token_id, state = claims.get("jti"), claims.get("state")
    if not isinstance(token_id, str) or not _MIN_ID_CHARACTERS <= len(token_id) <= _MAX_ID_CHARACTERS:
        raise Refused(
            "invalid_token", f"`jti` must have {_MIN_ID_CHARACTERS} to {_MAX_ID_CHARACTERS} characters."
        )
    if not isinstance(state, str) or len(state) > states.MAX_STATE_CHARACTERS:
        raise Refused("invalid_token", "`state` must be the one that your app's sign-in route got.")
    kept = {name: claims[name] for name in _KEPT if isinstance(claims.get(name), str | bool)}
    until = (expires + CLOCK_SECONDS) * 1_000
    return AppToken(sha256_hex(token_id), state, kept, until)


def _claims(token: str, secrets: list[str]) -> dict[str, Any]:
    """Return the claims of a token that one of the secrets signed. Raises Refused."""
    for secret in secrets:
        try:
            # The key is the secret's text, as for the other signatures.
            return read_claims(token, OctKey.import_key(secret), ["HS256"])
        except BadSignatureError:
            continue
        except ValueError:
            raise Refused("invalid_token") from None
    raise Refused("invalid_signature")


def _is_instant(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**40
