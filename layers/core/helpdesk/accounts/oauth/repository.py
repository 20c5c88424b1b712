"""What the OAuth server stores: clients, requests, codes, device logins, browsers, and grants with their access tokens.

What leads to a token is single-use or expires: a condition makes single use hold, and DynamoDB deletes the item some
time after `expiresAt`. Each change of a grant is one transaction, conditional on what was read.
"""

from collections.abc import Sequence

from helpdesk.accounts.oauth.errors import ExpiredToken, InvalidClient, InvalidGrant, RequestExpired
from helpdesk.accounts.oauth.record import (
    Approval,
    AuthorizationCode,
    AuthorizationRequest,
    BrowserSession,
    DeviceCode,
    DeviceStatus,
    Grant,
    IssuedToken,
    OAuthClient,
    UserCode,
)
from helpdesk.api.admission.record import AccessToken
from helpdesk.mail.codes import SignIn
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.storage.changes import Requirement, Values, above, difference
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

UNAPPROVED_CLIENT_DAYS = 90
"""How long a client is kept that no person has approved."""

LIVE_ACCESS_TOKENS = 5
"""How many access tokens of one grant are valid at once; a further one replaces the oldest."""

registered_clients = Collection(OAuthClient)
requests = Collection(AuthorizationRequest)
codes = Collection(AuthorizationCode)
devices = Collection(DeviceCode)
browsers = Collection(BrowserSession)
grants = Collection(Grant)
access_tokens = Collection(AccessToken)
_user_codes = Collection(UserCode)


def client_names(client_ids: Sequence[str]) -> dict[str, str]:
    """Return the names of those of the clients that exist, by id. One call for up to 100."""
    return {
        each.id: each.name for each in registered_clients.by_ids(ids=client_ids, consistent=False).values()
    }


def keep_client(transaction: Transaction, known: OAuthClient) -> None:
    """Keep a client permanently, now that a person approved it. The transaction raises InvalidClient."""
    if known.expires_at is not None:
        transaction.change(known.key, set={"expires_at": None}, on_failure=InvalidClient())


def remove_request(transaction: Transaction, pending: AuthorizationRequest) -> None:
    """Remove a request: it is answered once. The transaction raises RequestExpired."""
    transaction.delete(pending.key, require={}, on_failure=RequestExpired())


def use_code(transaction: Transaction, code: AuthorizationCode, token_hash: str | None = None) -> None:
    """Use a code, once, for a token of the console or for a grant. The transaction raises ConditionFailed if used."""
    transaction.change(
        code.key,
        set={"used_at": clock.now_ms(), "token_hash": token_hash},
        require={"used_at": None},
        on_failure=ConditionFailed,
    )


def put_device(login: DeviceCode, user_code: str) -> None:
    """Add a device login under both of its codes. Raises ConditionFailed if the user code is taken."""
    transaction = Transaction()
    transaction.put(
        UserCode(user_code=user_code, device_hash=login.device_hash, valid_until=login.valid_until),
        new=True,
        on_failure=ConditionFailed,
    )
    transaction.put(login, new=True)
    transaction.commit()


def device_by_user_code(user_code: str) -> DeviceCode | None:
    """Return the device login of a user code, or None."""
    typed = _user_codes.find(user_code)
    return devices.find(typed.device_hash) if typed else None


def note_poll(known: DeviceCode, next_poll_at: int) -> bool:
    """Note that a device polled; return False if it polled too early. `next_poll_at` is in ms."""
    try:
        table.change(
            known.key,
            set={"next_poll_at": next_poll_at},
            require={"next_poll_at": Requirement("{name} <= {value}", clock.now_ms())},
        )
    except ConditionFailed:
        return False
    return True


def slow_down(known: DeviceCode, more_seconds: int, slack_ms: int) -> None:
    """Make a device wait longer between two polls from now on."""
    interval = known.interval + more_seconds
    next_poll_at = clock.now_ms() + interval * 1_000 - slack_ms
    table.change(known.key, set={"next_poll_at": next_poll_at, "interval": interval})


def decide_device(transaction: Transaction, device_hash: str, approval: Approval | None) -> None:
    """Store what the person allowed on a device login, None if they refused. The transaction raises RequestExpired."""
    decided = (
        {"status": DeviceStatus.DENIED}
        if approval is None
        else {
            "status": DeviceStatus.APPROVED,
            "user_id": approval.user_id,
            "organization": approval.organization,
            "bound_at": approval.bound_at,
            "scopes": approval.scopes,
        }
    )
    transaction.change(
        DeviceCode.key_for(device_hash),
        set=decided,
        require={"status": DeviceStatus.PENDING, "valid_until": above(clock.now_ms())},
        on_failure=RequestExpired(),
    )


def use_device(transaction: Transaction, device_hash: str) -> None:
    """Use an approved device login, once. The transaction raises InvalidGrant or ExpiredToken."""
    transaction.change(
        DeviceCode.key_for(device_hash),
        set={"status": DeviceStatus.USED},
        require={"status": DeviceStatus.APPROVED, "valid_until": above(clock.now_ms())},
        on_failure=lambda found: (
            ExpiredToken() if found and found["status"] == DeviceStatus.APPROVED else InvalidGrant()
        ),
    )


def sign_in(sign_in_hash: str, browser: BrowserSession) -> bool:
    """Replace a sign-in by a signed-in browser; return False if that already happened."""
    transaction = Transaction()
    transaction.delete(SignIn.key_for(sign_in_hash), require={}, on_failure=ConditionFailed)
    transaction.put(browser, new=True)
    try:
        transaction.commit()
    except ConditionFailed:
        return False
    return True


def sign_out(browser_hash: str) -> None:
    """Remove the person from a browser; what began in the browser stays."""
    try:
        table.change(BrowserSession.key_for(browser_hash), set={"user_id": None})
    except ConditionFailed:
        return


def keep_browser(browser_hash: str, user_id: str, valid_until: int, organization: str | None) -> None:
    """Set until when a person's session in a browser is valid, and its organization, unless they sign out now."""
    try:
        table.change(
            BrowserSession.key_for(browser_hash),
            set={"valid_until": valid_until, "organization": organization},
            require={"user_id": user_id},
        )
    except ConditionFailed:
        return


def put_token(
    transaction: Transaction, holder: Approval | Grant, token: IssuedToken, grant_id: str | None = None
) -> None:
    """Add an access token: of a grant, or of the console, which has none."""
    transaction.put(
        AccessToken(
            token_hash=token.token_hash,
            user_id=holder.user_id,
            organization=holder.organization,
            bound_at=holder.bound_at,
            grant_id=grant_id,
            client_id=holder.client_id,
            scopes=holder.scopes,
            valid_until=token.valid_until,
        ),
        new=True,
    )


def put_grant(transaction: Transaction, grant: Grant) -> None:
    """Add a grant with its first access token. The transaction raises ConditionFailed if it exists."""
    transaction.put(grant, new=True, on_failure=ConditionFailed)
    put_token(transaction, grant, grant.tokens[-1], grant.id)


def rotate_grant(transaction: Transaction, seen: Grant, refreshed: Grant) -> None:
    """Replace a grant's refresh token, add its newest access token and remove those beyond the newest five.

    Unless the grant is as it was read, the transaction raises ConditionFailed with the present grant, or with None.
    """
    transaction.change(
        seen.key,
        set=difference(seen.to_item(), refreshed),
        require=_as_read(seen),
        on_failure=ConditionFailed,
    )
    put_token(transaction, refreshed, refreshed.tokens[-1], refreshed.id)
    kept = {token.token_hash for token in refreshed.tokens}
    for token in seen.tokens:
        if token.token_hash not in kept:
            transaction.delete(AccessToken.key_for(token.token_hash))


def remove_grant(transaction: Transaction, seen: Grant) -> None:
    """Remove a grant with all its access tokens. The transaction raises ConditionFailed with the present grant."""
    transaction.delete(seen.key, require=_as_read(seen), on_failure=ConditionFailed)
    for token in seen.tokens:
        transaction.delete(AccessToken.key_for(token.token_hash))


def newest_grants_of_person(user_id: str, limit: int) -> list[Grant]:
    """Return a person's grants, newest first, up to `limit`."""
    page = table.newest(Grant.partition_for(user_id, index="GSI1"), limit, index="GSI1")
    return [Grant.from_item(item) for item in page.items]


def grants_of_organization(
    organization: str, limit: int, before: str | None
) -> tuple[list[Grant], str | None]:
    """Return a page of the grants for an organization, newest first, and the id after which the next page begins."""
    after = {**Grant.key_for(before).attributes(), "GSI2SK": before} if before else None
    page = grants.page(organization, index="GSI2", limit=limit, newest_first=True, after=after)
    return page.records, page.after["GSI2SK"] if page.after else None


def _as_read(seen: Grant) -> Values:
    return {"refresh_hash": seen.refresh_hash, "organization": seen.organization}
