"""What the OAuth server stores. Times are in ms, unless a field says seconds."""

from enum import StrEnum

from helpdesk.api.admission.caller import Scope
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage.stored import Expiring, Stored, field

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


class OAuthClient(Stored, kw_only=True):
    """A registered client. One that no person has allowed yet expires (`expires_at`, in seconds)."""

    PK, SK = "OAUTH#CLIENT#{id}", "CLIENT"

    id: str
    name: str
    redirect_uris: list[str]
    auth_method: str
    grant_types: list[str]
    secret_hash: str | None = None
    created_at: int
    expires_at: int | None = None


class AuthorizationRequest(Expiring, kw_only=True):
    """What a client asks of a person, from the first redirect through sign-in to consent.

    `browser_hash` is the browser in which it began. A device login sets `device_hash` and `user_code`; an authorization
    request sets the other optional fields. `redirect_sent` is the redirect address as the request named it, and
    `organization` the one that the console asks for.
    """

    PK, SK = "OAUTH#REQUEST#{request_hash}", "REQUEST"

    request_hash: str
    browser_hash: str
    client_id: str
    client_name: str
    redirect_uri: str = ""
    redirect_sent: str | None = None
    state: str | None = None
    challenge: str = ""
    device_hash: str = ""
    user_code: str = ""
    scopes: Scopes
    organization: str | None = None


class Approval(Record):
    """What a person allowed a client: to act for them in an organization, or in none yet (None), within scopes.

    `bound_at` (ms) is when that organization was chosen: leaving it ends what was chosen before.
    """

    user_id: str
    client_id: str
    organization: str | None
    bound_at: int
    scopes: Scopes


class AuthorizationCode(Expiring, kw_only=True):
    """An authorization code. Once it is used (`used_at`), it stays known for a day to detect a second use.

    `token_hash` is the access token that the console got for it; other clients have a grant.
    """

    PK, SK = "OAUTH#CODE#{code_hash}", "CODE"
    KEPT_SECONDS = DAY_SECONDS

    code_hash: str
    user_id: str
    client_id: str
    organization: str | None = None
    bound_at: int
    scopes: Scopes
    grant_id: str
    redirect_uri: str
    redirect_sent: str | None = None
    challenge: str
    used_at: int | None = None
    token_hash: str | None = None

    @property
    def approval(self) -> Approval:
        """What the person allowed."""
        return Approval(self.user_id, self.client_id, self.organization, self.bound_at, self.scopes)


class DeviceStatus(StrEnum):
    """How far a device login is."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    USED = "used"


class DeviceCode(Expiring, kw_only=True):
    """A device login. `interval` is in seconds; a poll before `next_poll_at` (ms) is too early.

    `user_id`, `organization` and `bound_at` are what the person allowed.
    """

    PK, SK = "OAUTH#DEVICE#{device_hash}", "DEVICE"

    device_hash: str
    client_id: str
    client_name: str
    status: DeviceStatus = DeviceStatus.PENDING
    interval: int
    next_poll_at: int = 0
    grant_id: str
    scopes: Scopes
    user_id: str | None = None
    organization: str | None = None
    bound_at: int = 0

    @property
    def approval(self) -> Approval | None:
        """What the person allowed; None before that."""
        if self.user_id is None:
            return None
        return Approval(self.user_id, self.client_id, self.organization, self.bound_at, self.scopes)


class UserCode(Expiring, kw_only=True):
    """The device login that a typed short code belongs to."""

    PK, SK = "OAUTH#USERCODE#{user_code}", "USERCODE"

    user_code: str
    device_hash: str


class BrowserSession(Stored, kw_only=True):
    """A browser in which a person signed in.

    `user_id` is None after they sign out. `before` holds the hashes of the browser's earlier cookies: what began under
    one of them continues here. `known` holds the hashes of the addresses that signed in, also after the session, which
    is valid until `valid_until` (ms). DynamoDB deletes the browser some time after `expires_at` (seconds).
    `organization` is the one that the console was in last.
    """

    PK, SK = "OAUTH#BROWSER#{browser_hash}", "BROWSER"

    browser_hash: str
    user_id: str | None = None
    before: tuple[str, ...]
    valid_until: int
    known: tuple[str, ...] = ()
    expires_at: int
    organization: str | None = None


class IssuedToken(Record):
    """An access token in the list of its grant: its hash, and until when it is valid."""

    token_hash: str = field(name="hash")
    valid_until: int


class Grant(Expiring, kw_only=True):
    """A person's grant to a client: the one valid refresh token and the newest access tokens, oldest first.

    `family_hash` is the hash of the part that all refresh tokens of the grant share. `previous_hash` is the hash of the
    refresh token that was replaced at `rotated_at`.
    """

    PK, SK = "OAUTH#GRANT#{id}", "GRANT"
    GSI1 = "PERSON#{user_id}#GRANTS", "{id}"
    GSI2 = "ORG#{organization}#GRANTS", "{id}"
    KEPT_SECONDS = DAY_SECONDS

    id: str
    user_id: str
    client_id: str
    organization: str | None = None
    bound_at: int
    scopes: Scopes
    family_hash: str
    refresh_hash: str
    previous_hash: str
    rotated_at: int
    created_at: int
    tokens: tuple[IssuedToken, ...]
