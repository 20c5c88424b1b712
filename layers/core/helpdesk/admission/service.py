"""Who is asking, may he, and is there allowance left: answered before anything else runs.

For a secret key all of it is one conditional write (see `allowance`). An access token costs one read before.
The order is the one the errors show: credential (401), allowance (429), role (403). A refused credential costs no
allowance; everything after it does (Specification: Authentication; Limits).
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from helpdesk.admission import allowance
from helpdesk.admission.caller import Access, Caller, KeyRule, Person, Role
from helpdesk.admission.limits import RequestClass
from helpdesk.logs import service as logs
from helpdesk.platform import clock
from helpdesk.platform.errors import (
    Forbidden,
    InvalidApiKey,
    InvalidToken,
    MissingApiKey,
    NeedsAPerson,
    NoOrganization,
    PublishableKey,
    TokenRequired,
)
from helpdesk.platform.logging import logger
from helpdesk.storage import keys, table
from helpdesk.storage.table import Throttled

_SECRET_KEY = re.compile(r"svc_key_([0-9a-z]{26})_[0-9A-Za-z]{43}")
_BEARER = re.compile(r"bearer +([^ ]+) *", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A caller who was let in, and the allowance headers for the answer."""

    caller: Caller
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Credential:
    organization: str | None
    key_hash: str | None
    person: Person | None


def sha256(text: str) -> str:
    """Return the SHA-256 of a secret as hexadecimal text, the only form in which one is stored."""
    return hashlib.sha256(text.encode()).hexdigest()


def admit(headers: Mapping[str, str], access: Access, request_class: RequestClass) -> Admitted:
    """Let the caller in, or raise the CredentialError that says what is missing."""
    credential = _identify(headers.get("authorization") or "", access)
    if credential.organization is None:
        raise NoOrganization
    try:
        charge = allowance.take(credential.organization, request_class, credential.key_hash)
    except allowance.UnknownCaller:
        raise (InvalidApiKey if credential.key_hash else InvalidToken) from None
    except allowance.BucketEmpty as empty:
        logs.record_limit_reached(credential.organization, request_class)
        error = empty.to_error()
        error.headers |= _limit_headers(allowance.Charge(empty.item, empty.now_us), request_class)
        raise error from None
    except Throttled:
        charge = _let_pass(credential.organization, request_class, credential.key_hash)
    caller, limits = _caller(credential, charge), _limit_headers(charge, request_class)
    _require_role(caller, access, limits)
    return Admitted(caller, limits)


def _identify(authorization: str, access: Access) -> _Credential:
    match = _BEARER.fullmatch(authorization)
    if match is None:
        raise MissingApiKey
    token = match[1]
    if token.startswith("svc_pk_"):
        raise PublishableKey
    if token.startswith("svc_oat_"):
        if access.key_rule is KeyRule.ONLY:
            raise InvalidApiKey("This route takes a secret key (svc_key_…), not an access token.")
        return _token_holder(token)
    key = _SECRET_KEY.fullmatch(token)
    if key is None:
        raise InvalidApiKey
    if access.key_rule is KeyRule.TOKEN_REQUIRED:
        raise TokenRequired
    return _Credential(f"org_{key[1]}", sha256(token), None)


def _token_holder(token: str) -> _Credential:
    item = table.get(keys.AccessToken(sha256(token)))
    if item is None or item["validUntil"] <= clock.now_ms():
        raise InvalidToken
    role = Role(item["role"]) if item.get("organization") else Role.MEMBER
    return _Credential(item.get("organization"), None, Person(item["userId"], item["name"], role))


def _caller(credential: _Credential, charge: allowance.Charge) -> Caller:
    key = charge.item["keys"].get(credential.key_hash, {}) if credential.key_hash else {}
    return Caller(
        organization=credential.organization or "",
        key_id=key.get("id"),
        person=credential.person,
        cursor_key=charge.item["cursorKey"],
    )


def _require_role(caller: Caller, access: Access, limits: dict[str, str]) -> None:
    """Raise NeedsAPerson or Forbidden, with the allowance headers: the request was charged."""
    if caller.person is None:
        if access.key_rule is KeyRule.NEEDS_A_PERSON:
            raise NeedsAPerson(headers=limits)
    elif caller.person.role.rank < access.role.rank:
        raise Forbidden(headers=limits)


def _let_pass(organization: str, request_class: RequestClass, key_hash: str | None) -> allowance.Charge:
    """Let a request through whose allowance cannot be written just now, if its key can be read as live.

    The limiter protects the service; it must not be what takes it down. A throttled write says that one
    organization's bucket is hot, and reads of the item still go through.
    """
    logger.warning("allowance_throttled", extra={"organization": organization, "class": request_class.value})
    item = table.get(keys.Allowance(organization, request_class.value))
    if item is None or (key_hash is not None and key_hash not in item["keys"]):
        raise InvalidApiKey if key_hash else InvalidToken
    return allowance.Charge(item, clock.now_us())


def _limit_headers(charge: allowance.Charge, request_class: RequestClass) -> dict[str, str]:
    name, item = request_class.value, charge.item
    return {
        "ratelimit-policy": f'"{name}";q={item["perMinute"]};w=60',
        "ratelimit": f'"{name}";r={charge.remaining};t={charge.seconds_to_full}',
    }
