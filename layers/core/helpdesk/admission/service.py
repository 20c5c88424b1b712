"""Who is asking, may he, and is there allowance left: answered before anything else runs.

For a secret key all of it is one conditional write (see `allowance`). An access token costs one read before.
The order is the one the errors show: credential (401), allowance (429), role (403). A refused credential costs no
allowance; everything after it does (Specification: Authentication; Limits).
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from helpdesk.admission import allowance, buckets
from helpdesk.admission.caller import Access, Caller, KeyRule, Person, RateLimitSubject, Role
from helpdesk.admission.limits import PERSON_RATES, RequestClass
from helpdesk.logs import service as logs
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import (
    Forbidden,
    InvalidApiKey,
    InvalidToken,
    MissingApiKey,
    NeedsAPerson,
    NoOrganization,
    PublishableKey,
    RateLimited,
    TokenRequired,
)
from helpdesk.platform.logging import logger
from helpdesk.storage import keys, table
from helpdesk.storage.table import Throttled

_SECRET_KEY = re.compile(r"svc_key_([0-9a-z]{26})_[0-9A-Za-z]{43}")
_ACCESS_TOKEN = re.compile(r"svc_oat_([0-9a-z]{26})_[0-9A-Za-z]{43}")
# A key from before the current scheme says nothing of its organization.
_LEGACY_KEY = re.compile(r"svc_key_[!-~]{8,200}")
_BEARER = re.compile(r"bearer +([^ ]+) *", re.IGNORECASE)


class Admitted(NamedTuple):
    """A caller who was let in, and the allowance headers for the answer."""

    caller: Caller
    headers: dict[str, str]


class _Credential(NamedTuple):
    """What was sent: a key by its hash, or a token's person. `organization` is None where a token has none."""

    organization: str | None
    key_hash: str | None
    person: Person | None


def admit(headers: Mapping[str, str], access: Access, request_class: RequestClass) -> Admitted:
    """Let the caller in, or raise the CredentialError that says what is missing."""
    credential = _identify(headers.get("authorization") or "", access)
    subject = access.rate_limit_subject
    if subject is RateLimitSubject.PERSON or (
        subject is RateLimitSubject.EITHER and credential.organization is None
    ):
        return _admit_person(credential, request_class)
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
        charge = _fail_open(credential.organization, request_class, credential.key_hash)
    caller, limits = _caller(credential, charge), _limit_headers(charge, request_class)
    _require_role(caller, access, limits)
    return Admitted(caller, limits)


def _admit_person(credential: _Credential, request_class: RequestClass) -> Admitted:
    """Charge the person instead of an organization (Specification: Limits, the per-person allowance)."""
    person = credential.person
    if person is None:  # a key is refused before, on every route that charges a person
        raise TokenRequired
    rate = PERSON_RATES[request_class]
    key = keys.PersonAllowance(person.id, request_class.value)
    limits: dict[str, str] = {}
    try:
        charge = buckets.take(key, buckets.Shape.of(rate))
        limits = _headers(request_class, rate.per_minute, charge)
    except allowance.BucketEmpty as empty:
        if credential.organization is not None:
            logs.record_limit_reached(credential.organization, request_class)
        error = RateLimited(
            "Your own allowance is temporarily full. Wait for the seconds in Retry-After and try again.",
            headers={"retry-after": str(empty.retry_after)},
        )
        error.headers |= _headers(request_class, rate.per_minute, allowance.Charge(empty.item, empty.now_us))
        raise error from None
    except Throttled:
        logger.warning("allowance_throttled", extra={"class": request_class.value})
    return Admitted(Caller(organization=credential.organization or "", person=person), limits)


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
        return _token_holder(token, access)
    key = _SECRET_KEY.fullmatch(token)
    if key is None and _LEGACY_KEY.fullmatch(token) is None:
        raise InvalidApiKey
    if access.key_rule is KeyRule.TOKEN_REQUIRED:
        raise TokenRequired
    key_hash = sha256_hex(token)
    return _Credential(f"org_{key[1]}" if key else _organization_of_legacy(key_hash), key_hash, None)


def _organization_of_legacy(key_hash: str) -> str:
    item = table.get(keys.LegacyKey(key_hash))
    if item is None:
        raise InvalidApiKey
    organization: str = item["organization"]
    return organization


def _token_holder(token: str, access: Access) -> _Credential:
    """Read the token and its person at once: what he is in the organization stands with the person alone.

    So a change of role and a removal take effect with the next request, whatever tokens there are.
    """
    match = _ACCESS_TOKEN.fullmatch(token)
    if match is None:
        raise InvalidToken
    token_key, person_key = keys.AccessToken(sha256_hex(token)), keys.Person(f"usr_{match[1]}")
    found = table.get_many([token_key, person_key])
    item, person = found.get(token_key), found.get(person_key)
    if item is None or person is None or item["userId"] != person["id"]:
        raise InvalidToken
    if item["validUntil"] <= clock.now_ms():
        raise InvalidToken
    organization = item["organization"]
    membership = person["organizations"].get(organization) if organization else None
    if organization and membership is None:
        if access.rate_limit_subject is RateLimitSubject.ORGANIZATION:
            raise InvalidToken
        organization = None
    role = Role(membership["role"]) if membership else None
    holder = Person(
        person["id"], person["name"], role, person["email"], token_key.token_hash, item.get("grantId")
    )
    return _Credential(organization, None, holder)


def _caller(credential: _Credential, charge: allowance.Charge) -> Caller:
    key = charge.item["keys"].get(credential.key_hash, {}) if credential.key_hash else {}
    return Caller(
        organization=credential.organization or "",
        key_id=key.get("id"),
        person=credential.person,
        cursor_key=charge.item["cursorKey"],
        legacy=key.get("legacy", False),
    )


def _require_role(caller: Caller, access: Access, limits: dict[str, str]) -> None:
    """Raise NeedsAPerson or Forbidden, with the allowance headers: the request was charged."""
    if caller.person is None:
        if access.key_rule is KeyRule.NEEDS_A_PERSON:
            raise NeedsAPerson(headers=limits)
    elif caller.person.role is None or caller.person.role.rank < access.role.rank:
        raise Forbidden(headers=limits)


def _fail_open(organization: str, request_class: RequestClass, key_hash: str | None) -> allowance.Charge:
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
    return _headers(request_class, charge.item["perMinute"], charge)


def _headers(request_class: RequestClass, per_minute: int, charge: allowance.Charge) -> dict[str, str]:
    name = request_class.value
    return {
        "ratelimit-policy": f'"{name}";q={per_minute};w=60',
        "ratelimit": f'"{name}";r={charge.remaining};t={charge.seconds_to_full}',
    }
