"""What OAuth keeps, as read from the table. Times are in ms."""

from typing import Any, NamedTuple, Self

from helpdesk.storage.table import Item

SCOPE = "api"
CODE_GRANT = "authorization_code"
REFRESH_GRANT = "refresh_token"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
GRANT_TYPES = (CODE_GRANT, REFRESH_GRANT, DEVICE_GRANT)

NO_SECRET = "none"  # noqa: S105 - the name of a method
AUTH_METHODS = (NO_SECRET, "client_secret_post", "client_secret_basic")


class ClientRecord(NamedTuple):
    """A registered client. `is_passing` says that nobody has approved it yet, so that it is forgotten after a while."""

    id: str
    name: str
    redirect_uris: list[str]
    auth_method: str
    grant_types: list[str]
    secret_hash: str | None
    is_passing: bool

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a client's item."""
        return cls(
            item["id"],
            item["name"],
            item["redirectUris"],
            item["authMethod"],
            item["grantTypes"],
            item["secretHash"],
            "expiresAt" in item,
        )


class RequestRecord(NamedTuple):
    """What a program asks of a person, on its way through sign-in and approval.

    `browser_hash` is the browser that it began in. Of a device's login `device_hash` and `user_code` are set, of an
    authorization request the others; `redirect_sent` is the redirect address as the request named it.
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

    @classmethod
    def from_item(cls, request_hash: str, item: Item) -> Self:
        """Read a request's item."""
        return cls(
            request_hash,
            item["browserHash"],
            item["clientId"],
            item["clientName"],
            item["validUntil"],
            item["redirectUri"],
            item["redirectSent"],
            item["state"],
            item["challenge"],
            item["deviceHash"],
            item["userCode"],
        )

    def to_attributes(self) -> dict[str, Any]:
        """Return the attributes of its item."""
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
        }


class Approval(NamedTuple):
    """What a person allowed a client: to act for him, in an organization or (None) in none as yet."""

    user_id: str
    client_id: str
    organization: str | None


class CodeRecord(NamedTuple):
    """An authorization code; `used` says that it was exchanged, or that its time to be is over with its grant made."""

    code_hash: str
    approval: Approval
    grant_id: str
    redirect_uri: str
    redirect_sent: str | None
    challenge: str
    valid_until: int
    used: bool

    @classmethod
    def from_item(cls, code_hash: str, item: Item) -> Self:
        """Read a code's item."""
        return cls(
            code_hash,
            Approval(item["userId"], item["clientId"], item["organization"]),
            item["grantId"],
            item["redirectUri"],
            item["redirectSent"],
            item["challenge"],
            item["validUntil"],
            "usedAt" in item,
        )


class DeviceRecord(NamedTuple):
    """A device's login: pending, approved, denied or used."""

    device_hash: str
    client_id: str
    client_name: str
    status: str
    interval: int
    next_poll_at: int
    valid_until: int
    approval: Approval | None
    grant_id: str

    @classmethod
    def from_item(cls, device_hash: str, item: Item) -> Self:
        """Read a device login's item."""
        approval = (
            Approval(item["userId"], item["clientId"], item["organization"]) if "userId" in item else None
        )
        return cls(
            device_hash,
            item["clientId"],
            item["clientName"],
            item["status"],
            item["interval"],
            item["nextPollAt"],
            item["validUntil"],
            approval,
            item["grantId"],
        )


class AccessTokenRecord(NamedTuple):
    """An access token by its hash, with the end of its time."""

    token_hash: str
    valid_until: int


class GrantRecord(NamedTuple):
    """What descends from one approval: the one refresh token that works, and the newest access tokens, oldest first.

    `family_hash` is of the part that all refresh tokens of the grant share, `previous_hash` of the refresh token that
    was replaced at `rotated_at`.
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
            item["id"],
            Approval(item["userId"], item["clientId"], item["organization"]),
            item["familyHash"],
            item["refreshHash"],
            item["previousHash"],
            item["rotatedAt"],
            item["createdAt"],
            item["validUntil"],
            tuple(AccessTokenRecord(token["hash"], token["validUntil"]) for token in item["tokens"]),
        )
