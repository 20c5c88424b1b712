"""Admits a request: checks the credential, charges the rate limit and checks the role, before anything else runs.

For a secret key, one conditional write does all of it (see `allowance`). An access token costs one read before. The
checks run in the order of their errors: credential (401), rate limit (429), role (403). A rejected credential is not
charged; everything after it is (Specification: Authentication; Limits).
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.api.admission import allowance, buckets, repository
from helpdesk.api.admission.caller import (
    Access,
    Caller,
    KeyRule,
    Person,
    RateLimitSubject,
    Scope,
    no_organization,
)
from helpdesk.api.admission.limits import PERSON_RATES, Rate, RequestClass
from helpdesk.api.admission.record import Bucket, LiveKey, PersonAllowance
from helpdesk.api.logs import service as logs
from helpdesk.platform import clock, metrics
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import (
    UNUSUAL_TRAFFIC,
    FairUseLimited,
    Forbidden,
    InvalidApiKey,
    InvalidToken,
    MissingApiKey,
    NeedsAPerson,
    PublishableKey,
    RateLimited,
    TokenRequired,
)
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.storage.stored import Key
from helpdesk.storage.table import Throttled

_SECRET_KEY = re.compile(r"svc_key_([0-9a-z]{26})_[0-9A-Za-z]{43}")
_ACCESS_TOKEN = re.compile(r"svc_oat_([0-9a-z]{26})_[0-9A-Za-z]{43}")
# A key in the previous format does not contain its organization.
_LEGACY_KEY = re.compile(r"svc_key_[!-~]{8,200}")
_BEARER = re.compile(r"bearer +([^ ]+) *", re.IGNORECASE)


class Admitted(NamedTuple):
    """An admitted caller, and the rate limit headers for the response."""

    caller: Caller
    headers: dict[str, str]


class _Credential(NamedTuple):
    """A parsed credential: a key's hash, or a token's person. `organization` is None if the token has none."""

    organization: str | None
    key_hash: str | None
    person: Person | None


def admit(headers: Mapping[str, str], access: Access, request_class: RequestClass) -> Admitted:
    """Admit the caller, or raise UnauthorizedError, ForbiddenError or RateLimited."""
    credential = _identify(headers.get("authorization") or "", access, request_class)
    subject = access.rate_limit_subject
    if subject is RateLimitSubject.PERSON or (
        subject is RateLimitSubject.EITHER and credential.organization is None
    ):
        admitted = _admit_person(credential, request_class)
        admitted.caller.the_person().require(access.scope, admitted.headers)
        return admitted
    if credential.organization is None:
        raise no_organization(credential.person, _admit_person(credential, request_class).headers)
    try:
        charge = _charge(credential.organization, request_class, credential.key_hash)
    except allowance.UnknownCaller:
        raise (InvalidApiKey if credential.key_hash else InvalidToken) from None
    except allowance.BucketEmpty as empty:
        with table.one_try_when_throttled():
            logs.record_limit_reached(credential.organization, request_class)
        error = _refusal(credential.organization, empty)
        if empty.allowance is not None:
            error.headers |= _limit_headers(allowance.Charge(empty.allowance, empty.now_us), request_class)
        raise error from None
    caller, limits = _caller(credential, charge), _limit_headers(charge, request_class)
    _require_role(caller, access, limits)
    return Admitted(caller, limits)


def _refusal(organization: str, empty: allowance.BucketEmpty) -> RateLimited:
    """Return the error for an empty bucket, with its Retry-After.

    An organization that passes the fair-use threshold now and then meets a protection of the service. One that does so
    in many minutes of an hour has a client that runs away, and learns that (Specification: Errors, Fair-use 429).
    """
    headers = {"retry-after": str(empty.retry_after)}
    if not empty.is_fair_use:
        return RateLimited(headers=headers)
    try:
        minutes = allowance.refused_minutes(organization)
    except (Throttled, ClientError, BotoCoreError) as error:  # the refusal does not depend on it
        logger.warning(
            "fair_use_not_noted", extra={"organization": organization, "error": type(error).__name__}
        )
        minutes = 0
    unusual = minutes >= settings().fair_use_notice_minutes
    return FairUseLimited(UNUSUAL_TRAFFIC if unusual else None, headers=headers)


def _admit_person(credential: _Credential, request_class: RequestClass) -> Admitted:
    """Charge the person instead of an organization (Specification: Limits, per-person allowance)."""
    person = credential.person
    if person is None:  # every route that charges a person has rejected keys before
        raise TokenRequired
    request_class, rate, key = _persons_allowance(person, request_class)
    try:
        charge = _charge_person(key, rate, request_class)
    except allowance.BucketEmpty as empty:
        # It is the person's limit, so the log of their organization has no entry of it.
        error = RateLimited(
            "Your own allowance is temporarily full. Wait for the seconds in Retry-After and try again.",
            headers={"retry-after": str(empty.retry_after)},
        )
        error.headers |= _headers(request_class, rate.per_minute, empty.bucket, empty.now_us)
        raise error from None
    limits = _headers(request_class, rate.per_minute, charge.bucket, charge.now_us)
    return Admitted(Caller(organization=credential.organization or "", person=person), limits)


def _persons_allowance(person: Person, request_class: RequestClass) -> tuple[RequestClass, Rate, Key]:
    if request_class not in PERSON_RATES:  # a person has no allowance for uploads: one counts as a write
        request_class = RequestClass.WRITE
    return request_class, PERSON_RATES[request_class], PersonAllowance.key_for(person.id, request_class.value)


def _charge_person(key: Key, rate: Rate, request_class: RequestClass) -> buckets.BucketCharge:
    """Charge a person's allowance, or this environment's share of it while DynamoDB throttles its item."""
    try:
        return buckets.charge(key, buckets.Shape.of(rate))
    except Throttled:
        metrics.count("AllowanceThrottled")
        logger.warning("allowance_throttled", extra={"class": request_class.value})
    now = clock.now_us()
    return buckets.BucketCharge(allowance.charge_persons_share(key, rate, now), now)


def _identify(authorization: str, access: Access, request_class: RequestClass) -> _Credential:
    match = _BEARER.fullmatch(authorization)
    if match is None:
        raise MissingApiKey
    token = match[1]
    if token.startswith("svc_pk_"):
        raise PublishableKey
    if token.startswith("svc_oat_"):
        if access.key_rule is KeyRule.ONLY:
            raise InvalidApiKey(
                "This route requires a secret key (svc_key_…). Send one instead of the access token.",
                headers=_limits_of_token(token, request_class),
            )
        return _token_holder(token, access)
    key = _SECRET_KEY.fullmatch(token)
    if key is None and _LEGACY_KEY.fullmatch(token) is None:
        raise InvalidApiKey
    key_hash = sha256_hex(token)
    if key is not None:
        organization = f"org_{key[1]}"
    elif (legacy := repository.legacy_keys.find(key_hash)) is not None:
        organization = legacy.organization
    else:
        raise InvalidApiKey
    if access.key_rule is KeyRule.TOKEN_REQUIRED:
        raise TokenRequired(headers=_limits_of_key(organization, request_class, key_hash))
    return _Credential(organization, key_hash, None)


def _limits_of_key(organization: str, request_class: RequestClass, key_hash: str) -> dict[str, str]:
    """Return the rate limit headers for a key that its route refuses and does not charge. Raises InvalidApiKey."""
    try:
        found = allowance.peek(organization, request_class, key_hash)
    except allowance.UnknownCaller:
        raise InvalidApiKey from None
    return _limit_headers(found, request_class) if found is not None else {}


def _limits_of_token(token: str, request_class: RequestClass) -> dict[str, str]:
    """Return the same for an access token: the headers of its organization, or of its person without one."""
    try:
        credential = _token_holder(token, Access.MEMBER)
    except InvalidToken:
        return {}
    if credential.organization is not None:
        found = allowance.peek(credential.organization, request_class, None)
        return _limit_headers(found, request_class) if found is not None else {}
    if credential.person is None:
        return {}
    request_class, rate, key = _persons_allowance(credential.person, request_class)
    own = buckets.peek(key, buckets.Shape.of(rate))
    return _headers(request_class, rate.per_minute, own.bucket, own.now_us) if own is not None else {}


def _token_holder(token: str, access: Access) -> _Credential:
    """Read the token and its person in one call. The person's item holds the memberships.

    So a changed role or a removal applies to the next request of every token.
    """
    match = _ACCESS_TOKEN.fullmatch(token)
    if match is None:
        raise InvalidToken
    found = repository.token_with_person(sha256_hex(token), f"usr_{match[1]}")
    if found is None or found[0].valid_until <= clock.now_ms():
        raise InvalidToken
    held, owner = found
    organization, role = held.organization, owner.role_with(held)
    if organization is not None and role is None:
        if access.rate_limit_subject is RateLimitSubject.ORGANIZATION:
            raise InvalidToken
        organization = None
    person = Person(
        owner.id,
        owner.name,
        role,
        owner.email,
        held.token_hash,
        held.grant_id,
        held.organization,
        bool(owner.organizations),
        # A token without a grant has all scopes.
        frozenset(held.scopes if held.grant_id else Scope),
    )
    return _Credential(organization, None, person)


def _caller(credential: _Credential, charge: allowance.Charge) -> Caller:
    key: LiveKey | None = charge.allowance.keys.get(credential.key_hash) if credential.key_hash else None
    return Caller(
        organization=credential.organization or "",
        key_id=key.id if key else None,
        key_name=key.name if key else "",
        person=credential.person,
        cursor_key=charge.allowance.cursor_key,
        legacy=key.legacy if key else False,
        tier=charge.allowance.tier,
    )


def _require_role(caller: Caller, access: Access, limits: dict[str, str]) -> None:
    """Raise NeedsAPerson, Forbidden or InsufficientScope, with the rate limit headers: the request was charged."""
    if caller.person is None:
        if access.key_rule is KeyRule.NEEDS_A_PERSON:
            raise NeedsAPerson(headers=limits)
    elif caller.person.role is None or caller.person.role.rank < access.role.rank:
        raise Forbidden(headers=limits)
    if caller.person is not None:
        caller.person.require(access.scope, limits)


def _charge(organization: str, request_class: RequestClass, key_hash: str | None) -> allowance.Charge:
    """Charge an organization's allowance; while DynamoDB throttles it, this environment's share of it.

    The rate limiter protects the service and must not take it down: a throttled item means that one organization's
    bucket is hot, and its requests neither wait nor all pass. Raises as `allowance.charge` does, and RateLimited if
    nothing is known of the allowance.
    """
    try:
        return allowance.charge(organization, request_class, key_hash)
    except Throttled:
        metrics.count("AllowanceThrottled")
        logger.warning(
            "allowance_throttled", extra={"organization": organization, "class": request_class.value}
        )
    try:
        return allowance.charge_throttled(organization, request_class, key_hash)
    except Throttled:
        raise RateLimited(headers={"retry-after": "1"}) from None


def _limit_headers(charge: allowance.Charge, request_class: RequestClass) -> dict[str, str]:
    return _headers(request_class, charge.allowance.per_minute, charge.allowance, charge.now_us)


def _headers(request_class: RequestClass, per_minute: int, bucket: Bucket, now_us: int) -> dict[str, str]:
    name = request_class.value
    return {
        "ratelimit-policy": f'"{name}";q={per_minute};w=60',
        "ratelimit": f'"{name}";r={bucket.remaining(now_us)};t={bucket.seconds_to_full(now_us)}',
    }
