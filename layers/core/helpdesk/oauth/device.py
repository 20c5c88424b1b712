"""Device login (RFC 8628): a program without a browser shows a short code, which a person types in elsewhere."""

import re
import secrets
from dataclasses import dataclass

from helpdesk.oauth import limits, metadata, registration, repository
from helpdesk.oauth.errors import (
    AccessDenied,
    AuthorizationPending,
    ExpiredToken,
    InvalidGrant,
    InvalidOAuthRequest,
    SlowDown,
    UnauthorizedClient,
)
from helpdesk.oauth.record import DEVICE_GRANT, Approval, ClientRecord, DeviceRecord
from helpdesk.oauth.schemas import DeviceAnswer, DeviceForm
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage.table import ConditionFailed

LIFETIME_SECONDS = 600
INTERVAL_SECONDS = 5
SLOWER_SECONDS = 5
# A network may bring a request a little early that was sent in time.
_SLACK_MS = 500

ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
"""Without vowels, so that no code spells a word, and without letters taken for others (RFC 8628, section 6.1)."""
USER_CODE_LETTERS = 8
_DEVICE_CODE = re.compile(r"[0-9A-Za-z]{43}")
_MOST_TRIES = 5


@dataclass(frozen=True, slots=True)
class ApprovedLogin:
    """A device's login that the person allowed."""

    device_hash: str
    approval: Approval
    grant_id: str


def begin(form: DeviceForm, authorization: str, address: str, base_url: str) -> DeviceAnswer:
    """Begin a device's login. Raises TooManyRequests or another OAuthError."""
    limits.take_device_login(address)
    if form.repeated:
        raise InvalidOAuthRequest(f"`{min(form.repeated)}` was sent twice.")
    client = registration.authenticated(form, authorization)
    if DEVICE_GRANT not in client.grant_types:
        raise UnauthorizedClient
    metadata.require_this_api(form.resource, base_url)
    device_code, until = ids.secret(), clock.now_ms() + LIFETIME_SECONDS * 1_000
    user_code = _with_free_code(sha256_hex(device_code), client, until)
    page = f"{metadata.issuer_of(base_url)}/oauth/device"
    return DeviceAnswer(
        device_code=device_code,
        user_code=spelled(user_code),
        verification_uri=page,
        verification_uri_complete=f"{page}?user_code={spelled(user_code)}",
        expires_in=LIFETIME_SECONDS,
        interval=INTERVAL_SECONDS,
    )


def _with_free_code(device_hash: str, client: ClientRecord, until: int) -> str:
    for _ in range(_MOST_TRIES):
        user_code = "".join(secrets.choice(ALPHABET) for _ in range(USER_CODE_LETTERS))
        try:
            repository.put_device(device_hash, user_code, client, ids.new("grant"), INTERVAL_SECONDS, until)
        except ConditionFailed:
            continue
        return user_code
    raise RuntimeError("no free user code")  # of 25 billion: a defect


def spelled(user_code: str) -> str:
    """Return a code as it is shown: WDJB-MJHT."""
    return f"{user_code[:4]}-{user_code[4:]}"


def read(text: str) -> str | None:
    """Return the code that a person typed, in whatever case and with whatever between its letters; None for none."""
    letters = re.sub(r"[\s\-\u2010-\u2015._]", "", text[:64])
    letters = letters.upper() if letters.isascii() else ""
    whole = len(letters) == USER_CODE_LETTERS and all(letter in ALPHABET for letter in letters)
    return letters if whole else None


def pending(user_code: str) -> DeviceRecord | None:
    """Return the login that waits under a code, or None."""
    known = repository.device_by_user_code(user_code)
    if known is None or known.status != "pending" or known.valid_until <= clock.now_ms():
        return None
    return known


def approved(client: ClientRecord, device_code: str) -> ApprovedLogin:
    """Return a device's login once its person allowed it.

    Raises AuthorizationPending, SlowDown, AccessDenied, ExpiredToken, InvalidGrant.
    """
    known = repository.device(sha256_hex(device_code)) if _DEVICE_CODE.fullmatch(device_code) else None
    if known is None or known.client_id != client.id or known.status == "used":
        raise InvalidGrant("This device code is unknown or used already. Begin the device login again.")
    if known.valid_until <= clock.now_ms():
        raise ExpiredToken
    if known.status == "denied":
        raise AccessDenied
    if not repository.note_poll(known, clock.now_ms() + known.interval * 1_000 - _SLACK_MS):
        repository.slow_down(known, SLOWER_SECONDS, _SLACK_MS)
        raise SlowDown
    if known.approval is None:
        raise AuthorizationPending
    return ApprovedLogin(known.device_hash, known.approval, known.grant_id)
