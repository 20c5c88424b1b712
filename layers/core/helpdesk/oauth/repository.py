"""Items of OAuth on the way to a token: clients, requests, codes, device logins, sign-ins, browsers.

Every one of them is single-use or ends by itself: what may happen once is a condition, and `expiresAt` lets DynamoDB
forget it some time after its end.
"""

from collections.abc import Sequence
from typing import Any

from helpdesk.oauth.errors import ExpiredToken, InvalidClient, InvalidGrant, RequestExpired
from helpdesk.oauth.record import Approval, ClientRecord, CodeRecord, DeviceRecord, RequestRecord
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS, HOUR_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

UNAPPROVED_CLIENT_DAYS = 90
"""How long a client is kept that nobody has let act for him."""


def put_client(client: ClientRecord) -> None:
    """Add a client, for as long as one is kept that nobody approved."""
    table.put_new(
        {
            **keys.OAuthClient(client.id).attributes(),
            "id": client.id,
            "name": client.name,
            "redirectUris": client.redirect_uris,
            "authMethod": client.auth_method,
            "grantTypes": client.grant_types,
            "secretHash": client.secret_hash,
            "createdAt": clock.now_ms(),
            "expiresAt": clock.seconds_from_now(UNAPPROVED_CLIENT_DAYS * DAY_SECONDS),
        }
    )


def client(client_id: str) -> ClientRecord | None:
    """Return a client, or None."""
    item = table.get(keys.OAuthClient(client_id))
    return ClientRecord.from_item(item) if item else None


def keep_client(transaction: Transaction, known: ClientRecord) -> None:
    """Keep a client for good, now that somebody lets it act for him. The transaction raises InvalidClient."""
    if known.is_passing:
        transaction.update(
            keys.OAuthClient(known.id),
            "REMOVE expiresAt",
            condition="attribute_exists(PK)",
            on_failure=lambda _: InvalidClient(),
        )


def put_request(request: RequestRecord) -> None:
    """Add what a program asks of a person."""
    table.put_new(
        {
            **keys.AuthorizationRequest(request.request_hash).attributes(),
            **request.to_attributes(),
            "expiresAt": request.valid_until // 1_000 + HOUR_SECONDS,
        }
    )


def request(request_hash: str) -> RequestRecord | None:
    """Return what a program asks, or None."""
    item = table.get(keys.AuthorizationRequest(request_hash))
    return RequestRecord.from_item(request_hash, item) if item else None


def remove_request(transaction: Transaction, asked: RequestRecord) -> None:
    """Take a request out: it is answered once. The transaction raises RequestExpired."""
    transaction.delete(
        keys.AuthorizationRequest(asked.request_hash),
        condition="attribute_exists(PK)",
        on_failure=lambda _: RequestExpired(),
    )


def put_code(
    transaction: Transaction,
    code_hash: str,
    asked: RequestRecord,
    approval: Approval,
    grant_id: str,
    until: int,
) -> None:
    """Add a code, valid until an instant (ms); it is known for a day, so that its second use is seen."""
    transaction.put(
        {
            **keys.AuthorizationCode(code_hash).attributes(),
            **_approved(approval),
            "grantId": grant_id,
            "redirectUri": asked.redirect_uri,
            "redirectSent": asked.redirect_sent,
            "challenge": asked.challenge,
            "validUntil": until,
            "expiresAt": clock.seconds_from_now(DAY_SECONDS),
        },
        new=True,
    )


def code(code_hash: str) -> CodeRecord | None:
    """Return a code, used or not, or None."""
    item = table.get(keys.AuthorizationCode(code_hash))
    return CodeRecord.from_item(code_hash, item) if item else None


def use_code(transaction: Transaction, code_hash: str) -> None:
    """Use a code, once. The transaction raises ConditionFailed where it was used before."""
    transaction.update(
        keys.AuthorizationCode(code_hash),
        "SET usedAt = :now",
        condition="attribute_exists(PK) AND attribute_not_exists(usedAt)",
        values={":now": clock.now_ms()},
        on_failure=ConditionFailed,
    )


def put_device(
    device_hash: str, user_code: str, known: ClientRecord, grant_id: str, interval: int, until: int
) -> None:
    """Add a device's login under both of its codes. Raises ConditionFailed where the short one is taken."""
    lasting = {"validUntil": until, "expiresAt": until // 1_000 + HOUR_SECONDS}
    transaction = Transaction()
    transaction.put(
        {**keys.UserCode(user_code).attributes(), "deviceHash": device_hash, **lasting},
        new=True,
        on_failure=ConditionFailed,
    )
    transaction.put(
        {
            **keys.DeviceCode(device_hash).attributes(),
            "clientId": known.id,
            "clientName": known.name,
            "status": "pending",
            "interval": interval,
            "nextPollAt": 0,
            "grantId": grant_id,
            **lasting,
        },
        new=True,
    )
    transaction.commit()


def device(device_hash: str) -> DeviceRecord | None:
    """Return a device's login, or None."""
    item = table.get(keys.DeviceCode(device_hash))
    return DeviceRecord.from_item(device_hash, item) if item else None


def device_by_user_code(user_code: str) -> DeviceRecord | None:
    """Return the login that a short code stands for, or None."""
    item = table.get(keys.UserCode(user_code))
    return device(item["deviceHash"]) if item else None


def note_poll(known: DeviceRecord, next_poll_at: int) -> bool:
    """Note that a device asked; return False where it asked before it may (ms)."""
    try:
        table.update(
            keys.DeviceCode(known.device_hash),
            "SET nextPollAt = :next",
            condition="attribute_exists(PK) AND nextPollAt <= :now",
            values={":next": next_poll_at, ":now": clock.now_ms()},
        )
    except ConditionFailed:
        return False
    return True


def slow_down(known: DeviceRecord, more_seconds: int, slack_ms: int) -> None:
    """Make a device wait longer between two requests from now on."""
    interval = known.interval + more_seconds
    table.update(
        keys.DeviceCode(known.device_hash),
        "SET nextPollAt = :next, #interval = :interval",
        condition="attribute_exists(PK)",
        names={"#interval": "interval"},
        values={":next": clock.now_ms() + interval * 1_000 - slack_ms, ":interval": interval},
    )


def decide_device(transaction: Transaction, device_hash: str, approval: Approval, *, allowed: bool) -> None:
    """Note the person's answer to a device's login, once. The transaction raises RequestExpired."""
    approved = _approved(approval) if allowed else {}
    settings = "".join(f", {name} = :{name}" for name in approved if name != "clientId")
    values = {f":{name}": value for name, value in approved.items() if name != "clientId"}
    transaction.update(
        keys.DeviceCode(device_hash),
        f"SET #status = :status{settings}",
        condition="#status = :pending AND validUntil > :now",
        names={"#status": "status"},
        values={
            ":status": "approved" if allowed else "denied",
            ":pending": "pending",
            ":now": clock.now_ms(),
            **values,
        },
        on_failure=lambda _: RequestExpired(),
    )


def use_device(transaction: Transaction, device_hash: str) -> None:
    """Use an approved device login, once. The transaction raises InvalidGrant or ExpiredToken."""
    transaction.update(
        keys.DeviceCode(device_hash),
        "SET #status = :used",
        condition="#status = :approved AND validUntil > :now",
        names={"#status": "status"},
        values={":used": "used", ":approved": "approved", ":now": clock.now_ms()},
        on_failure=lambda found: (
            ExpiredToken() if found and found["status"] == "approved" else InvalidGrant()
        ),
    )


def _approved(approval: Approval) -> dict[str, Any]:
    return {
        "userId": approval.user_id,
        "clientId": approval.client_id,
        "organization": approval.organization,
    }


def put_sign_in(sign_in_hash: str, email: str, code_hash: str, browser_hash: str, until: int) -> None:
    """Add a sign-in that waits for its code until an instant (ms)."""
    table.put_new(
        {
            **keys.SignIn(sign_in_hash).attributes(),
            "email": email,
            "codeHash": code_hash,
            "browserHash": browser_hash,
            "tries": 0,
            "validUntil": until,
            "expiresAt": until // 1_000 + HOUR_SECONDS,
        }
    )


def count_try(sign_in_hash: str, browser_hash: str, most: int) -> Item | None:
    """Count a try at a sign-in's code before it is looked at; None where there is none left, or no such sign-in."""
    try:
        return table.update(
            keys.SignIn(sign_in_hash),
            "SET tries = tries + :one",
            condition="attribute_exists(PK) AND tries < :most AND validUntil > :now AND browserHash = :browser",
            values={":one": 1, ":most": most, ":now": clock.now_ms(), ":browser": browser_hash},
            returning="ALL_NEW",
        )
    except ConditionFailed:
        return None


def sign_in(sign_in_hash: str, user_id: str, new_browser: str, before: Sequence[str], until: int) -> bool:
    """Turn a sign-in into a signed-in browser until an instant (ms); return False where that happened before.

    `before` are the hashes by which the browser was known until now: what began there goes on here.
    """
    transaction = Transaction()
    transaction.delete(
        keys.SignIn(sign_in_hash), condition="attribute_exists(PK)", on_failure=ConditionFailed
    )
    transaction.put(
        {
            **keys.BrowserSession(new_browser).attributes(),
            "userId": user_id,
            "before": list(before),
            "validUntil": until,
            "expiresAt": until // 1_000 + HOUR_SECONDS,
        },
        new=True,
    )
    try:
        transaction.commit()
    except ConditionFailed:
        return False
    return True


def browser(browser_hash: str) -> Item | None:
    """Return a browser that was signed in: `userId` while it is, and `before`; or None."""
    item = table.get(keys.BrowserSession(browser_hash))
    return item if item is not None and item["validUntil"] > clock.now_ms() else None


def sign_out(browser_hash: str) -> None:
    """Forget who signed in with a browser, and not what began in it."""
    try:
        table.update(keys.BrowserSession(browser_hash), "REMOVE userId", condition="attribute_exists(PK)")
    except ConditionFailed:
        return
