"""Reads the claims of a signed token (RFC 7519)."""

from collections.abc import Sequence
from typing import Any

from joserfc import jws
from joserfc.errors import BadSignatureError, JoseError
from joserfc.jwk import Key, KeySet

from helpdesk.platform import received_json
from helpdesk.platform.errors import InvalidJson


def read(token: str, keys: KeySet | Key, algorithms: Sequence[str]) -> dict[str, Any]:
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
