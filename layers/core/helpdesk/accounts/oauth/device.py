"""Device login (RFC 8628): a program without a browser shows a user code, which a person enters elsewhere."""

import re
import secrets

from helpdesk.accounts.oauth import limits, metadata, registration, repository
from helpdesk.accounts.oauth.errors import (
    AccessDenied,
    AuthorizationPending,
    ExpiredToken,
    InvalidGrant,
    InvalidOAuthRequest,
    SlowDown,
    UnauthorizedClient,
)
from helpdesk.accounts.oauth.record import (
    DEVICE_GRANT,
    Approval,
    DeviceCode,
    DeviceStatus,
    OAuthClient,
    Scopes,
    scopes_in,
)
from helpdesk.accounts.oauth.schemas import DeviceAnswer, DeviceForm
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record
from helpdesk.storage.table import ConditionFailed

LIFETIME_SECONDS = 600
INTERVAL_SECONDS = 5
SLOWER_SECONDS = 5
# A request that was sent in time can arrive a little early.
_SLACK_MS = 500

ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, so that no code spells a word, and no look-alike letters (RFC 8628, section 6.1)."""
USER_CODE_LETTERS = 8
_MOST_TRIES = 5


class ApprovedLogin(Record):
    """A device login that a person allowed."""

    device_hash: str
    approval: Approval
    grant_id: str


def begin(form: DeviceForm, authorization: str, address: str, base_url: str) -> DeviceAnswer:
    """Begin a device login. Raises TooManyRequests or another OAuthError."""
    limits.charge_device_login(address)
    if form.repeated:
        raise InvalidOAuthRequest(f"`{min(form.repeated)}` was sent more than once.")
    client = registration.authenticated(form, authorization)
    if DEVICE_GRANT not in client.grant_types:
        raise UnauthorizedClient
    metadata.require_this_api(form.resource, base_url)
    device_code, until = ids.secret(), clock.now_ms() + LIFETIME_SECONDS * 1_000
    user_code = _with_free_code(sha256_hex(device_code), client, until, scopes_in(form.scope))
    page = f"{metadata.issuer_of(base_url)}/oauth/device"
    return DeviceAnswer(
        device_code=device_code,
        user_code=spelled(user_code),
        verification_uri=page,
        verification_uri_complete=f"{page}?user_code={spelled(user_code)}",
        expires_in=LIFETIME_SECONDS,
        interval=INTERVAL_SECONDS,
    )


def _with_free_code(device_hash: str, client: OAuthClient, until: int, scopes: Scopes) -> str:
    """Store a new device login under a user code that is free, and return the code."""
    login = DeviceCode(
        device_hash=device_hash,
        client_id=client.id,
        client_name=client.name,
        interval=INTERVAL_SECONDS,
        valid_until=until,
        grant_id=ids.new("grant"),
        scopes=scopes,
    )
    for _ in range(_MOST_TRIES):
        user_code = "".join(secrets.choice(ALPHABET) for _ in range(USER_CODE_LETTERS))
        try:
            repository.put_device(login, user_code)
        except ConditionFailed:
            continue
        return user_code
    raise RuntimeError("no free user code")  # there are 25 billion, so this is a defect


def spelled(user_code: str) -> str:
    """Return a user code as people see it: WDJB-MJHT."""
    return f"{user_code[:4]}-{user_code[4:]}"


def read(text: str) -> str | None:
    """Return the user code in what a person typed, in any case and with any separators; None if it is not one."""
    letters = re.sub(r"[\s\-\u2010-\u2015._]", "", text[:64])
    letters = letters.upper() if letters.isascii() else ""
    whole = len(letters) == USER_CODE_LETTERS and all(letter in ALPHABET for letter in letters)
    return letters if whole else None


def pending(user_code: str) -> DeviceCode | None:
    """Return the pending device login of a user code, or None."""
    known = repository.device_by_user_code(user_code)
    if known is None or known.status is not DeviceStatus.PENDING or known.valid_until <= clock.now_ms():
        return None
    return known


def approved(client: OAuthClient, device_code: str) -> ApprovedLogin:
    """Return a device login once a person has allowed it.

    Raises AuthorizationPending, SlowDown, AccessDenied, ExpiredToken, InvalidGrant.
    """
    known = repository.devices.find(sha256_hex(device_code)) if ids.is_secret(device_code) else None
    if known is None or known.client_id != client.id or known.status is DeviceStatus.USED:
        raise InvalidGrant("This device code is unknown or already used. Start the device login again.")
    if known.valid_until <= clock.now_ms():
        raise ExpiredToken
    if known.status is DeviceStatus.DENIED:
        raise AccessDenied
    if not repository.note_poll(known, clock.now_ms() + known.interval * 1_000 - _SLACK_MS):
        repository.slow_down(known, SLOWER_SECONDS, _SLACK_MS)
        raise SlowDown
    if known.approval is None:
        raise AuthorizationPending
    return ApprovedLogin(known.device_hash, known.approval, known.grant_id)
