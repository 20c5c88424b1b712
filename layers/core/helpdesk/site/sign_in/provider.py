"""The code flow at an OpenID Connect provider (OpenID Connect Core 1.0, section 3.1) with PKCE.

The provider is a server that an admin named. Every request to it passes the guarded sender.
"""

import base64
from collections.abc import Mapping
from typing import Any, Literal, TypeGuard
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from joserfc.errors import BadSignatureError, JoseError
from joserfc.jwk import JWKRegistry, Key, KeySet

from helpdesk.outbound.exchange import Reply, Request, exchange
from helpdesk.platform import clock, received_json
from helpdesk.platform.errors import InvalidJson
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.platform.units import HOUR_MS, MINUTE_MS
from helpdesk.site.sign_in import signed_tokens
from helpdesk.site.sign_in.discovery import ALGORITHMS
from helpdesk.site.sign_in.errors import Declined, Refused
from helpdesk.site.sign_in.schemas import CallbackQuery
from helpdesk.site.visitors.record import Provider

SCOPE = "openid email profile"
MAX_BYTES = 256 * 1024
DEADLINE_SECONDS = 8.0
"""Of each of the three requests."""
SIGN_IN_SECONDS = 10.0
"""Of all three together. A sign-in pays for as much waiting (`admission.waits`)."""
CLOCK_SECONDS = 60
"""How far the provider's clock may be ahead of ours, or behind."""
KEYS_MS = HOUR_MS
"""How long a provider's keys are used without being read again."""
KEYS_AGAIN_MS = MINUTE_MS
"""How long after it read keys this environment reads none for a token that none of them signed."""
_DECLINED = {
    "access_denied",
    "login_required",
    "interaction_required",
    "consent_required",
    "account_selection_required",
}
"""What a person decides at the provider. It is no problem of the settings (Core, section 3.1.2.6)."""
_keys: dict[str, tuple[int, KeySet | Key | None]] = {}


class Flow(Record):
    """What a sign-in at a provider is bound to."""

    redirect_uri: str
    state: str
    nonce: str
    verifier: str


def authorization_url(provider: Provider, flow: Flow, challenge: str) -> str:
    """Return the address at the provider at which a visitor signs in."""
    parts = urlsplit(provider.authorization)
    query = urlencode(
        {
            "response_type": "code",
            "client_id": provider.client_id,
            "redirect_uri": flow.redirect_uri,
            "scope": SCOPE,
            "state": flow.state,
            "nonce": flow.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
    )
    return urlunsplit(parts._replace(query=f"{parts.query}&{query}" if parts.query else query))


def code_of(provider: Provider, sent: CallbackQuery) -> str:
    """Return the code with which a person came back. Sends nothing.

    Raises Declined if the person declined, and Refused with the provider's code and words.
    """
    # Before anything else of the response is used: it may be of another provider (RFC 9207, section 2.4).
    if (sent.iss or provider.names_issuer) and sent.iss != provider.issuer:
        raise Refused("issuer_mismatch", f"It names {sent.iss}." if sent.iss else "It names none.")
    if sent.error in _DECLINED:
        raise Declined
    if sent.error:
        raise Refused(sent.error, sent.error_description)
    if not sent.code:
        raise Refused("invalid_response", "It has neither a code nor an error.")
    return sent.code


def claims_of(provider: Provider, secret: str, flow: Flow, code: str) -> Mapping[str, Any]:
    """Return what a provider says of the person whose code this is. Raises Refused."""
    tokens = _exchanged(provider, secret, flow, code)
    claims = _id_token(provider, flow.nonce, tokens.get("id_token"))
    return claims | _userinfo(provider, claims, tokens.get("access_token"))


def _exchanged(provider: Provider, secret: str, flow: Flow, code: str) -> dict[str, Any]:
    """Return the tokens for a code (RFC 6749, section 4.1.3). Raises Refused."""
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": flow.redirect_uri,
        "code_verifier": flow.verifier,
    }
    headers = {"content-type": "application/x-www-form-urlencoded"}
    if provider.secret_in_body:
        fields |= {"client_id": provider.client_id, "client_secret": secret}
    else:
        # Both halves are form-encoded first (RFC 6749, section 2.3.1).
        pair = f"{quote(provider.client_id, safe='')}:{quote(secret, safe='')}"
        headers |= {"authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
    reply = _sent("POST", provider.token, headers, urlencode(fields).encode())
    said = _object(reply)
    if reply.status != 200:
        code_said = said.get("error")
        if isinstance(code_said, str) and code_said:
            words = said.get("error_description")
            raise Refused(code_said, words if isinstance(words, str) else None)
        raise Refused("invalid_response", f"The token endpoint answered with HTTP {reply.status}.")
    return said


def _id_token(provider: Provider, nonce: str, token: Any) -> dict[str, Any]:
    """Return the claims of an ID token (Core, section 3.1.3.7). Raises Refused."""
    if not isinstance(token, str) or len(token) > MAX_BYTES:
        raise Refused("invalid_id_token", "There is none.")
    claims = _verified(provider, token)
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    now = clock.now_ms() / 1_000
    if claims.get("iss") != provider.issuer:
        raise Refused("issuer_mismatch", "The ID token is of another issuer.")
    if provider.client_id not in audiences or claims.get("azp", provider.client_id) != provider.client_id:
        raise Refused("invalid_id_token", "It is for another client.")
    if claims.get("nonce") != nonce:
        raise Refused("invalid_id_token", "Its nonce is that of another sign-in.")
    expires, issued = claims.get("exp"), claims.get("iat")
    if not _is_number(expires) or not now < expires + CLOCK_SECONDS:
        raise Refused("invalid_id_token", "It has expired.")
    if not _is_number(issued) or not issued <= now + CLOCK_SECONDS:
        raise Refused("invalid_id_token", "It is from the future.")
    return claims


def _verified(provider: Provider, token: str) -> dict[str, Any]:
    """Return the claims of a token that the provider signed.

    A provider changes its keys, so a token that none of the known keys signed has them read again, once a minute.
    """
    now = clock.now_ms()
    read_at, keys = _keys.get(provider.jwks, (0, None))
    if keys is not None and 0 <= now - read_at < KEYS_MS:
        claims = _decoded(token, keys)
        if claims is not None:
            return claims
        if now - read_at < KEYS_AGAIN_MS:
            raise _unsigned()
    keys = _key_set(provider)
    _keys[provider.jwks] = (now, keys)
    claims = _decoded(token, keys)
    if claims is None:
        raise _unsigned()
    return claims


def _decoded(token: str, keys: KeySet | Key) -> dict[str, Any] | None:
    """Return the claims of a token; None if none of the keys signed it, or if it is none."""
    try:
        return signed_tokens.read_claims(token, keys, ALGORITHMS)
    except (BadSignatureError, ValueError):
        return None


def _unsigned() -> Refused:
    return Refused("invalid_id_token", "None of the provider's keys signed it.")


def _key_set(provider: Provider) -> KeySet | Key:
    """Return a provider's keys; those of a kind that cannot be used are passed over (RFC 7517, section 5).

    The only key is returned as itself if it has no name, so that it also checks tokens that name one. Raises Refused.
    """
    listed = _object(_sent("GET", provider.jwks, {})).get("keys")
    found = [key for each in listed if (key := _key(each)) is not None] if isinstance(listed, list) else []
    if not found:
        raise Refused("invalid_response", "The provider's keys (`jwks_uri`) cannot be read.")
    return found[0] if len(found) == 1 and found[0].kid is None else KeySet(found)


def _key(said: Any) -> Key | None:
    try:
        return JWKRegistry.import_key(said)
    except (JoseError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _userinfo(provider: Provider, claims: Mapping[str, Any], access_token: Any) -> dict[str, Any]:
    """Return what the provider says of a person beside the ID token, if that has no address (Core, section 5.3).

    It is left out where it cannot be read or is about somebody else: who they are is known.
    """
    if provider.userinfo is None or "email" in claims or not isinstance(access_token, str):
        return {}
    if not access_token.isascii() or not access_token.isprintable():
        return {}
    try:
        said = _object(_sent("GET", provider.userinfo, {"authorization": f"Bearer {access_token}"}))
    except Refused:
        return {}
    if said.get("sub") != claims.get("sub"):
        return {}
    return {name: said[name] for name in ("name", "email", "email_verified", "picture") if name in said}


def _sent(
    method: Literal["GET", "POST"], url: str, headers: Mapping[str, str], body: bytes | None = None
) -> Reply:
    """Send a request to the provider. Raises Refused where no response comes."""
    reply = exchange(
        Request(method, url, {"user-agent": "Helpdesk-Sign-In/1.0", **headers}, body),
        max_bytes=MAX_BYTES,
        deadline_seconds=DEADLINE_SECONDS,
        allow_loopback=settings().allow_loopback_urls,
    )
    if reply.failure is not None or reply.status is None:
        raise Refused("provider_unreachable", None if reply.failure is None else reply.failure.value)
    return reply


def _object(reply: Reply) -> dict[str, Any]:
    """Return a response's JSON object; empty where it is none and says that it failed. Raises Refused."""
    try:
        said = None if reply.too_large else received_json.read(reply.body)
    except InvalidJson:
        said = None
    if isinstance(said, dict):
        return said
    if reply.status == 200:
        raise Refused("invalid_response", "A response of the provider is no JSON object.")
    return {}


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def forget() -> None:
    """Forget the keys of providers; for tests."""
    _keys.clear()
