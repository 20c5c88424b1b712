"""Items that lead to a token: clients, requests, codes, device logins, sign-ins and browsers.

Each is single-use or expires: a condition makes single use hold, and DynamoDB deletes the item some time after
`expiresAt`.
"""

from collections.abc import Sequence

from helpdesk.oauth.errors import ExpiredToken, InvalidClient, InvalidGrant, RequestExpired
from helpdesk.oauth.record import (
    Approval,
    BrowserRecord,
    ClientRecord,
    CodeRecord,
    DeviceRecord,
    DeviceStatus,
    RequestRecord,
)
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS, HOUR_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

UNAPPROVED_CLIENT_DAYS = 90
"""How long a client is kept that no person has approved."""


def put_client(client: ClientRecord) -> None:
    """Add a client that no person has approved yet."""
    table.put_new(
        {
            **keys.OAuthClient(client.id).attributes(),
            **client.to_item(),
            "createdAt": clock.now_ms(),
            "expiresAt": clock.seconds_from_now(UNAPPROVED_CLIENT_DAYS * DAY_SECONDS),
        }
    )


def client(client_id: str) -> ClientRecord | None:
    """Return a client, or None."""
    item = table.get(keys.OAuthClient(client_id))
    return ClientRecord.from_item(item) if item else None


def client_names(client_ids: Sequence[str]) -> dict[str, str]:
    """Return the names of those of the clients that exist, by id. One call for up to 100."""
    found = table.get_many([keys.OAuthClient(client_id) for client_id in client_ids], consistent=False)
    return {item["id"]: item["name"] for item in found.values()}


def keep_client(transaction: Transaction, known: ClientRecord) -> None:
    """Keep a client permanently, now that a person approved it. The transaction raises InvalidClient."""
    if known.is_unapproved:
        transaction.update(
            keys.OAuthClient(known.id),
            "REMOVE expiresAt",
            condition="attribute_exists(PK)",
            on_failure=lambda _: InvalidClient(),
        )


def put_request(request: RequestRecord) -> None:
    """Add what a client asks of a person."""
    table.put_new(
        {
            **keys.AuthorizationRequest(request.request_hash).attributes(),
            **request.to_item(),
            "expiresAt": request.valid_until // 1_000 + HOUR_SECONDS,
        }
    )


def request(request_hash: str) -> RequestRecord | None:
    """Return what a client asks, or None."""
    item = table.get(keys.AuthorizationRequest(request_hash))
    return RequestRecord.from_item(request_hash, item) if item else None


def remove_request(transaction: Transaction, pending: RequestRecord) -> None:
    """Remove a request: it is answered once. The transaction raises RequestExpired."""
    transaction.delete(
        keys.AuthorizationRequest(pending.request_hash),
        condition="attribute_exists(PK)",
        on_failure=lambda _: RequestExpired(),
    )


def put_code(transaction: Transaction, code: CodeRecord) -> None:
    """Add a code. It stays known for a day, so that a second use is detected."""
    transaction.put(
        {
            **keys.AuthorizationCode(code.code_hash).attributes(),
            **code.to_item(),
            "expiresAt": clock.seconds_from_now(DAY_SECONDS),
        },
        new=True,
    )


def code(code_hash: str) -> CodeRecord | None:
    """Return a code, used or not, or None."""
    item = table.get(keys.AuthorizationCode(code_hash))
    return CodeRecord.from_item(code_hash, item) if item else None


def use_code(transaction: Transaction, code_hash: str) -> None:
    """Use a code, once. The transaction raises ConditionFailed if it was used before."""
    transaction.update(
        keys.AuthorizationCode(code_hash),
        "SET usedAt = :now",
        condition="attribute_exists(PK) AND attribute_not_exists(usedAt)",
        values={":now": clock.now_ms()},
        on_failure=ConditionFailed,
    )


def put_device(login: DeviceRecord, user_code: str) -> None:
    """Add a device login under both of its codes. Raises ConditionFailed if the user code is taken."""
    expires = {"expiresAt": login.valid_until // 1_000 + HOUR_SECONDS}
    transaction = Transaction()
    transaction.put(
        {
            **keys.UserCode(user_code).attributes(),
            "deviceHash": login.device_hash,
            "validUntil": login.valid_until,
            **expires,
        },
        new=True,
        on_failure=ConditionFailed,
    )
    transaction.put(
        {**keys.DeviceCode(login.device_hash).attributes(), **login.to_item(), **expires},
        new=True,
    )
    transaction.commit()


def device(device_hash: str) -> DeviceRecord | None:
    """Return a device login, or None."""
    item = table.get(keys.DeviceCode(device_hash))
    return DeviceRecord.from_item(device_hash, item) if item else None


def device_by_user_code(user_code: str) -> DeviceRecord | None:
    """Return the device login of a user code, or None."""
    item = table.get(keys.UserCode(user_code))
    return device(item["deviceHash"]) if item else None


def note_poll(known: DeviceRecord, next_poll_at: int) -> bool:
    """Note that a device polled; return False if it polled too early. `next_poll_at` is in ms."""
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
    """Make a device wait longer between two polls from now on."""
    interval = known.interval + more_seconds
    table.update(
        keys.DeviceCode(known.device_hash),
        "SET nextPollAt = :next, #interval = :interval",
        condition="attribute_exists(PK)",
        names={"#interval": "interval"},
        values={":next": clock.now_ms() + interval * 1_000 - slack_ms, ":interval": interval},
    )


def decide_device(transaction: Transaction, device_hash: str, approval: Approval, *, allowed: bool) -> None:
    """Store the person's decision on a device login, once. The transaction raises RequestExpired."""
    approved = approval.to_item() if allowed else {}
    settings = "".join(f", {name} = :{name}" for name in approved if name != "clientId")
    values = {f":{name}": value for name, value in approved.items() if name != "clientId"}
    transaction.update(
        keys.DeviceCode(device_hash),
        f"SET #status = :status{settings}",
        condition="#status = :pending AND validUntil > :now",
        names={"#status": "status"},
        values={
            ":status": (DeviceStatus.APPROVED if allowed else DeviceStatus.DENIED).value,
            ":pending": DeviceStatus.PENDING.value,
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
        values={
            ":used": DeviceStatus.USED.value,
            ":approved": DeviceStatus.APPROVED.value,
            ":now": clock.now_ms(),
        },
        on_failure=lambda found: (
            ExpiredToken() if found and found["status"] == DeviceStatus.APPROVED else InvalidGrant()
        ),
    )


def sign_in(sign_in_hash: str, browser_hash: str, signed_in: BrowserRecord, kept_seconds: int) -> bool:
    """Replace a sign-in by a signed-in browser, kept for so long; return False if that already happened."""
    transaction = Transaction()
    transaction.delete(
        keys.SignIn(sign_in_hash), condition="attribute_exists(PK)", on_failure=ConditionFailed
    )
    transaction.put(
        {
            **keys.BrowserSession(browser_hash).attributes(),
            **signed_in.to_item(),
            "expiresAt": clock.seconds_from_now(kept_seconds),
        },
        new=True,
    )
    try:
        transaction.commit()
    except ConditionFailed:
        return False
    return True


def browser(browser_hash: str) -> BrowserRecord | None:
    """Return a browser in which a person signed in, also when the session is over; None for any other."""
    item = table.get(keys.BrowserSession(browser_hash))
    return BrowserRecord.from_item(item) if item else None


def sign_out(browser_hash: str) -> None:
    """Remove the person from a browser; what began in the browser stays."""
    try:
        table.update(keys.BrowserSession(browser_hash), "REMOVE userId", condition="attribute_exists(PK)")
    except ConditionFailed:
        return
