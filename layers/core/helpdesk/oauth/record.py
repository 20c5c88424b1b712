"""What the OAuth server stores. Times are in ms; the repository adds keys and expiry."""

from enum import StrEnum
from typing import Self

from helpdesk.admission.caller import Scope
from helpdesk.admission.record import scopes_from_item
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item

CODE_GRANT = "authorization_code"
REFRESH_GRANT = "refresh_token"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
GRANT_TYPES = (CODE_GRANT, REFRESH_GRANT, DEVICE_GRANT)

NO_SECRET = "none"  # noqa: S105 - the name of a method
AUTH_METHODS = (NO_SECRET, "client_secret_post", "client_secret_basic")


type Scopes = tuple[Scope, ...]


def scopes_in(text: str | None) -> Scopes:
    """Return the scopes to grant for a `scope` parameter: always API; another only if it is named.

    Unknown names are ignored, and the token response says what was granted (RFC 6749, section 3.3).
    """
    named = (text or "").split(" ")
    return tuple(each for each in Scope if each is Scope.API or each.value in named)


class ClientRecord(Record):
    """A registered client. `is_unapproved` means that no person has allowed it yet, so that its item expires."""

    id: str
    name: str
    redirect_uris: list[str]
    auth_method: str
    grant_types: list[str]
    secret_hash: str | None
    is_unapproved: bool

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a client's item."""
        return cls(
            id=item["id"],
            name=item["name"],
            redirect_uris=item["redirectUris"],
            auth_method=item["authMethod"],
            grant_types=item["grantTypes"],
            secret_hash=item["secretHash"],
            is_unapproved="expiresAt" in item,
        )

    def to_item(self) -> Item:
        """Return the attributes of a new client's item."""
        return {
            "id": self.id,
            "name": self.name,
            "redirectUris": self.redirect_uris,
            "authMethod": self.auth_method,
            "grantTypes": self.grant_types,
            "secretHash": self.secret_hash,
        }


class RequestRecord(Record, kw_only=True):
    """What a client asks of a person, from the first redirect through sign-in to consent.

    `browser_hash` is the browser in which it began. A device login sets `device_hash` and `user_code`; an authorization
    request sets the other optional fields. `redirect_sent` is the redirect address as the request named it.
    """

    request_hash: str
    browser_hash: str
    client_id: str
    client_name: str
    valid_until: int
    redirect_uri: str = ""
    redirect_sent: str | None = None
    state: str | None = None
    challenge: str = ""
    device_hash: str = ""
    user_code: str = ""
    scopes: Scopes = (Scope.API,)

    @classmethod
    def from_item(cls, request_hash: str, item: Item) -> Self:
        """Read a request's item."""
        return cls(
            request_hash=request_hash,
            browser_hash=item["browserHash"],
            client_id=item["clientId"],
            client_name=item["clientName"],
            valid_until=item["validUntil"],
            redirect_uri=item["redirectUri"],
            redirect_sent=item["redirectSent"],
            state=item["state"],
            challenge=item["challenge"],
            device_hash=item["deviceHash"],
            user_code=item["userCode"],
            scopes=scopes_from_item(item),
        )

    def to_item(self) -> Item:
        """Return the attributes of the request's item."""
        return {
            "browserHash": self.browser_hash,
            "clientId": self.client_id,
            "clientName": self.client_name,
            "validUntil": self.valid_until,
            "redirectUri": self.redirect_uri,
            "redirectSent": self.redirect_sent,
            "state": self.state,
            "challenge": self.challenge,
            "deviceHash": self.device_hash,
            "userCode": self.user_code,
            "scopes": [each.value for each in self.scopes],
        }


class Approval(Record):
    """What a person allowed a client: to act for them in an organization, or in none yet (None), within scopes.

    `bound_at` (ms) is when that organization was chosen: leaving it ends what was chosen before.
    """

    user_id: str
    client_id: str
    organization: str | None
    bound_at: int = 0
    scopes: Scopes = (Scope.API,)

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read the approval from an item that carries one: a code, a device login, a grant or an access token."""
        return cls(
            item["userId"],
            item["clientId"],
            item["organization"],
            item.get("boundAt", 0),
            scopes_from_item(item),
        )

    def to_item(self) -> Item:
        """Return the attributes that an approval adds to an item."""
        return {
            "userId": self.user_id,
            "clientId": self.client_id,
            "organization": self.organization,
            "boundAt": self.bound_at,
            "scopes": [each.value for each in self.scopes],
        }


class CodeRecord(Record, kw_only=True):
    """An authorization code. `used` means that it was exchanged; it stays known for a day to detect a second use."""

    code_hash: str
    approval: Approval
    grant_id: str
    redirect_uri: str
    redirect_sent: str | None
    challenge: str
    valid_until: int
    used: bool = False

    @classmethod
    def from_item(cls, code_hash: str, item: Item) -> Self:
        """Read a code's item."""
        return cls(
            code_hash=code_hash,
            approval=Approval.from_item(item),
            grant_id=item["grantId"],
            redirect_uri=item["redirectUri"],
            redirect_sent=item["redirectSent"],
            challenge=item["challenge"],
            valid_until=item["validUntil"],
            used="usedAt" in item,
        )

    def to_item(self) -> Item:
        """Return the attributes of a new code's item."""
        return {
            **self.approval.to_item(),
            "grantId": self.grant_id,
            "redirectUri": self.redirect_uri,
            "redirectSent": self.redirect_sent,
            "challenge": self.challenge,
            "validUntil": self.valid_until,
        }


class DeviceStatus(StrEnum):
    """How far a device login is."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    USED = "used"


class DeviceRecord(Record, kw_only=True):
    """A device login. `interval` is in seconds; a poll before `next_poll_at` (ms) is too early."""

    device_hash: str
    client_id: str
    client_name: str
    status: DeviceStatus = DeviceStatus.PENDING
    interval: int
    next_poll_at: int = 0
    valid_until: int
    approval: Approval | None = None
    grant_id: str
    scopes: Scopes = (Scope.API,)

    @classmethod
    def from_item(cls, device_hash: str, item: Item) -> Self:
        """Read a device login's item."""
        return cls(
            device_hash=device_hash,
            client_id=item["clientId"],
            client_name=item["clientName"],
            status=DeviceStatus(item["status"]),
            interval=item["interval"],
            next_poll_at=item["nextPollAt"],
            valid_until=item["validUntil"],
            approval=Approval.from_item(item) if "userId" in item else None,
            grant_id=item["grantId"],
            scopes=scopes_from_item(item),
        )

    def to_item(self) -> Item:
        """Return the attributes of a new device login's item."""
        return {
            "clientId": self.client_id,
            "clientName": self.client_name,
            "status": self.status.value,
            "interval": self.interval,
            "nextPollAt": self.next_poll_at,
            "validUntil": self.valid_until,
            "grantId": self.grant_id,
            "scopes": [each.value for each in self.scopes],
        }


class BrowserRecord(Record):
    """A browser in which a person signed in.

    `user_id` is None after they sign out. `before` holds the hashes of the browser's earlier cookies: what began under
    one of them continues here. `known` holds the hashes of the addresses that signed in, also after the session.
    """

    user_id: str | None
    before: tuple[str, ...]
    valid_until: int
    known: tuple[str, ...] = ()

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a browser's item."""
        known = tuple(item.get("known", ()))
        return cls(item.get("userId"), tuple(item["before"]), item["validUntil"], known)

    def to_item(self) -> Item:
        """Return the attributes of the browser's item."""
        return {
            "userId": self.user_id,
            "before": list(self.before),
            "validUntil": self.valid_until,
            "known": list(self.known),
        }


class AccessTokenRecord(Record):
    """An access token by its hash, and until when it is valid."""

    token_hash: str
    valid_until: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an access token from its grant's list."""
        return cls(item["hash"], item["validUntil"])

    def to_item(self) -> Item:
        """Return the entry for the grant's list."""
        return {"hash": self.token_hash, "validUntil": self.valid_until}


class GrantRecord(Record, kw_only=True):
    """What one approval led to: the one valid refresh token and the newest access tokens, oldest first.

    `family_hash` is the hash of the part that all refresh tokens of the grant share. `previous_hash` is the hash of the
    refresh token that was replaced at `rotated_at`.
    """

    id: str
    approval: Approval
    family_hash: str
    refresh_hash: str
    previous_hash: str
    rotated_at: int
    created_at: int
    valid_until: int
    tokens: tuple[AccessTokenRecord, ...]

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a grant's item."""
        return cls(
            id=item["id"],
            approval=Approval.from_item(item),
            family_hash=item["familyHash"],
            refresh_hash=item["refreshHash"],
            previous_hash=item["previousHash"],
            rotated_at=item["rotatedAt"],
            created_at=item["createdAt"],
            valid_until=item["validUntil"],
            tokens=tuple(AccessTokenRecord.from_item(token) for token in item["tokens"]),
        )

    def to_item(self) -> Item:
        """Return the attributes of the grant's item."""
        return {
            "id": self.id,
            **self.approval.to_item(),
            "familyHash": self.family_hash,
            "refreshHash": self.refresh_hash,
            "previousHash": self.previous_hash,
            "rotatedAt": self.rotated_at,
            "createdAt": self.created_at,
            "validUntil": self.valid_until,
            "tokens": [token.to_item() for token in self.tokens],
        }
