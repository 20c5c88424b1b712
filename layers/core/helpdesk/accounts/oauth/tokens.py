"""Tokens: exchange, refresh and revocation (RFC 6749, sections 4.1.3, 5 and 6; RFC 7009; RFC 9700, section 4.14).

A refresh token is `svc_ort_<grant>_<family><rotating>`. All refresh tokens of a grant share the family part, so a
replaced token can be distinguished from an invented one without a list of old tokens.
"""

import base64
import hashlib
import hmac
import re
from copy import replace

from helpdesk.accounts.oauth import console, device, grants, metadata, registration, repository
from helpdesk.accounts.oauth.errors import (
    InvalidGrant,
    InvalidOAuthRequest,
    UnauthorizedClient,
    UnsupportedGrantType,
)
from helpdesk.accounts.oauth.record import (
    CODE_GRANT,
    DEVICE_GRANT,
    REFRESH_GRANT,
    Approval,
    AuthorizationCode,
    Grant,
    IssuedToken,
    OAuthClient,
    Scopes,
)
from helpdesk.accounts.oauth.schemas import RevocationForm, TokenAnswer, TokenForm
from helpdesk.accounts.people import service as people
from helpdesk.api.admission.record import AccessToken
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.logging import logger
from helpdesk.platform.units import DAY_MS, HOUR_SECONDS
from helpdesk.storage import table
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

ACCESS_SECONDS = HOUR_SECONDS
REFRESH_DAYS = 30
"""How long a refresh token is valid; its replacement is valid for as long again."""
GRANT_DAYS = 365
"""How long one approval lasts, however often it is refreshed."""
RACE_MS = 10_000
"""How long after a refresh its token may arrive again (it is refused) without counting as stolen."""

_FAMILY, _ROTATING = 21, 22  # characters of base 62: 125 and 131 bits
_REFRESH = re.compile(rf"svc_ort_([0-9a-z]{{26}})_(([0-9A-Za-z]{{{_FAMILY}}})[0-9A-Za-z]{{{_ROTATING}}})")
_VERIFIER = re.compile(r"[A-Za-z0-9\-._~]{43,128}")


def issue(form: TokenForm, authorization: str, base_url: str) -> TokenAnswer:
    """Issue tokens for a token request. Raises an OAuthError."""
    if form.repeated:
        raise InvalidOAuthRequest(f"`{min(form.repeated)}` was sent more than once.")
    client = registration.authenticated(form, authorization)
    if form.grant_type is None:
        raise InvalidOAuthRequest("`grant_type` is required.")
    grant = {CODE_GRANT: _by_code, REFRESH_GRANT: _by_refresh, DEVICE_GRANT: _by_device}.get(form.grant_type)
    if grant is None:
        raise UnsupportedGrantType
    if form.grant_type not in client.grant_types and form.grant_type != REFRESH_GRANT:
        raise UnauthorizedClient
    metadata.require_this_api(form.resource, base_url)
    return grant(client, form)


def _by_code(client: OAuthClient, form: TokenForm) -> TokenAnswer:
    sent = _required(form.code, "code")
    verifier = form.code_verifier.get_secret_value() if form.code_verifier else None
    _required(verifier, "code_verifier")
    code = repository.codes.find(sha256_hex(sent)) if ids.is_secret(sent) else None
    if code is None or code.client_id != client.id:
        raise InvalidGrant
    if code.used_at is not None:
        _revoke_used(code)
    if code.valid_until <= clock.now_ms():
        raise InvalidGrant
    same = form.redirect_uri == code.redirect_sent or (
        code.redirect_sent is None and form.redirect_uri == code.redirect_uri
    )
    if not same:
        raise InvalidGrant("`redirect_uri` must be the same as in the authorization request.")
    if not proves(verifier or "", code.challenge):
        raise InvalidGrant("`code_verifier` does not match the code challenge.")
    transaction = Transaction()
    if client is console.CLIENT:
        issued = _for_console(transaction, code)
    else:
        repository.use_code(transaction, code)
        issued = _granted(transaction, client, code.approval, code.grant_id)
    try:
        transaction.commit()
    except ConditionFailed:
        # Another request used the code at the same moment: one of the two is not the client.
        _revoke_used(repository.codes.find(code.code_hash) or code)
    return issued


def _for_console(transaction: Transaction, code: AuthorizationCode) -> TokenAnswer:
    access, token = _access_token(code.user_id)
    repository.use_code(transaction, code, token.token_hash)
    repository.put_token(transaction, code.approval, token)
    return _token_answer(access, code.scopes)


def _revoke_used(code: AuthorizationCode) -> None:
    """Revoke the tokens of a code that is used a second time (RFC 6749, section 4.1.2). Raises InvalidGrant."""
    logger.warning("code_reused", extra={"client": code.client_id, "grant": code.grant_id})
    if code.token_hash is not None:
        table.delete(AccessToken.key_for(code.token_hash))
    grants.end_stolen(code.grant_id)
    raise InvalidGrant


def proves(verifier: str, challenge: str) -> bool:
    """Return whether a code verifier matches a challenge (RFC 7636, section 4.6), in constant time."""
    if _VERIFIER.fullmatch(verifier) is None:
        return False
    digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=")
    return hmac.compare_digest(digest, challenge.encode())


def _by_device(client: OAuthClient, form: TokenForm) -> TokenAnswer:
    login = device.approved(client, _required(form.device_code, "device_code"))
    transaction = Transaction()
    repository.use_device(transaction, login.device_hash)
    issued = _granted(transaction, client, login.approval, login.grant_id)
    transaction.commit()
    return issued


def _granted(transaction: Transaction, client: OAuthClient, approval: Approval, grant_id: str) -> TokenAnswer:
    now = clock.now_ms()
    family, rotating = ids.secret(_FAMILY), ids.secret(_ROTATING)
    access, newest = _access_token(approval.user_id)
    grant = Grant(
        id=grant_id,
        user_id=approval.user_id,
        client_id=approval.client_id,
        organization=approval.organization,
        bound_at=approval.bound_at,
        scopes=approval.scopes,
        family_hash=sha256_hex(family),
        refresh_hash=sha256_hex(family + rotating),
        previous_hash="",
        rotated_at=now,
        created_at=now,
        valid_until=now + REFRESH_DAYS * DAY_MS,
        tokens=(newest,),
    )
    repository.put_grant(transaction, grant)
    repository.keep_client(transaction, client)
    person = people.by_id(approval.user_id)
    if person is None:
        raise InvalidGrant
    actor = ActorName(person.name, person.id)
    grants.log(transaction, grant, LogKind.GRANT_CREATED, actor, f"{client.name} was given access.")
    return _token_answer(access, grant.scopes, _refresh_token(grant, family + rotating))


def _by_refresh(client: OAuthClient, form: TokenForm) -> TokenAnswer:
    match = _REFRESH.fullmatch(_required(form.refresh_token, "refresh_token"))
    if match is None:
        raise InvalidGrant
    grant_id, sent, family = f"grant_{match[1]}", match[2], match[3]

    def attempt() -> TokenAnswer:
        seen = _grant_of(grant_id, family)
        if seen is None or seen.client_id != client.id or seen.valid_until <= clock.now_ms():
            raise InvalidGrant
        if not hmac.compare_digest(sha256_hex(sent), seen.refresh_hash):
            _require_race(seen, sha256_hex(sent))
        refreshed, access, rotating = _refreshed(seen)
        transaction = Transaction()
        _require_membership(transaction, seen)
        repository.rotate_grant(
            transaction, seen, replace(refreshed, refresh_hash=sha256_hex(family + rotating))
        )
        transaction.commit()
        return _token_answer(access, refreshed.scopes, _refresh_token(refreshed, family + rotating))

    # It may be refreshed, revoked or moved to another organization in the meantime.
    return repeat_when_stale(attempt, ConditionFailed)


def _require_membership(transaction: Transaction, grant: Grant) -> None:
    """Make a refresh fail with InvalidGrant if the person has left the organization in which the client acts.

    The API would refuse the new tokens, so the client would not learn that it has to log in again.
    """
    if grant.organization is not None:
        people.require_member_since(
            transaction,
            grant.user_id,
            grant.organization,
            grant.bound_at,
            InvalidGrant("The person has left the organization of this login. Log in again."),
        )


def _refreshed(seen: Grant) -> tuple[Grant, str, str]:
    now = clock.now_ms()
    access, newest = _access_token(seen.user_id)
    live = [token for token in seen.tokens if token.valid_until > now]
    refreshed = replace(
        seen,
        previous_hash=seen.refresh_hash,
        rotated_at=now,
        valid_until=min(now + REFRESH_DAYS * DAY_MS, seen.created_at + GRANT_DAYS * DAY_MS),
        tokens=(*live, newest)[-repository.LIVE_ACCESS_TOKENS :],
    )
    return refreshed, access, ids.secret(_ROTATING)


def _grant_of(grant_id: str, family: str) -> Grant | None:
    """Return a grant if the family part shows that the sender has, or had, one of its refresh tokens."""
    seen = repository.grants.find(grant_id)
    if seen is None or not hmac.compare_digest(sha256_hex(family), seen.family_hash):
        return None
    return seen


def _require_race(seen: Grant, sent_hash: str) -> None:
    """Refuse a refresh token that was replaced; revoke the family unless the client may just have raced itself.

    Raises InvalidGrant. Two processes of one program that refresh at once, or a repeated network request, arrive within
    seconds and with the previous token: they are only refused. A later arrival, and any older token, counts as stolen
    (RFC 9700, section 4.14.2).
    """
    if hmac.compare_digest(sent_hash, seen.previous_hash) and clock.now_ms() - seen.rotated_at <= RACE_MS:
        raise InvalidGrant("This refresh token was just replaced. Use the newest one.")
    logger.warning("refresh_token_reused", extra={"client": seen.client_id, "grant": seen.id})
    grants.end_stolen(seen.id)
    raise InvalidGrant(
        "This refresh token was already used. As a precaution against theft, its login was revoked. Log in again."
    )


def revoke(form: RevocationForm, authorization: str) -> None:
    """Revoke a token; a refresh token revokes its whole family. Raises an OAuthError.

    An unknown token, or one of another client, stays as it is, with the same response (RFC 7009, section 2.2).
    """
    if form.repeated:
        raise InvalidOAuthRequest(f"`{min(form.repeated)}` was sent more than once.")
    client = registration.authenticated(form, authorization)
    token = _required(form.token, "token")
    match = _REFRESH.fullmatch(token)
    if match is not None:
        seen = _grant_of(f"grant_{match[1]}", match[3])
        if seen is not None and seen.client_id == client.id:
            grants.end_by_program(seen.id)
        return
    token_hash = sha256_hex(token)
    issued = repository.access_tokens.find(token_hash)
    if issued is not None and issued.client_id == client.id:
        table.delete(issued.key)


def _access_token(user_id: str) -> tuple[str, IssuedToken]:
    token = f"svc_oat_{user_id.removeprefix('usr_')}_{ids.secret()}"
    return token, IssuedToken(sha256_hex(token), clock.now_ms() + ACCESS_SECONDS * 1_000)


def _refresh_token(grant: Grant, secret: str) -> str:
    return f"svc_ort_{grant.id.removeprefix('grant_')}_{secret}"


def _token_answer(access: str, scopes: Scopes, refresh_token: str | None = None) -> TokenAnswer:
    return TokenAnswer(
        access_token=access,
        token_type="Bearer",  # noqa: S106 - a scheme
        expires_in=ACCESS_SECONDS,
        refresh_token=refresh_token,
        scope=" ".join(scopes),
    )


def _required(value: str | None, name: str) -> str:
    if value is None:
        raise InvalidOAuthRequest(f"`{name}` is required.")
    return value
